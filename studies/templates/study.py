"""Thirty years of templates: systems of 1992 and of today, told apart or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import tellapart as ta
from studies.core import Reproduction, Request, Section
from studies.templates.runs import REE, SHUFFLES, TF, Runs, run_all
from studies.templates.statements import statements
from tellapart.comparison.answers import ranking
from tellapart.comparison.record import Comparison
from tellapart.errors import Notice
from tellapart.formats.contract import plain_report
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.matrices import matrix_figure
from tellapart.report.figures.systems import groups_figure

HAS_PICTURES: Final = True
_NAMES: Final = {TF: "CEAF-TF", REE: "CEAF-REE"}


def reproduce(request: Request) -> Reproduction:
    """Return the study: all systems on the messages of MUC-4, by the metrics of today."""
    runs = run_all(request.data, request.seed, request.progress)
    return Reproduction(
        "templates",
        "Thirty years of templates: MUC-4 from 1992 to 2023",
        request.seed,
        tuple(_sections(runs)),
        tuple(statements(runs)),
        _figures(runs),
        {name: standalone(picture) for name, picture in _pictures(runs) if picture},
        tuple(_notices(runs)),
    )


def _compared(runs: Runs) -> Iterator[tuple[str, str, str, Comparison]]:
    """Yield each comparison by its metric: a short name, a heading, the metric, the result."""
    yield "templates", "templates", TF, runs.templates
    yield "fillers", "role fillers", REE, runs.fillers
    if runs.first is not None:
        for metric in (TF, REE):
            yield f"1992-{metric}", "raw responses of 1992, TST3", metric, runs.first


def _sections(runs: Runs) -> Iterator[Section]:
    for _, what, metric, result in _compared(runs):
        yield _table(f"{_NAMES[metric]}: {what}", result, metric)
        yield _matrix(f"{_NAMES[metric]}: {what}, p of all pairs", result, metric)
    if runs.first is not None:
        yield _then_and_now(runs.first)
    yield _lost(runs)


def _table(title: str, result: Comparison, metric: str) -> Section:
    """Return scores, groups that cannot be told apart, and the places that systems may hold."""
    places = result.ranks.get(metric, {})
    lines = [f"{'':<3} {'system':<20}{'score':>7}  {'places':<8} {'groups'}"]
    for rank, system in enumerate(ranking(result, metric), 1):
        low, high = places.get(system.name, (0, 0))
        lines.append(
            f"{rank:>3} {system.name:<20}{100 * system.scores[metric]:>7.2f}  "
            f"{f'{low}-{high}' if low else '':<8} {result.letters[metric].get(system.name, '')}"
        )
    own = [each for each in result.pairs if each.metric == metric]
    told = sum(each.different for each in own)
    lines += [
        f"{told} of {len(own)} pairs are told apart: {SHUFFLES:,} shuffles of "
        f"{result.items.count} documents,",
        f"alpha {result.alpha}, corrected by {result.correction}. Systems with a letter in common "
        "are not.",
    ]
    return Section(title, tuple(lines))


def _matrix(title: str, result: Comparison, metric: str) -> Section:
    """Return p of every pair, not corrected; a star where it is told apart after correction."""
    order = [system.name for system in ranking(result, metric)]
    pairs = {frozenset((e.a, e.b)): e for e in result.pairs if e.metric == metric}
    lines = [f"{'':<16}" + "".join(f"{k:>4}" for k in range(1, len(order)))]
    for i, row in enumerate(order[1:], 1):
        cells = ""
        for column in order[:i]:
            pair = pairs[frozenset((row, column))]
            text = "*" if pair.different else f"{min(999, round(1000 * (pair.p or 0))):03}"
            cells += f"{text:>4}"
        lines.append(f"{i + 1:>2} {row[:13]:<13}{cells}")
    lines.append("* told apart among all pairs; 213: p = .213 of the pair alone")
    return Section(title, tuple(lines))


def _then_and_now(first: Comparison) -> Section:
    """Return the order of the systems of 1992 by F as it was then, and by the metrics of today."""
    then = plain_report(ta.example("muc4"), ["f1"]).systems
    scores = {
        "F of 1992": {each.name: each.scores["f1"] for each in then},
        "CEAF-TF": {each.name: each.scores[TF] for each in first.systems},
        "CEAF-REE": {each.name: each.scores[REE] for each in first.systems},
    }
    ranks = {
        metric: {name: k for k, name in enumerate(sorted(own, key=own.__getitem__)[::-1], 1)}
        for metric, own in scores.items()
    }
    lines = [f"{'':<12}" + "".join(f"{metric:>12}" for metric in ranks)]
    lines += [
        f"{name:<12}" + "".join(f"{own[name]:>12}" for own in ranks.values())
        for name in ranks["F of 1992"]
        if name in ranks["CEAF-TF"]
    ]
    return Section("The places of 1992, then and now", tuple(lines))


def _lost(runs: Runs) -> Section:
    lines = [f"{'system':<13}{'what is otherwise':<24}{'number':>7}{'published':>11}{'so':>8}"]
    lines += [
        f"{each.system:<13}{each.what:<24}{each.templates:>7}{100 * each.published:>11.2f}"
        f"{100 * each.otherwise:>8.2f}"
        for each in runs.losses
    ]
    lines += [
        "By CEAF-TF. Templates of type * say that there is nothing to be found in a",
        "message; kept, they count as spurious. The whole key has the mentions, too, that",
        "are not in the texts, most of them for their square brackets.",
    ]
    return Section("What the published conversions lost", tuple(lines))


def _figures(runs: Runs) -> dict[str, Any]:
    return {
        **{
            name: {
                "metric": metric,
                "scores": {each.name: each.scores[metric] for each in result.systems},
                "groups": result.groups[metric],
                "places": result.ranks.get(metric, {}),
                "pairs": [
                    {
                        "a": pair.a,
                        "b": pair.b,
                        "difference": pair.difference,
                        "p": pair.p,
                        "p_adjusted": pair.p_adjusted,
                        "different": pair.different,
                    }
                    for pair in result.pairs
                    if pair.metric == metric
                ],
            }
            for name, _, metric, result in _compared(runs)
        },
        "precision_and_recall": runs.parts,
        "fillers_as_published": runs.own_gold,
        "losses": [asdict(each) for each in runs.losses],
    }


def _pictures(runs: Runs) -> Iterator[tuple[str, str]]:
    for name, _, metric, result in _compared(runs):
        yield f"matrix-{name}.svg", matrix_figure(result, metric, "matrix")
        yield f"groups-{name}.svg", groups_figure(result, metric, "groups")


def _notices(runs: Runs) -> Iterator[Notice]:
    if runs.first is None:
        text = "There are no raw responses in muc4/tst3: nothing is said of all systems of 1992."
        yield Notice("no-raw-responses", text)

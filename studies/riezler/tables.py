"""The tables of the study of 2005."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist, median
from typing import Final

from studies.core import Section
from studies.riezler.generated import FIRST_SYSTEM, RERANKED
from studies.riezler.levels import experimentwise_error, per_comparison_level
from studies.riezler.material import LABELS
from studies.riezler.null_pairs import (
    FOLDED,
    LEVELS,
    RANDOMIZATION,
    RESAMPLES,
    SIGNED,
    SMALL_P,
    TESTS,
    folded_rate,
)
from studies.riezler.parametric import ITEMS, T
from studies.riezler.reranking import BASELINE, DECODER, EQUIVALENT, FIRST, GAMMA
from studies.riezler.runs import (
    LEVEL,
    SHUFFLES,
    TABLE_1,
    TABLE_2,
    ListRuns,
    Runs,
    Trial,
    shared_error,
)
from tellapart.report.text import p_text
from tellapart.stats.corrections import least_shuffles
from tellapart.words import several

NAMES: Final = {RANDOMIZATION: "randomization", FOLDED: "figure 2's bootstrap",
                SIGNED: "signed bootstrap"}  # fmt: skip
_SIZES: Final = (2, 3, 4, 5, 10, 15, 16, 17)  # numbers of systems
_MOST_SYSTEMS: Final = 40
_MOST_PAIRS: Final = 10
_RESTRICTED: Final = 0.015


def sections(runs: Runs) -> Iterator[Section]:
    """Return all tables."""
    yield _systems(runs)
    yield _errors(runs)
    yield _ratios(runs)
    yield _parametric(runs)
    yield _many(len(runs.scores))
    yield _sensitivity(runs)


def _systems(runs: Runs) -> Section:
    items = len(runs.material.counts.items)
    lines = [f"  {'':<28}" + "".join(f"{LABELS[name]:>10}" for name in runs.metrics)]
    ordered = sorted(runs.scores.items(), key=lambda each: -each[1][runs.metrics[0]])
    for name, scores in ordered[:_MOST_SYSTEMS]:
        cells = "".join(f"{scores[metric]:>10.3f}" for metric in runs.metrics)
        lines.append(f"  {_cut(name, 28):<28}{cells}")
    if len(ordered) > _MOST_SYSTEMS:
        lines.append(f"  and {len(ordered) - _MOST_SYSTEMS} more")
    kind = "real" if runs.material.real else "generated"
    return Section(f"{len(ordered)} {kind} systems on {items} segments", tuple(lines))


def _cut(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"


def _errors(runs: Runs) -> Section:
    lines = ["  null pairs of                 test                     at"
             + "".join(f"{_level(level):>7}" for level in LEVELS)]  # fmt: skip
    for each in runs.null_tests:
        where = f"{_cut(each.material, 16)}, {LABELS[each.metric]} ({each.pairs:,})"
        for k, test in enumerate(TESTS):
            rates = "".join(f"{100 * each.rate(test, level):>7.1f}" for level in LEVELS)
            lines.append(f"  {where if k == 0 else '':<30}{NAMES[test]:<27}{rates}")
    theory = "".join(f"{100 * folded_rate(level):>7.1f}" for level in LEVELS)
    lines.append(f"  {'any, if large (theory)':<30}{NAMES[FOLDED]:<27}{theory}")
    fewest = min(each.pairs for each in runs.null_tests)
    error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / fewest)
    lines += [
        "  Outputs of two systems exchanged at random: nothing differs, and a test should",
        "  reject as often as the level says. Figure 2 folds differences before it shifts",
        "  them; the signed bootstrap shifts the same resamples without folding. Standard",
        f"  error up to {error:.1f} at .05; {RESAMPLES} shuffles or resamples a test.",
    ]
    return Section("Type-I error: null pairs that are rejected, in per cent", tuple(lines))


def _level(level: float) -> str:
    return f"{level:.3f}".removeprefix("0").removesuffix("0")


def _ratios(runs: Runs) -> Section:
    ratios = [b / a for _, _, a, b in TABLE_2]
    lines = ["  published, table 2       pair     NIST  randomization  bootstrap     ratio"]
    for pair, difference, a, b in TABLE_2:
        lines.append(f"  {'':<25}{pair:<8}{difference:>5.3f}{a:>15.3f}{b:>11.3f}{b / a:>10.2f}")
    lines += [
        f"  {'':<25}{'median':<39}{median(ratios):>10.2f}",
        "  ours, on null pairs with                 pairs    lowest    median   highest",
        f"  p up to {_level(SMALL_P)} by randomization" + "tenth".rjust(26) + "tenth".rjust(20),
    ]
    for each in runs.null_tests:
        for test in (FOLDED, SIGNED):
            found = sorted(each.ratios(test).tolist())
            if found:
                cells = found[len(found) // 10], median(found), found[-1 - len(found) // 10]
                where = f"{_cut(each.material, 10)} {LABELS[each.metric]}, {NAMES[test]}"
                shown = "".join(f"{cell:>10.2f}" for cell in cells)
                lines.append(f"  {where:<38}{len(found):>6}{shown}")
    return Section("How much smaller a bootstrap p is than that of randomization", tuple(lines))


def reranking_sections(runs: ListRuns) -> Iterator[Section]:
    """Return the reranking experiment: its models, and what becomes of tables 1 and 2."""
    done = runs.reranking
    lines = [f"  {'':<10}{'features':>10}{'of system 1':>12}{'other':>10}"
             + "".join(f"{LABELS[name]:>9}" for name in runs.metrics),
             f"  {'':<10}{'selected':>10}{'':>12}{'choices':>10}"]  # fmt: skip
    for each in done.systems:
        scores = "".join(f"{runs.scores[each.name][metric]:>9.3f}" for metric in runs.metrics)
        lines.append(
            f"  {each.name:<10}{len(each.model.selected):>10}{each.shared:>12}{each.other:>10}"
            f"{scores}"
        )
    lines += [
        f"  A log-linear model with l1 penalty {GAMMA:g}, trained on the first "
        f"{done.trained_on:,} sentences,",
        f"  chooses among the {done.candidates:,.0f} candidates of each of the other "
        f"{len(done.counts.items):,}. The decoder",
        f"  takes the first; the baseline has the {done.components} features of components alone; "
        "the",
        f"  others may have {done.phrases:,} phrases, too, system 1 one of those alike. Features "
        "are",
        "  selected by the gradient test; systems 2 to 6 stop at as many as system 1.",
    ]
    yield Section(f"Reranking {runs.lists.name} (section 2)", tuple(lines))
    lines = ["  reranking less        difference  randomization  figure 2's  signed bootstrap"]
    for other in (BASELINE, DECODER):
        for metric in runs.metrics:
            trial = runs.trial(metric, other)
            name = f"{other}, {LABELS[metric]}"
            lines.append(f"  {name:<20}{trial.seen_from(FIRST):>12.3f}{_three(trial)}")
    for metric, (baseline, reranked, randomization, bootstrap) in TABLE_1.items():
        points = 100 if metric == "bleu" else 1  # ours is in points, the paper gives fractions
        name = f"{LABELS[metric]}, published"
        lines.append(
            f"  {name:<20}{points * (reranked - baseline):>12.3f}{randomization:>15}{bootstrap:>12}"
        )
    yield Section("Table 1 on these candidates", tuple(lines))
    lines = [
        "  with system 1         difference  randomization  figure 2's  signed bootstrap",
        "                           of NIST",
    ]
    for name in EQUIVALENT:
        trial = runs.trial("nist", name)
        lines.append(f"  {name:<20}{abs(trial.difference):>12.3f}{_three(trial)}")
    lines.append("  Equals that differ in redundant features: small p-values are chance.")
    yield Section("Table 2 on these candidates", tuple(lines))


def _three(trial: Trial) -> str:
    cells = [p_text(trial.p[test]) for test in TESTS]
    return f"{cells[0]:>15}{cells[1]:>12}{cells[2]:>18}"


def _parametric(runs: Runs) -> Section:
    lines = [f"  {'differences are':<16}{'':<14}{'t':>8}{'randomization':>16}"
             f"{'signed bootstrap':>19}"]  # fmt: skip
    for each in runs.parametric:
        for name, rates in (("none is there", each.level), ("one is there", each.power)):
            first = each.world.name if rates is each.level else ""
            lines.append(f"  {first:<16}{name:<14}{rates[T]:>8.1%}{rates[RANDOMIZATION]:>16.1%}"
                         f"{rates[SIGNED]:>19.1%}")  # fmt: skip
    sets = runs.parametric[0].sets
    lines.append(f"  Differences found at .05, in {sets:,} sets of {ITEMS} items each.")
    return Section("Randomization beside the t test", tuple(lines))


def _many(systems: int) -> Section:
    lines = [
        _comparisons("", "", ("error", "error", "error", "level", "differ-", "shuf-")),
        _comparisons("number", "of comparisons",
                     ("at .05", "at .015", "shared", "for .05", "ence", "fles")),
    ]  # fmt: skip
    rows = {math.comb(size, 2): size for size in sorted({*_SIZES, systems} - {1})}
    for number in sorted({*rows, len(TABLE_2)}):
        size = rows.get(number)
        of = f"pairs of {size} systems" if size else "one with 5 others"
        level = per_comparison_level(LEVEL, number)
        cells = (
            f"{experimentwise_error(LEVEL, number):.4f}",
            f"{experimentwise_error(_RESTRICTED, number):.4f}",
            f"{shared_error(size):.4f}" if size else "",
            f"{level:.5f}",
            f"{NormalDist().inv_cdf(1 - level / 2):.2f}",
            str(least_shuffles(number, LEVEL)),
        )
        lines.append(_comparisons(str(number), of, cells))
    lines += [
        "  Error: the chance to call a pair different though none is, if comparisons at",
        "  that level were independent; shared: at .05, for all pairs of equally good",
        "  systems, which are not independent. Level: of each, for .05 in all (Sidak).",
        "  Difference: what that takes, in standard errors. Shuffles: the least for it.",
    ]
    return Section("Many comparisons", tuple(lines))


def _comparisons(number: str, of: str, cells: Sequence[str]) -> str:
    widths = (8, 8, 8, 9, 8, 7)
    shown = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"  {number:>6}  {of:<20}{shown}".rstrip()


def _sensitivity(runs: Runs) -> Section:
    number = len(runs.of(runs.metrics[0]))
    lines = [f"  {'told apart at .05':<24}{'randomization':>15}{'figure 2':>14}{'signed':>14}"]
    for metric in runs.metrics:
        cells = [f"{runs.count_told_apart(metric, test)} of {number}" for test in TESTS]
        lines.append(f"  {LABELS[metric]:<24}{cells[0]:>15}{cells[1]:>14}{cells[2]:>14}")
    every = _chosen(runs)
    chosen = every[:_MOST_PAIRS]
    if chosen:
        width = max(len("first - second"), *(len(f"{a} - {b}") for a, b in chosen))
        width = min(width, 31)
        lines += [
            "",
            f"  {'first - second':<{width}}  metric  difference p: rand.   fig. 2   signed",
        ]
        for a, b in chosen:
            for k, trial in enumerate(runs.pair(a, b)):
                name = _cut(f"{trial.a} - {trial.b}", width) if k == 0 else ""
                lines.append(f"  {name:<{width}}  {_row(trial)}")
    if len(every) > len(chosen):
        lines.append(
            f"  and {several(len(every) - len(chosen), 'more pair')}; all are in the record"
        )
    lines.append(f"  {SHUFFLES:,} shuffles or resamples; no correction for many pairs.")
    return Section("Which metric can tell systems apart?", tuple(lines))


def _row(trial: Trial) -> str:
    cells = "".join(f"{p_text(trial.p[test]):>9}" for test in TESTS)
    return f"{LABELS[trial.metric]:<6}{trial.difference:>12.3f}{cells}"


def _chosen(runs: Runs) -> Sequence[tuple[str, str]]:
    """Return the pairs to show: of the paper's kind, or those on which metrics do not agree."""
    if not runs.material.real:
        return [(FIRST_SYSTEM, RERANKED)]
    pairs = list(dict.fromkeys((each.a, each.b) for each in runs.trials))
    if len(pairs) <= _MOST_PAIRS:
        return pairs
    return [pair for pair in pairs
            if len({each.told_apart(RANDOMIZATION) for each in runs.pair(*pair)}) > 1]  # fmt: skip

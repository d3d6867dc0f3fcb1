"""The tables of the 1992 study as text: matrices, groups, and what the runs have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from studies.core import Section
from studies.muc4.raw_files import ROWS
from studies.muc4.runs import (
    ALPHA,
    CONFIDENCE,
    FEWER_SHUFFLES,
    METRICS,
    MUC3,
    SHUFFLES,
    Division,
    RowScores,
    Runs,
    Trial,
    better_in_both,
    divide,
    quality,
    row_scores,
    spread,
)
from tellapart.report.text import p_text

_LEVELS: Final = ((0.01, "*"), (0.05, "+"), (0.10, "o"))
_STRIP: Final = 28  # characters from 0 to 70 points
_STRIP_END: Final = 70


def sections(runs: Runs) -> Iterator[Section]:
    """Return all tables: each metric's matrix and groups, then what they add up to."""
    yield _legend(runs)
    for metric in METRICS:
        yield _matrix(runs, metric)
        yield _groups(runs, metric)
    yield divisions(runs)
    yield from raw_sections(runs)
    yield _more_shuffles(runs)
    yield _unsettled(runs)
    yield _spreads(runs)


def _legend(runs: Runs) -> Section:
    systems, items = len(runs.counts.names), len(runs.counts.items)
    pairs = systems * (systems - 1) // 2
    of_set = f" of {runs.results.test_set}" if runs.results.test_set else ""
    return Section(
        f"{systems} systems, {items} messages{of_set}, {pairs} pairs, {len(METRICS)} metrics",
        (
            f"Above the diagonal of a matrix: by {SHUFFLES:,} shuffles of messages, as in 1992. A",
            f"pair differs if p <= {ALPHA:.2f} and the exact test would say so too with confidence",
            f"{CONFIDENCE} or more.",
            "  * + o   different at .01, .05, .10     893   not told apart: p = .893",
            "Below the diagonal: the exact test, over all exchanges of messages.",
            "    *     p <= .01                       047   p = .047; up to 100: different",
            "Systems with a letter in common cannot be told apart at .10. SYNCH is the",
            "paper's UMBC/ConQuest, NMSU is NMSU/Brandeis. P&R is F; 2P&R counts precision",
            "twice as much, P&2R recall.",
        ),
    )


def _matrix(runs: Runs, metric: str) -> Section:
    order = runs.ranking(metric)
    lines = [" " * 11 + "".join(f"{rank:>4}" for rank in range(1, len(order) + 1))]
    for i, row in enumerate(order):
        cells = "".join(
            f"{'.' if i == j else _cell(runs.trial(metric, row, column), exact=j < i):>4}"
            for j, column in enumerate(order)
        )
        lines.append(f"{i + 1:>2} {row:<8}{cells}")
    return Section(f"{METRICS[metric]}: which pairs differ", tuple(lines))


def _cell(trial: Trial, *, exact: bool) -> str:
    if exact:
        return "*" if trial.p <= _LEVELS[0][0] else _thousandths(trial.p)
    for level, sign in _LEVELS:
        if trial.told_apart(level):
            return sign
    return _thousandths(trial.shuffled.p or 1.0)


def _thousandths(p: float) -> str:
    """Return p in three digits; what is above 0.10 does not look as if it were not.

    >>> _thousandths(0.0466), _thousandths(0.10004), _thousandths(1.0)
    ('047', '101', '1.0')
    """
    digits = max(round(1000 * p), 101 if p > ALPHA else 0)
    return "1.0" if digits >= 1000 else f"{digits:03}"


def _groups(runs: Runs, metric: str) -> Section:
    shuffled, exact = runs.shuffled.letters[metric], runs.exact.letters[metric]
    wide = max(14, *(len(_stairs(letters, "")) for letters in (shuffled, exact)))
    ends = f"0{'':<{_STRIP - 2}}{_STRIP_END}"
    lines = [f"{'':<13}score  {'9,999 shuffles':<{wide}} {'exact':<{wide}} {ends}"]
    for i, name in enumerate(runs.ranking(metric), 1):
        score = runs.score(name, metric)
        place = min(_STRIP, round(_STRIP * score / _STRIP_END))
        lines.append(
            f"{i:>2} {name:<9}{score:>6.2f}  {_stairs(shuffled, name):<{wide}} "
            f"{_stairs(exact, name):<{wide}} {' ' * place}o"
        )
    return Section(f"{METRICS[metric]}: groups that cannot be told apart at .10", tuple(lines))


def _stairs(letters: dict[str, str], name: str) -> str:
    """Return the letters of a system, each in the column of its group."""
    used = sorted({letter for each in letters.values() for letter in each})
    own = letters.get(name, "".join(used))
    return "".join(letter if letter in own else " " for letter in used).rstrip()


def divisions(runs: Runs) -> Section:
    """Return how many pairs differ in recall and in precision, here and in MUC-3."""
    head = f"{'':<34}both  recall only  precision only  neither"
    rows = [
        (".10  9,999 shuffles", divide(runs, 0.10, "shuffles")),
        (".10  9,999 shuffles, confident", divide(runs, 0.10, "rule")),
        (".10  exact", divide(runs, 0.10, "exact")),
        (".01  9,999 shuffles, confident", divide(runs, 0.01, "rule")),
        (".01  exact", divide(runs, 0.01, "exact")),
    ]
    lines = [head, *(_division(name, found) for name, found in rows)]
    both = _share(better_in_both(runs), rows[0][1].pairs)
    strict = f"{_share(33, 105)}{'one only':>12}{_share(60, 105):>10}{_share(12, 105):>13}"
    lines += [
        "In the 1993 paper, of the 105 pairs of MUC-3:",
        _division(".10  9,999 shuffles", MUC3),
        f"{'.01  9,999 shuffles, confident':<31}{strict}",
        "One system is better in both, at .01 with confidence:",
        f"{'':<31}{both}   here, {_share(25, 105)} in MUC-3",
    ]
    return Section("Pairs that differ in recall and precision", tuple(lines))


def raw_sections(runs: Runs) -> Iterator[Section]:
    """Return what only raw files tell: regions of performance, and smaller observations."""
    rows = row_scores(runs.results)
    if rows:
        yield _regions(runs, rows)
    if runs.observed:
        yield _observations(runs)
    if runs.results.appositives:
        yield _appositives(runs)


def _regions(runs: Runs, rows: Mapping[str, Mapping[str, RowScores]]) -> Section:
    lines = [
        f"{'':<11}{'MATCHED':>15}{'MATCHED/':>17}{'MATCHED/':>17}{'ALL':>17}",
        f"{'':<11}{'ONLY':>15}{'MISSING':>17}{'SPURIOUS':>17}{'TEMPLATES':>17}",
        f"{'':<11}" + "".join(f"{'rec':>{first}}{'pre':>7}" for first in (8, 10, 10, 10)),
    ]
    for i, name in enumerate(runs.ranking("f1"), 1):
        corners = [rows[row][name] for row in ROWS]
        cells = "".join(
            f"{corner.recall:>{8 if k == 0 else 10}.1f}{corner.precision:>7.1f}"
            for k, corner in enumerate(corners)
        )
        lines.append(f"{i:>2} {name:<8}{cells}")
    return Section("Regions of performance: four rows as corners", tuple(lines))


def _observations(runs: Runs) -> Section:
    pairs = len(runs.of("recall"))
    head = f"pairs of {pairs} that differ at .10 in"
    lines = [
        f"{'':<12}{'observations':>16}{head:>38}",
        f"{'exchanged':<12}{'of a system':>16}{'recall':>24}{'precision':>14}",
    ]
    for each in runs.observed:
        number = f"{each.fewest:,}"
        if each.most > each.fewest:
            number += f" to {each.most:,}"
        lines.append(f"{each.item + 's':<12}{number:>16}{each.recall:>24}{each.precision:>14}")
    lines += [
        f"By {FEWER_SHUFFLES} shuffles. Smaller observations are not independent of each other, so",
        "that more pairs seem to differ.",
    ]
    return Section("Messages, templates or slots as observations", tuple(lines))


def _appositives(runs: Runs) -> Section:
    lines = [
        f"{'':<28}{'templates':>12}{'mean R x P':>16}{'systems higher':>16}{'p':>8}",
        f"{'':<28}{'':>12}{'':>16}{'on either':>16}",
    ]
    for each in runs.results.appositives:
        found = each.overall
        templates = ", ".join(str(number) for number in each.templates if number is not None)
        means = [f"{1e4 * mean:.0f}" for mean in (found.mean, found.mean_against)]
        higher = f"{found.higher}, {found.lower}"
        lines.append(
            f"{f'{found.selection}, {found.against}':<28}{templates:>12}{', '.join(means):>16}"
            f"{higher:>16}{p_text(found.p['product']):>8}"
        )
    lines += [
        "Descriptions and types of human targets, where the text has the description",
        "right before the name (preposed), or after it and a comma (postposed); a",
        "conjunction or a missing comma makes it complex. Recall times precision, as in",
        "figures 14 and 15. Exchanged are slots within a message that has both kinds, and",
        "messages that have one.",
    ]
    return Section("Appositives", tuple(lines))


def _share(count: int, of: int) -> str:
    return f"{count:>3} {count / of:>3.0%}" if of else f"{count:>3}"


def _division(name: str, found: Division) -> str:
    shares = [
        _share(count, found.pairs)
        for count in (found.both, found.recall_only, found.precision_only, found.neither)
    ]
    return f"{name:<31}{shares[0]:>7}{shares[1]:>13}{shares[2]:>16}{shares[3]:>9}"


def _more_shuffles(runs: Runs) -> Section:
    less, more = quality(runs, FEWER_SHUFFLES), quality(runs, SHUFFLES)
    tests = len(runs.trials)
    exact = sum(trial.p <= ALPHA for trial in runs.trials.values())
    rows = [
        (f"of {tests} tests", f"{less.shuffles:,}", f"{more.shuffles:,}", "exact"),
        ("different: p <= .10", less.different, more.different, exact),
        ("  and with confidence .99", less.confidently_different, more.confidently_different,
         exact),
        ("decided with confidence .99, either way", less.decided, more.decided, tests),
        ("mean confidence in the decision", f"{less.mean_certainty:.4f}",
         f"{more.mean_certainty:.4f}", 1),
        ("decisions against the exact test", less.against_exact, more.against_exact, 0),
        ("largest error of p", f"{less.largest_error:.4f}", f"{more.largest_error:.4f}", 0),
    ]  # fmt: skip
    lines = [f"{name:<42}{a:>11}{b:>11}{c:>11}" for name, a, b, c in rows]
    return Section("What more shuffles bought", tuple(lines))


def _unsettled(runs: Runs) -> Section:
    open_ones = [trial for trial in runs.trials.values() if trial.unsettled]
    lines = [
        f"{'':<32}{'999 shuffles':>13}{'9,999 shuffles':>16}",
        f"{'metric':<10}{'pair':<15}{'points':>7}{'p':>7}{'conf.':>7}{'p':>8}{'conf.':>7}"
        f"{'exact p':>9}",
    ]
    for trial in sorted(open_ones, key=lambda each: each.p):
        fewer, shuffled = trial.fewer, trial.shuffled
        lines.append(
            f"{METRICS[trial.metric]:<10}{_better_first(trial):<15}"
            f"{100 * abs(trial.difference):>7.2f}{p_text(fewer.p):>7}{fewer.confidence:>7.3f}"
            f"{p_text(shuffled.p):>8}{shuffled.confidence:>7.3f}{p_text(trial.p):>9}"
            f" {'different' if trial.p <= ALPHA else 'not'}"
        )
    if not open_ones:
        lines = ["None: every decision of the shuffles is made with confidence .99 or more."]
    return Section(
        "What 9,999 shuffles leave open at .10, and the exact test settles", tuple(lines)
    )


def _better_first(trial: Trial) -> str:
    return f"{trial.a} {trial.b}" if trial.difference > 0 else f"{trial.b} {trial.a}"


def _spreads(runs: Runs) -> Section:
    lines = [f"{'':<11}{'smallest told apart':<33}largest not told apart"]
    for metric, name in METRICS.items():
        found = spread(runs, metric)
        if found is not None:
            different, alike = (
                f"{100 * abs(trial.difference):>5.2f}  {_better_first(trial):<16} {p_text(trial.p)}"
                for trial in (found.smallest_different, found.largest_alike)
            )
            lines.append(f"{name:<11}{different:<33}{alike:<33}".rstrip())
    return Section("No number of points is a threshold (exact p at .10)", tuple(lines))

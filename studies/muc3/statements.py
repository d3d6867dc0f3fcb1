"""What Chinchor, Hirschman and Lewis (1993) say that the counts of MUC-4 can check."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from studies.core import Statement
from studies.muc3.published import MINIMAL_PAIRS, SET_FILLS, SLOTS, SUMMARY, TEMPLATE_ID, Row
from studies.muc4.raw_files import ROWS, TST3, TST4
from studies.muc4.runs import (
    ALPHA,
    METRICS,
    MUC3,
    Division,
    RowScores,
    Runs,
    better_in_both,
    divide,
    row_scores,
)
from tellapart.comparison.selections import OverallContrast
from tellapart.counts import Counts
from tellapart.formats.reading import example
from tellapart.report.text import p_text
from tellapart.words import listed

PAPER: Final = "Chinchor, Hirschman and Lewis 1993"
_OTHER: Final = "The paper's are of MUC-3, whose counts are not at hand."
_ASKED: Final = "asked of MUC-4"


def statements(runs: Runs) -> Iterator[Statement]:
    """Return all statements, checked, in the order of the paper.

    What is said of MUC-3's systems is asked of those of MUC-4.
    """
    yield from _figure_8()
    tests = len(runs.trials)
    yield Statement(
        PAPER, "sections 4.2, 5.1", "The exact test is out of reach: too many exchanges.",
        "intractable", f"all {tests} tests done exactly",
        "What matters of an exchange is two sums, and these have few values.", False,
        "the exact test",
    )  # fmt: skip
    yield from _observations(runs)
    yield from _sizes(runs)
    yield from _divisions(runs)
    yield from _groups(runs)
    yield from _templates(runs)
    yield from _phenomena(runs)
    yield from _muc4(runs)
    yield _precision_above_recall(runs)


def _figure_8() -> Iterator[Statement]:
    """Return statements on the arithmetic of the printed report."""
    rows = {**SLOTS, **SUMMARY}
    wrong = [name for name, row in rows.items() if not _adds_up(row)]
    yield Statement(
        PAPER, "section 2.3, figure 8", "Possible is correct + partial + incorrect + missing, "
        "actual the same with spurious instead of missing.", f"{len(rows)} rows",
        f"{len(rows) - len(wrong)} rows add up", "", not wrong,
    )  # fmt: skip
    sums = _totals(list(SLOTS))
    without = sums[0] - SLOTS[TEMPLATE_ID].possible
    yield Statement(
        PAPER, "section 2.3, figure 8", "The totals in MATCHED/MISSING are those of the columns "
        "as shown.", f"{SUMMARY['MATCHED/MISSING'].possible} possible",
        f"{sums[0]} = {without} + {SLOTS[TEMPLATE_ID].possible}",
        f"All {len(sums)} columns add up, with {TEMPLATE_ID} among them.",
        sums == SUMMARY["MATCHED/MISSING"].counts,
    )  # fmt: skip
    fills = _totals(SET_FILLS)
    yield Statement(
        PAPER, "section 2.3, figure 8", "SET FILLS ONLY has the totals of slots with finite sets "
        "of fills.", f"{SUMMARY['SET FILLS ONLY'].possible} possible",
        f"{fills[0]}, of {len(SET_FILLS)} slots", "all columns",
        fills == SUMMARY["SET FILLS ONLY"].counts,
    )  # fmt: skip
    lenient, official, strict = (
        SUMMARY[name] for name in ("MATCHED ONLY", "MATCHED/MISSING", "ALL TEMPLATES")
    )
    less = official.possible - lenient.possible, official.missing - lenient.missing
    more = strict.actual - official.actual, strict.spurious - official.spurious
    others = {(row.correct, row.partial, row.incorrect) for row in (lenient, official, strict)}
    yield Statement(
        PAPER, "section 2.3, figure 8", "Fills of missing templates count in MATCHED/MISSING and "
        "not in MATCHED ONLY, those of spurious templates in ALL TEMPLATES alone.",
        "three rows", f"{less[0]} possible and {less[1]} missing fills; {more[0]} actual and "
        f"{more[1]} spurious ones", "all else is the same in the three rows",
        less[0] == less[1] > 0 and more[0] == more[1] > 0 and len(others) == 1,
    )  # fmt: skip
    slips = {name: found for name, row in rows.items() if (found := _slips(row))}
    shown = "; ".join(f"{name}: {', '.join(found)}" for name, found in slips.items())
    yield Statement(
        PAPER, "section 2.3, figure 8", "Recall, precision and overgeneration are worked out from "
        "the totals of their row.", f"{3 * len(rows)} whole percentages",
        f"{3 * len(rows) - sum(map(len, slips.values()))} come out; {shown}" if slips else "all",
        "rounded to whole percentages", not slips,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 1.4.5", "A second evaluator has 87% recall and 91% precision.", "87, 91",
        f"{_percent(official, official.possible):.1f}, {_percent(official, official.actual):.1f}",
        "from the counts of MATCHED/MISSING",
        (round(_percent(official, official.possible)), round(_percent(official, official.actual)))
        == (87, 91),
    )  # fmt: skip


def _adds_up(row: Row) -> bool:
    both = row.correct + row.partial + row.incorrect
    return (row.possible, row.actual) == (both + row.missing, both + row.spurious)


def _totals(slots: Sequence[str]) -> tuple[int, ...]:
    return tuple(
        sum(column) for column in zip(*(SLOTS[slot].counts for slot in slots), strict=True)
    )


def _percent(row: Row, of: int) -> float:
    return 100 * (row.correct + row.partial / 2) / of


def _slips(row: Row) -> list[str]:
    """Return the percentages of a row that are not those of its counts, rounded either way."""
    found = []
    for name, printed, value in (
        ("recall", row.recall, _percent(row, row.possible)),
        ("precision", row.precision, _percent(row, row.actual)),
        ("overgeneration", row.overgeneration, 100 * row.spurious / row.actual),
    ):
        if abs(printed - value) > 0.5:
            found.append(f"{name} {printed} for {value:.2f}")
    return found


def _observations(runs: Runs) -> Iterator[Statement]:
    possible = runs.counts.column("pos").sum(axis=1)
    yield Statement(
        PAPER, "section 4.4", "Messages are as many for every system; slots are not, since "
        "optional ones count only where a system fills them.", "100; 2,771 or more (MUC-3)",
        f"{len(runs.counts.items)}; {possible.min():,} to {possible.max():,} possible fills",
        _ASKED, bool(possible.min() < possible.max()), qualified="other",
    )  # fmt: skip
    if runs.observed:
        shown = [
            f"{each.item}s {each.fewest:,}"
            + (f" to {each.most:,}" if each.most > each.fewest else "")
            for each in runs.observed
        ]
        numbers = [each.fewest for each in runs.observed]
        exact = [each.item for each in runs.observed if each.fewest == each.most]
        yield Statement(
            PAPER, "section 4.4", "Of messages, templates and slots, messages are the smallest and "
            "the only exact number of observations.", "100; 163 or more; 2,771 or more",
            "; ".join(shown), _ASKED, numbers == sorted(numbers) and exact == ["message"],
            qualified="other",
        )  # fmt: skip


def _sizes(runs: Runs) -> Iterator[Statement]:
    """Very different scores, and very close ones."""
    far, near, holds = [], [], True
    for metric in ("recall", "precision"):
        trials = runs.of(metric)
        sizes = [100 * abs(trial.difference) for trial in trials]
        weak = [size for size, trial in zip(sizes, trials, strict=True) if trial.p >= 0.01]
        told = [size for size, trial in zip(sizes, trials, strict=True) if trial.p <= ALPHA]
        above, below = max(weak, default=0.0), min(told, default=100.0)
        far.append(f"{metric} {above:.1f}")
        near.append(f"{metric} {below:.1f}")
        holds = holds and above < max(sizes) and below > min(sizes)
    yield Statement(
        PAPER, "section 5.2", "Scores that are very different have a level below 0.01, those that "
        "are very close one above 0.10.", "intuitive",
        f"below 0.01 whenever more points apart than: {', '.join(far)}; above 0.10 whenever fewer "
        f"than: {', '.join(near)}", "Asked of MUC-4, exact. How much is very different the "
        "paper does not say.", holds, qualified="weak",
    )  # fmt: skip


def _divisions(runs: Runs) -> Iterator[Statement]:
    ours = divide(runs, ALPHA, "shuffles")
    yield Statement(
        PAPER, "section 5.2", "At 0.10 most pairs differ in both scores, hardly any in neither.",
        _words(MUC3), _words(ours), f"{_OTHER} The published numbers add up.",
        2 * ours.both > ours.pairs and 10 * ours.neither < ours.pairs, qualified="other",
    )  # fmt: skip
    strict = divide(runs, 0.01, "rule")
    one = strict.recall_only + strict.precision_only
    yield Statement(
        PAPER, "section 5.2", "At 0.01, with confidence, 33 of 105 pairs differ in both scores "
        "and 12 in neither.", "33, 12 of 105", f"{strict.both}, {strict.neither} of {strict.pairs}",
        _OTHER, None,
    )  # fmt: skip
    # The paper's own numbers: 33 pairs differ in both and 12 in neither, so 60 differ in one.
    tests, pairs = 2 * 33 + (105 - 33 - 12), 105 - 12
    yield Statement(
        PAPER, "section 5.2", "At 0.01 60% (126 out of 210) differ in at least one of their "
        "scores.", "126 of 210", f"by the paper's own numbers {pairs} of 105 pairs (89%)",
        f"126 of 210 is the number of tests that reject: 2 x 33 + 60 = {tests}. In MUC-4 "
        f"{strict.both + one} of {strict.pairs} pairs differ in at least one score.", False,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 5.2", "One system is better in both scores, at 0.01 with confidence, in "
        "24% of the pairs.", "25 of 105", f"{better_in_both(runs)} of {ours.pairs}", _OTHER, None,
    )  # fmt: skip
    some = ours.pairs - ours.neither
    yield Statement(
        PAPER, "section 5.2", "The results distinguish most of the systems.", "103 of 105 pairs",
        f"{some} of {ours.pairs} pairs", "asked of MUC-4, in recall or precision at 0.10",
        2 * some > ours.pairs, qualified="other",
    )  # fmt: skip


def _words(found: Division) -> str:
    parts = [
        f"{count} ({count / found.pairs:.0%})"
        for count in (
            found.both, found.recall_only + found.precision_only, found.recall_only,
            found.precision_only, found.neither,
        )
    ]  # fmt: skip
    return (
        f"of {found.pairs}: both {parts[0]}, one {parts[1]}: recall {parts[2]}, precision "
        f"{parts[3]}; neither {parts[4]}"
    )


def _groups(runs: Runs) -> Iterator[Statement]:
    """Return statements on the three sentences that say what a group is."""
    total, mixed, alone, alone_differ, shared_hold = 0, 0, 0, 0, True
    for metric in METRICS:
        groups = runs.exact.groups[metric]
        names = set(runs.counts.names)
        for group in groups:
            total += 1
            outside = names - set(group)
            open_pairs = any(runs.trial(metric, a, b).p > ALPHA for a in group for b in outside)
            mixed += open_pairs
            alone += len(group) == 1
            alone_differ += len(group) == 1 and not open_pairs
        for first, second in combinations(groups, 2):
            shared = set(first) & set(second)
            both = set(first) | set(second)
            shared_hold = shared_hold and all(
                runs.trial(metric, a, b).p > ALPHA for a in shared for b in both - {a}
            )
    yield Statement(
        PAPER, "section 5.2", "All members of a group differ from all systems outside it.",
        "every group", f"{total - mixed} of {total} groups",
        "As it stands this holds only for groups that overlap with no other.", mixed == 0,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 5.2", "A system that is alone in its group differs from all others.",
        "every one", f"{alone_differ} of {alone}", "Exact, all metrics. Groups are made so.",
        alone == alone_differ, qualified="weak",
    )  # fmt: skip
    yield Statement(
        PAPER, "section 5.2", "Systems where groups overlap differ from no one in either group.",
        "all of them", "all of them" if shared_hold else "not all",
        "Exact, all metrics. Groups are made so.", shared_hold, qualified="weak",
    )  # fmt: skip


def _templates(runs: Runs) -> Iterator[Statement]:
    """Return statements on the numbers of messages and templates of MUC-3."""
    yield Statement(
        PAPER, "sections 4.4, 5.3", "65 messages have templates, 128 in all, and 35 have an empty "
        "one: the 100 messages and 163 templates of before.", "100; 163",
        f"{65 + 35}; {128 + 35}", "from the paper's own numbers", (65 + 35, 128 + 35) == (100, 163),
    )  # fmt: skip
    if runs.results.muc3_key is not None:
        messages, templates = runs.results.muc3_key
        yield Statement(
            PAPER, "section 5.3", "There were 65 relevant messages, with 128 templates.",
            "65; 128", f"{messages}; {templates}",
            "In the key of TST2 as it was made over for MUC-4, not that of MUC-3.", None,
        )  # fmt: skip


def _phenomena(runs: Runs) -> Iterator[Statement]:
    """Return statements on the experiment with appositives."""
    contrasts = {each.overall.selection: each.overall for each in runs.results.appositives}
    yield _differently(contrasts.get("apposition"))
    yield _easier(contrasts.get("simple"))
    yield _no_trend(contrasts.get("postposed"))
    drops = [[before - after for before, after in (pair[k] for pair in MINIMAL_PAIRS.values())]
             for k in (0, 1)]  # fmt: skip
    means = [math.fsum(each) / len(each) for each in drops]
    yield Statement(
        PAPER, "section 6.3, figure 16", "With sentences instead of appositives recall drops by "
        "about 5% and precision by 9%.", "5; 9",
        f"{' and '.join(map(str, drops[0]))}; {' and '.join(map(str, drops[1]))} points",
        "from the scores of the figure", all(abs(mean - published) <= 0.5 for mean, published
                                             in zip(means, (5, 9), strict=True)),
    )  # fmt: skip


_LISTS: Final = (
    "The lists of slots that depend on appositives are not at hand; with raw files and texts.txt, "
    "--data, some are found."
)
_FOUND: Final = "Asked of MUC-4, of appositives that were found in its texts"


def _differently(found: OverallContrast | None) -> Statement:
    """Return whether slots with appositives are scored differently from all others."""
    claim = "Systems score differently on appositives than on the whole test."
    place = "section 6.3, figure 13"
    if found is None:
        return Statement(PAPER, place, claim, "quite different", "-", _LISTS, None)
    higher, lower, p = found.higher, found.lower, found.p["product"]
    decided = p is not None and p <= ALPHA
    return Statement(
        PAPER, place, claim, "quite different",
        f"by recall times precision {higher} of {found.systems} systems score higher there than on "
        f"all other slots, {lower} lower; p = {p_text(p)}", f"{_FOUND}.",
        True if decided else None, qualified="other" if decided else "open",
    )  # fmt: skip


def _easier(found: OverallContrast | None) -> Statement:
    """Return whether simple appositives are easier than complex ones."""
    claim = "Systems score higher on simple appositives than on complex ones."
    place = "section 6.3, figure 14"
    if found is None:
        return Statement(PAPER, place, claim, "as predicted", "-", _LISTS, None)
    higher, lower, p = found.higher, found.lower, found.p["product"]
    decided = p is not None and p <= ALPHA
    return Statement(
        PAPER, place, claim, "as predicted",
        f"by recall times precision {higher} of {found.systems} systems do, {lower} score lower; "
        f"p = {p_text(p)}", f"{_FOUND}. Systems answer the same slots; p is of the slots.",
        higher > lower if decided else None, qualified="other" if decided else "open",
    )  # fmt: skip


def _no_trend(found: OverallContrast | None) -> Statement:
    """Return whether postposed and preposed appositives are equally hard."""
    claim = "Systems score differently on postposed and preposed appositives, with no clear trend."
    place = "section 6.3, figure 15"
    if found is None:
        return Statement(PAPER, place, claim, "no clear trend", "-", _LISTS, None)
    higher, lower, p = found.higher, found.lower, found.p["product"]
    trend = p is not None and p <= ALPHA
    return Statement(
        PAPER, place, claim, "no clear trend",
        f"by recall times precision {higher} of {found.systems} systems score higher on postposed "
        f"ones, {lower} on preposed ones; p = {p_text(p)}",
        f"{_FOUND}. That no trend is found does not show that there is none.", not trend,
        qualified="other" if trend else "weak",
    )  # fmt: skip


def _muc4(runs: Runs) -> Iterator[Statement]:
    """Return what the paper says of MUC-4, as far as these results are of the set it speaks of."""
    systems, items = len(runs.counts.names), len(runs.counts.items)
    which = runs.results.test_set
    if which in (TST3, TST4):
        yield Statement(
            PAPER, "section 7.5", f"MUC-4 evaluated 17 systems, on the 100 messages of {which}.",
            "17; 100", f"{systems}; {items}", "", (systems, items) == (17, 100),
        )  # fmt: skip
    if which == TST4:
        yield _agreement(runs)
    rows = row_scores(runs.results)
    if rows:
        yield _regions(rows)


def _agreement(runs: Runs) -> Statement:
    """Return how the scores on TST4 go with those on TST3, which are built in."""
    there = {name: 100 * (total["cor"] + total["par"] / 2) * 2 / (total["pos"] + total["act"])
             for name, total in _sums(example("muc4"))}  # fmt: skip
    here = {name: runs.score(name, "f1") for name in runs.counts.names}
    names = sorted(here)
    pairs = list(combinations(names, 2))
    same = sum((here[a] - here[b]) * (there[a] - there[b]) > 0 for a, b in pairs)
    change = math.fsum(here[name] - there[name] for name in names) / len(names)
    return Statement(
        PAPER, "section 7.5", "Scores on TST4 were largely in agreement with those on TST3.",
        "largely in agreement",
        f"{same} of {len(pairs)} pairs in the same order by F; {change:+.1f} points on average",
        "What is largely the paper does not say; three quarters count here.",
        4 * same >= 3 * len(pairs),
    )  # fmt: skip


def _sums(counts: Counts) -> list[tuple[str, dict[str, int]]]:
    return [
        (name, dict(zip(counts.columns, sums, strict=True)))
        for name, sums in zip(counts.names, counts.summed().tolist(), strict=True)
    ]


def _regions(rows: Mapping[str, Mapping[str, RowScores]]) -> Statement:
    """Return whether the four rows are the corners of a rectangle for every system."""
    corners = 0
    for name in rows["all-templates"]:
        lenient, missing, spurious, strict = (rows[row][name] for row in ROWS)
        corners += (
            missing.recall == strict.recall <= lenient.recall == spurious.recall
            and spurious.precision == strict.precision <= lenient.precision == missing.precision
        )
    return Statement(
        PAPER, "section 7.5", "Four rows of the summary are the corners of a system's region of "
        "performance.", "each system", f"corners of a rectangle for {corners} of "
        f"{len(rows['all-templates'])} systems", "Follows from how the rows count.",
        corners == len(rows["all-templates"]), qualified="weak",
    )  # fmt: skip


def _precision_above_recall(runs: Runs) -> Statement:
    """Return for how many systems it is so, in the row that was official in MUC-3 if at hand."""
    rows = row_scores(runs.results).get("matched-missing")
    scores = rows or {
        name: RowScores(runs.score(name, "recall"), runs.score(name, "precision"))
        for name in runs.counts.names
    }
    rest = [name for name, each in scores.items() if each.recall >= each.precision]
    return Statement(
        PAPER, "section 8", "All systems performed worse in recall than in precision.", "all 15",
        f"{len(scores) - len(rest)} of {len(scores)}" + (f"; not {listed(rest)}" if rest else ""),
        f"Asked of MUC-4, {'MATCHED/MISSING' if rows else 'ALL TEMPLATES'}; the paper's are "
        "MATCHED/MISSING.", not rest, qualified="other",
    )  # fmt: skip

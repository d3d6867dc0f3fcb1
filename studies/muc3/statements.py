"""What Chinchor, Hirschman and Lewis (1993) say that the counts of MUC-4 can check."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from studies.core import Statement
from studies.muc4.runs import ALPHA, METRICS, MUC3, Division, Runs, better_in_both, divide
from studies.muc4.statements import one_message_and_all

PAPER: Final = "Chinchor, Hirschman and Lewis 1993"
_OTHER: Final = "The paper's are of MUC-3, whose counts are not at hand."


def statements(runs: Runs) -> Iterator[Statement]:
    """Return all statements, checked, in the order of the paper."""
    tests = len(runs.trials)
    yield Statement(
        PAPER, "sections 4.2, 5.1", "The exact test is out of reach: too many exchanges.",
        "intractable", f"all {tests} tests done exactly",
        "What matters of an exchange is two sums, and these have few values.", False,
        "the exact test",
    )  # fmt: skip
    yield _observations(runs)
    yield from one_message_and_all(PAPER, "section 4.4")
    yield from _sizes(runs)
    yield from _divisions(runs)
    yield from _groups(runs)
    systems, items = len(runs.counts.names), len(runs.counts.items)
    yield Statement(
        PAPER, "section 7.5", "MUC-4 evaluated 17 systems, on the 100 messages of TST3.",
        "17; 100", f"{systems}; {items}", "", (systems, items) == (17, 100),
    )  # fmt: skip


def _observations(runs: Runs) -> Statement:
    column = runs.counts.columns.index("pos")
    possible = runs.counts.values[:, :, column].sum(axis=1)
    return Statement(
        PAPER, "section 4.4", "Messages are as many for every system; slots are not, since "
        "optional ones count only where a system fills them.", "100; 2,771 or more (MUC-3)",
        f"{len(runs.counts.items)}; {possible.min():,} to {possible.max():,} possible fills",
        "asked of MUC-4", bool(possible.min() < possible.max()),
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
        _words(MUC3), _words(ours), f"{_OTHER} The published numbers add up.", None,
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
        2 * some > ours.pairs,
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
        "every one", f"{alone_differ} of {alone}", "exact, all metrics", alone == alone_differ,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 5.2", "Systems where groups overlap differ from no one in either group.",
        "all of them", "all of them" if shared_hold else "not all", "exact, all metrics",
        shared_hold,
    )  # fmt: skip

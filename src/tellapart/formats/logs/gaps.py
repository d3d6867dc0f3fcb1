"""Items and runs of logs that have no score: they failed, or were run and not scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tellapart.errors import Notice
from tellapart.formats.logs.metric_names import Columns
from tellapart.formats.logs.samples import Sample
from tellapart.words import listed, several

KIND: Final = "item"
_SHOWN: Final = 100


@dataclass(slots=True)
class Gaps:
    """What one system lacks."""

    system: str
    failed: dict[str, str] = field(default_factory=dict)
    """Items without a score that ended in an error, and which"""
    unscored: list[str] = field(default_factory=list)
    """Items that were run but have no score"""
    failed_runs: list[str] = field(default_factory=list)
    """The item of each failed run, where other runs of the item have a score"""
    unscored_runs: list[str] = field(default_factory=list)

    @property
    def items(self) -> tuple[str, ...]:
        """All items of the log that have no score."""
        return (*self.failed, *self.unscored)


def find_gaps(system: str, attempts: Mapping[str, Sequence[Sample]], columns: Columns) -> Gaps:
    """Sort out what has no score; `attempts` are the runs of each item."""
    gaps = Gaps(system)
    for item, samples in attempts.items():
        lacking = [s for s in samples if any(key not in s.values for key in columns.values())]
        if any(all(key not in s.values for s in samples) for key in columns.values()):
            error = next((s.error for s in lacking if s.error), "")
            if error:
                gaps.failed[item] = error
            else:
                gaps.unscored.append(item)
        else:
            gaps.failed_runs += [item for s in lacking if s.error]
            gaps.unscored_runs += [item for s in lacking if not s.error]
    return gaps


def told_first(gaps: Sequence[Gaps]) -> str:
    """Begin the refusal of missing items: say which were run, and why they have no score."""
    told = ""
    for each in gaps:
        name = listed([each.system])
        if each.failed:
            reason = " ".join(next(iter(each.failed.values())).split())[:_SHOWN]
            told += f"{several(len(each.failed), KIND)} failed in {name} ({reason}); "
        if each.unscored:
            number = several(len(each.unscored), KIND)
            told += f"{number} of {name} {_have(each.unscored)} no score; "
    return told


def gap_notices(gaps: Sequence[Gaps], missing: str, left: int) -> Iterator[Notice]:
    """Tell what became of items and runs without a score, of which `left` items remain."""
    done = {
        "drop": f"dropped for all systems, not counted as wrong ({left} left)",
        "own": "left out, not counted as wrong",
        "zero": "counted as 0, as asked",
    }
    for each in gaps:
        name = listed([each.system])
        for code, found, items in (
            ("failed", "failed", tuple(each.failed)),
            ("no-score", f"{_have(each.unscored)} no score", tuple(each.unscored)),
        ):
            if items and missing in done:
                text = f"{several(len(items), KIND)} {found} in {name}; {_were(items)}"
                yield Notice(code, f"{text} {done[missing]}.", items)
        for code, found, runs in (
            ("failed", "failed", each.failed_runs),
            ("no-score", f"{_have(each.unscored_runs)} no score", each.unscored_runs),
        ):
            if runs:
                items = tuple(dict.fromkeys(runs))
                text = f"{several(len(runs), 'run')} of {several(len(items), KIND)} {found} in "
                text += f"{name}; {_were(runs)} left out of the means, not counted as wrong."
                yield Notice(code, text, items)


def _have(things: Sequence[str]) -> str:
    return "has" if len(things) == 1 else "have"


def _were(things: Sequence[str]) -> str:
    return "it was" if len(things) == 1 else "they were"

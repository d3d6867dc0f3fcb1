"""Entities, as readers of tags and of spans report them: in words, and type by type."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tellapart.counts import Counts
from tellapart.formats.contract import Report
from tellapart.formats.plain_report import plain_report


@dataclass(frozen=True, slots=True)
class Totals:
    """How many entities are right, how many a system found, and how many there are.

    >>> Totals(correct=1, found=2, gold=4).f1
    0.3333333333333333
    """

    correct: float = 0
    found: float = 0
    gold: float = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.correct + other.correct, self.found + other.found, self.gold + other.gold
        )

    def over(self, runs: int) -> Totals:
        """Return the means over a number of runs."""
        return self if runs == 1 else Totals(*(_whole(n / runs) for n in self._counts))

    @property
    def precision(self) -> float:
        """What part of the found is right; 0 where nothing was found."""
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """What part of what there is was found; 0 where there is nothing."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.correct / (self.found + self.gold) if self.found or self.gold else 0.0

    @property
    def _counts(self) -> tuple[float, float, float]:
        return self.correct, self.found, self.gold

    def record(self) -> dict[str, float]:
        """Return all numbers by name."""
        names = ("correct", "found", "gold", "precision", "recall", "f1")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class EntityReport:
    """One system's entities type by type; of tags also how many tokens have the right one."""

    types: Mapping[str, Totals]
    tokens: int | None = None
    accuracy: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return the report as numbers."""
        tokens = {} if self.tokens is None else {"tokens": self.tokens, "accuracy": self.accuracy}
        types = {name: totals.record() for name, totals in self.types.items()}
        return {**self.more, **tokens, "types": types}

    def text(self, name: str) -> str:
        """Return the report laid out as conlleval does, under the system's name."""
        total = sum(self.types.values(), Totals())
        tokens = "" if self.tokens is None else f"{self.tokens} tokens with "
        accuracy = "" if self.accuracy is None else f"accuracy: {100 * self.accuracy:6.2f}%; "
        lines = [
            f"System: {name}",
            f"processed {tokens}{total.gold:g} phrases; found: {total.found:g} phrases; "
            f"correct: {total.correct:g}.",
            f"{accuracy}{_percentages(total)}",
        ]
        lines += [
            f"{name:>17}: {_percentages(totals)}  {totals.found:g}"
            for name, totals in self.types.items()
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class EntityScores:
    """Counts of entities per item, and the report of each system."""

    counts: Counts
    reports: Mapping[str, EntityReport]


def system_reports(
    files: Mapping[str, Sequence[str]], reports: Iterable[EntityReport]
) -> dict[str, EntityReport]:
    """Return the mean report of each system, given its files and the reports of all in order."""
    rest = iter(reports)
    return {name: _mean([next(rest) for _ in paths]) for name, paths in files.items()}


def _mean(runs: Sequence[EntityReport]) -> EntityReport:
    names = sorted({name for run in runs for name in run.types})
    types = {
        name: sum((run.types.get(name, Totals()) for run in runs), Totals()).over(len(runs))
        for name in names
    }
    rates = [run.accuracy for run in runs if run.accuracy is not None]
    accuracy = math.fsum(rates) / len(rates) if rates else None
    return EntityReport(types, runs[0].tokens, accuracy, runs[0].more)


def in_words(entities: Iterable[tuple[str, str]]) -> str:
    """Return the entities of an item in one line.

    >>> in_words([("PER", "Anna Smith"), ("LOC", "Ivrea")])
    'PER: Anna Smith; LOC: Ivrea'
    """
    return "; ".join(f"{name}: {text}" for name, text in entities)


def _percentages(totals: Totals) -> str:
    return (
        f"precision: {100 * totals.precision:6.2f}%; recall: {100 * totals.recall:6.2f}%; "
        f"FB1: {100 * totals.f1:6.2f}"
    )


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number


def entity_report(found: EntityScores, metrics: Sequence[str]) -> Report:
    """Return each system's scores, with its report laid out as conlleval does."""
    plain = plain_report(found.counts, metrics)
    reports = found.reports
    systems = (
        replace(each, report=reports[each.name].record(), text=reports[each.name].text(each.name))
        for each in plain.systems
    )
    return replace(plain, systems=tuple(systems))

"""The record of a comparison by a judge whom people checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tellapart.errors import Notice, UsageError
from tellapart.registered import registered
from tellapart.significance.agreement import Agreement
from tellapart.words import json_text, several
from tellapart.writing import refuse_replacing, write_text

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean or a difference with its interval and p-value."""

    value: float
    interval: Ends
    p: float

    def mirrored(self) -> Measured:
        """Return the same seen from the other system."""
        low, high = self.interval
        return Measured(0.0 - self.value, (0.0 - high, 0.0 - low), self.p)


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """One system: its score by judge and people together, and how the judge does on it."""

    name: str
    labels: int
    """Items that people looked at"""
    score: float
    interval: Ends
    judge: float
    """The judge's mean, over all items"""
    people: float
    """People's mean, over the labelled items"""
    people_interval: Ends
    worth: float
    """Labels that, without a judge, would tell the score as well"""
    bias: Measured | None
    """Judge minus people; None where they use different scales"""
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """First system minus second: by judge and people together, by each alone, and whom it favours.

    `p_adjusted` and `different` are of both together; each alone is corrected for the same pairs.
    """

    a: str
    b: str
    labels: int
    """Items of which people saw both systems"""
    both: Measured
    judge: Measured
    people: Measured
    p_adjusted: float
    different: bool
    favours: str | None
    """The system that is shown to be better"""
    judge_favours: str | None
    """The system that the judge alone would call better, by the same correction"""
    worth: float
    """Labels of both systems that, without a judge, would tell the difference as well"""
    weight: float
    """Of the judge's scores in the estimate"""
    favour: Measured | None
    """How much more the judge gives to the first system than people do, than it gives to the
    second; None where judge and people use different scales"""
    favour_p_adjusted: float | None
    favoured: str | None
    """The system that the judge is shown to favour"""
    judge_p_adjusted: float
    people_p_adjusted: float

    def mirrored(self) -> JudgedPair:
        """Return the same seen from the second system."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            both=self.both.mirrored(),
            judge=self.judge.mirrored(),
            people=self.people.mirrored(),
            favour=None if self.favour is None else self.favour.mirrored(),
        )


@dataclass(frozen=True, slots=True, repr=False)
class JudgedComparison:
    """Systems, pairs and warnings of a comparison by a judge whom people checked.

    >>> import tellapart as ta
    >>> judge = {"A": [1, 1, 0, 1] * 25, "B": [1, 0, 0, 1] * 25}
    >>> people = {name: [*given[:40], *[None] * 60] for name, given in judge.items()}
    >>> result = ta.compare_judged(ta.JudgedScores.from_arrays(judge, people))
    >>> result.items, result.labelled, result.pair("A", "B").different
    (100, 40, True)
    """

    tellapart: str
    signature: str
    alpha: float
    correction: str
    judge: str
    """The name of the judge's score"""
    people: str
    """The name of people's score"""
    higher_is_better: bool
    items: int
    labelled: int
    """Items of which people saw at least one system"""
    kind: str
    cluster: str | None
    strata: str | None
    baseline: str | None
    same_scale: bool
    systems: tuple[JudgedSystem, ...]
    pairs: tuple[JudgedPair, ...]
    warnings: tuple[Notice, ...]
    interval_level: float
    """Of the intervals of scores; those of several pairs hold for all at once at this level"""
    files: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def pair(self, a: str, b: str) -> JudgedPair:
        """Return the result of a minus b."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.b, pair.a) == (a, b):
                return pair.mirrored()
        names = ", ".join(system.name for system in self.systems)
        raise UsageError(f"no comparison of {a!r} and {b!r}; systems are {names}")

    @property
    def verdict(self) -> str:
        """The finding in a few sentences."""
        return str(registered("judged_verdict")(self))

    def __str__(self) -> str:
        return str(registered("judged_text")(self))

    def __repr__(self) -> str:
        systems = several(len(self.systems), "system")
        return f"<JudgedComparison: {systems}, {self.labelled} of {self.items} labelled>"

    def to_json(self) -> str:
        """Return the record as JSON; the same comparison gives the same bytes."""
        record: dict[str, Any] = asdict(self)
        del record["files"]
        return json_text(record)

    def save_json(self, path: str | Path) -> None:
        """Write the record as JSON: whole or not at all."""
        refuse_replacing([path], self.files)
        write_text(path, self.to_json())

    def save_html(self, path: str | Path) -> None:
        """Write the report as one page: whole or not at all."""
        refuse_replacing([path], self.files)
        write_text(path, str(registered("judged_page")(self)))

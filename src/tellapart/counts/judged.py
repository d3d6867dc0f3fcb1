"""Scores by an automatic judge on all items, and by people on some of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.counts import Condition, Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, nearest, no_label, plural, several

Floats = NDArray[np.float64]
STRATUM: Final = "stratum"
"""The label within whose values the items that people saw were drawn"""
_SHOWN = 5  # items in a message


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedScores:
    """Systems × items twice: what the judge says of all, and what people say of some.

    >>> scores = JudgedScores.from_arrays({"A": [1, 0, 1]}, {"A": [1, None, 0]})
    >>> scores
    <JudgedScores: 1 system × 3 items, 2 of them labelled by people>
    """

    names: tuple[str, ...]
    items: tuple[str, ...]
    judge: Floats  # systems × items
    people: Floats  # systems × items; NaN where nobody looked
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kind: str = "item"
    judge_name: str = "judge"
    people_name: str = "human"
    higher_is_better: bool = True
    notices: tuple[Notice, ...] = ()
    files: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls,
        judge: Mapping[str, Any],
        human: Mapping[str, Any],
        items: Sequence[str] | None = None,
        labels: Mapping[str, Sequence[str]] | None = None,
        kind: str = "item",
    ) -> JudgedScores:
        """Return scores given as one array per system; NaN or None is an item nobody looked at."""
        for name in human:
            if name not in judge:
                raise DataError(
                    f"people scored the system {name!r}, which the judge did not; "
                    f"{nearest(name, list(judge))}"
                )
        all_items = Counts.from_arrays(judge, items=items, labels=labels, kind=kind, form="items")
        shape = len(all_items.names), len(all_items.items)
        people = np.full(shape, np.nan)
        for name, values in human.items():
            people[all_items.names.index(name)] = _with_gaps(name, values, shape[1])
        return _checked(
            cls(
                all_items.names,
                all_items.items,
                _values(all_items, 0),
                people,
                all_items.labels,
                kind,
            )
        )

    @classmethod
    def from_counts(cls, judge: Counts, human: Counts, metric: str | None = None) -> JudgedScores:
        """Return the ready values of two readings: the judge's of all items, people's of some.

        Systems and items are matched by name. `metric` names the judge's value where there are
        several. The human counts are read with ``missing="own"``, so that they know which items of
        which system people saw.

        >>> judge = Counts.from_arrays({"A": [1, 0, 1]}, items=["q1", "q2", "q3"])
        >>> people = Counts.from_arrays({"A": [0, 1]}, items=["q3", "q1"])
        >>> JudgedScores.from_counts(judge, people).people.tolist()
        [[1.0, nan, 0.0]]
        """
        c, d = _column(judge, metric, "the judge"), _column(human, None, "people")
        if len(judge.names) == len(human.names) == 1:  # whatever their files are called
            human = replace(human, names=judge.names)
        missing = [name for name in judge.names if name not in human.names]
        if missing:
            raise DataError(
                f"people scored nothing of {listed(missing)}: their scores are of "
                f"{listed(human.names)}; give the systems the same names"
            )
        place = {item: k for k, item in enumerate(judge.items)}
        unknown = [item for item in human.items if item not in place]
        if len(unknown) == len(human.items):
            raise DataError(
                f"people and the judge scored no {judge.kind} in common: people "
                f"{listed(human.items, _SHOWN)}, the judge {listed(judge.items, _SHOWN)}; check "
                "the ids"
            )
        known = [k for k, item in enumerate(human.items) if item in place]
        at = [place[human.items[k]] for k in known]
        rows = [human.names.index(name) for name in judge.names]
        given = _values(human, d)[rows][:, known]
        if human.present is not None:
            given = np.where(human.present[rows][:, known], given, np.nan)
        people = np.full((len(judge.names), len(judge.items)), np.nan)
        people[:, at] = given
        labels = {**_spread_labels(human, judge, place), **judge.labels}
        scores = cls(
            judge.names,
            judge.items,
            _values(judge, c),
            people,
            labels,
            judge.kind,
            judge.columns[c],
            human.columns[d],
            judge.columns[c] not in judge.lower,
            (*judge.notices, *human.notices, *_unjudged(unknown, judge.kind), *_alike(judge)),
            tuple(dict.fromkeys((*judge.files, *human.files))),
        )
        return _checked(scores)

    @classmethod
    def unlabelled(cls, judge: Counts, metric: str | None = None) -> JudgedScores:
        """Return a judge's scores of which people have seen none yet.

        >>> judge = Counts.from_arrays({"A": [1, 0, 1]}, items=["q1", "q2", "q3"])
        >>> JudgedScores.unlabelled(judge)
        <JudgedScores: 1 system × 3 items, 0 of them labelled by people>
        """
        c = _column(judge, metric, "the judge")
        name = judge.columns[c]
        own = judge.with_values([name])
        if own.present is not None:
            own = own.keep(np.flatnonzero(own.present.all(axis=0)))
        others = {column for column in judge.columns if column != name}
        kept = tuple(each for each in judge.notices if not others & set(each.affected))
        values = _values(own, c)
        return cls(
            own.names,
            own.items,
            values,
            np.full_like(values, np.nan),
            own.labels,
            own.kind,
            name,
            higher_is_better=name not in judge.lower,
            notices=(*kept, *_perhaps_people(judge, others)),
            files=judge.files,
        )

    @property
    def extent(self) -> str:
        """How many systems and items there are, and how many of these people labelled, in words."""
        seen = int((~np.isnan(self.people)).any(axis=0).sum())
        shape = f"{several(len(self.names), 'system')} × {several(len(self.items), self.kind)}"
        return f"{shape}, {seen:,} of them labelled by people"

    def __repr__(self) -> str:
        return f"<JudgedScores: {self.extent}>"

    def codes(self, label: str) -> NDArray[np.intp]:
        """Return the number of each item's value of a label; every item must have one."""
        if label not in self.labels:
            raise UsageError(no_label(label, tuple(self.labels)))
        values = self.labels[label]
        if "" in values:
            lost = self.items[values.index("")]
            raise DataError(f"{self.kind} {lost!r} has no {label!r}; all need one for that")
        index: dict[str, int] = {}
        return np.fromiter((index.setdefault(v, len(index)) for v in values), np.intp)

    def choose(self, names: Sequence[str]) -> JudgedScores:
        """Return the scores of some systems."""
        for name in names:
            if name not in self.names:
                raise UsageError(f"there is no system {name!r}; {nearest(name, self.names)}")
        rows = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), judge=self.judge[rows], people=self.people[rows])

    def where(self, conditions: Mapping[str, Condition]) -> JudgedScores:
        """Return the items whose labels are as wanted: a value, one of several, or a function."""
        places = {"place": np.arange(len(self.items))}
        rows = Counts.from_arrays(places, items=self.items, labels=self.labels, kind=self.kind)
        kept = rows.where(conditions)
        at = kept.values[0, :, 0]
        return _checked(
            replace(
                self,
                items=kept.items,
                judge=self.judge[:, at],
                people=self.people[:, at],
                labels=kept.labels,
            )
        )

    def errors(self, names: bool | Sequence[str] = True) -> JudgedScores:
        """Return the scores as errors, of which fewer are better; names are the judge's, people's.

        >>> scores = JudgedScores.from_arrays({"A": [1, 0, 1]}, {"A": [1, None, 0]})
        >>> scores.errors().higher_is_better
        False
        """
        known = self.judge_name, self.people_name
        for name in () if isinstance(names, bool) else names:
            if name not in known:
                raise UsageError(
                    f"--lower-is-better names {name!r}; the scores are {listed(known)}"
                )
        return replace(self, higher_is_better=not names)

    def digest(self) -> str:
        """Return a short text that is the same for the same scores, whatever their order."""
        order = np.argsort(np.array(self.items, dtype=object))
        found = hashlib.sha256(ascii(tuple(self.items[k] for k in order)).encode())
        for k in sorted(range(len(self.names)), key=self.names.__getitem__):
            found.update(ascii(self.names[k]).encode())
            for values in (self.judge[k], self.people[k]):
                found.update(np.ascontiguousarray(values[order].astype("<f8")).tobytes())
        return found.hexdigest()[:12]


def _checked(scores: JudgedScores) -> JudgedScores:
    """Return scores of which people saw something of every system."""
    for name, seen in zip(scores.names, (~np.isnan(scores.people)).sum(axis=1), strict=True):
        if not seen:
            raise DataError(
                f"people scored no {scores.kind} of {name}; label some {plural(scores.kind)} of "
                "every system"
            )
    return scores


def _column(counts: Counts, name: str | None, who: str) -> int:
    if counts.form != "items":
        raise UsageError(
            f"the scores of {who} must be ready values, one per {counts.kind}, and these are counts"
        )
    if name is None and len(counts.columns) > 1:
        raise UsageError(
            f"the scores of {who} are {listed(counts.columns)}; name the judge's with --metric, "
            "people's with --human"
        )
    if name is not None and name not in counts.columns:
        raise UsageError(f"there is no value {name!r}; {nearest(name, counts.columns)}")
    return 0 if name is None else counts.columns.index(name)


def _values(counts: Counts, column: int) -> Floats:
    return np.asarray(counts.values[:, :, column] / float(counts.scales[column]))


def _with_gaps(name: str, values: Any, n_items: int) -> Floats:
    try:
        given = np.asarray([np.nan if v is None else float(v) for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"people's scores of {name!r} are not all numbers or None") from None
    if given.shape != (n_items,):
        raise DataError(
            f"there are {given.size} human scores of {name!r} for {n_items} items; give one per "
            "item, None where nobody looked"
        )
    if np.isinf(given).any():
        raise DataError(f"people's scores of {name!r} are not all finite")
    return given


def _spread_labels(
    human: Counts, judge: Counts, place: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Return labels that only the human table has; items that nobody looked at have none."""
    found = {}
    for label, values in human.labels.items():
        if label not in judge.labels:
            spread = [""] * len(judge.items)
            for item, value in zip(human.items, values, strict=True):
                if item in place:
                    spread[place[item]] = value
            found[label] = tuple(spread)
    return found


def _alike(judge: Counts) -> list[Notice]:
    """Return a remark where tasks of different sizes would count the same elsewhere."""
    if judge.suite is None or judge.suite.weights(judge.sizes) is None:
        return []
    text = f"All {plural(judge.kind)} count the same here, whatever their task."
    return [Notice("items-alike", text)]


def _perhaps_people(judge: Counts, others: Collection[str]) -> list[Notice]:
    """Return a remark on values that only some items have, as those that people gave do."""
    if judge.scored is None:
        return []
    whole = np.asarray(judge.scored.all(axis=(0, 1)))
    return [
        Notice(
            "perhaps-people",
            f"Only some {plural(judge.kind)} have {name}. If people gave it, add --human {name}: "
            "what they saw need not be labelled again.",
            (name,),
        )
        for name, given in zip(judge.columns, whole.tolist(), strict=True)
        if name in others and not given
    ]


def _unjudged(items: Sequence[str], kind: str) -> list[Notice]:
    if not items:
        return []
    text = (
        f"People scored {several(len(items), kind)} that the judge did not: "
        f"{listed(items, _SHOWN)}; left out."
    )
    return [Notice("not-judged", text, tuple(items))]

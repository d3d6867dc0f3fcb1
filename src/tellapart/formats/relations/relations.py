"""F over relations, or over any items: what the system's parse has in common with the reference's.

Per unit: items of the system, items of the gold, and how many they share, copies counted. With
responses as units, what exactly one of two systems gave is exchanged (Yeh 2000).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.counts import Items as Texts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, several

Items: TypeAlias = Mapping[str, Iterable[Hashable]]
"""Unit → items; no items is a unit that was not parsed, or has none"""

COLUMNS = ("sys", "gold", "match")


def item_counts(
    systems: Mapping[str, Items],
    gold: Items,
    *,
    missing: str = "error",
    responses: bool = False,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Counts:
    """Count items of systems and gold, and those they share: columns `sys gold match`.

    `missing` says what becomes of units that not all have: "error", "zero" (no items there), or
    "drop". With `responses` every single item is a unit, labelled with the one it is from.

    >>> gold = {"s1": [("subj", "see", "cat"), ("obj", "see", "dog")]}
    >>> counts = item_counts({"A": {"s1": [("subj", "see", "cat")]}}, gold)
    >>> counts.summed().tolist()
    [[1, 2, 1]]
    """
    units, notice = _units(systems, gold, missing)
    rows = _Rows(units, systems, gold)
    if responses:
        counts = rows.by_response()
    else:
        places = rows.places()
        chosen = {name: [each[k] for k in places] for name, each in (labels or {}).items()}
        counts = rows.by_unit(chosen)
    return replace(counts, notices=tuple(n for n in (notice, _nothing(counts)) if n is not None))


def beside(texts: Counts, relations: Counts) -> Counts:
    """Put counts of relations beside those of texts, for one table of all their metrics.

    Both have the same systems, and as many segments in the same order.

    >>> from tellapart.metrics.text.scoring import text_counts
    >>> texts = text_counts({"A": ["a b"]}, [["a c"]], ["ter"])
    >>> beside(texts, item_counts({"A": {"s1": ["x"]}}, {"s1": ["x", "y"]})).columns
    ('ter_edits', 'ter_ref_len', 'sys', 'gold', 'match')
    """
    if set(texts.names) != set(relations.names) or len(texts.units) != len(relations.units):
        raise DataError(
            f"texts of {listed(texts.names)} on {several(len(texts.units), 'segment')} do not fit "
            f"relations of {listed(relations.names)} on {len(relations.units)}"
        )
    rows = [relations.names.index(name) for name in texts.names]
    return replace(
        texts,
        columns=(*texts.columns, *relations.columns),
        values=np.concatenate([texts.values, relations.values[rows]], axis=2),
        scales=(*texts.scales, *relations.scales),
        exact=(*texts.exact, *relations.exact),
        notices=(*texts.notices, *relations.notices),
    )


def _units(
    systems: Mapping[str, Items], gold: Items, missing: str
) -> tuple[list[str], Notice | None]:
    """Return the units to count on, in the order of the gold."""
    if missing not in ("error", "zero", "drop"):
        raise UsageError(f"missing is error, zero or drop, not {missing!r}")
    owners = {"the gold": gold, **systems}
    every = dict.fromkeys(unit for items in owners.values() for unit in items)
    if not every:
        raise DataError("there are no units with relations; give at least one")
    for name, items in owners.items():
        lacking = [unit for unit in every if unit not in items]
        if lacking and missing == "error":
            raise DataError(
                f"{name} lacks {several(len(lacking), 'unit')} that others have: "
                f"{listed(lacking, 5)}; a unit without relations needs a line, or choose --missing "
                "zero or drop"
            )
    short = [unit for unit in every if any(unit not in items for items in owners.values())]
    if not short:
        return list(every), None
    one = len(short) == 1
    verb = "were dropped" if not one else "was dropped"
    if missing == "zero":
        verb = "count as empty" if not one else "counts as empty"
    text = f"{several(len(short), 'unit')} that not every system has {verb}: {listed(short, 5)}."
    units = list(every) if missing == "zero" else [unit for unit in every if unit not in set(short)]
    if not units:
        raise DataError("no unit is common to the gold and all systems")
    return units, Notice("missing", text, tuple(short))


def _nothing(counts: Counts) -> Notice | None:
    """Say where F is undefined: no items on either side."""
    given, wanted, _ = counts.summed().T
    empty = tuple(
        name for name, s, g in zip(counts.names, given, wanted, strict=True) if s + g == 0
    )
    if not empty:
        return None
    text = f"Neither the gold nor {listed(empty)} has any items: F is undefined, and shown as 0."
    return Notice("no-items", text, empty)


@dataclass(frozen=True, slots=True)
class _Rows:
    units: list[str]
    systems: Mapping[str, Items]
    gold: Items

    def places(self) -> list[int]:
        """Return where the units stand among those of the gold."""
        order = {unit: k for k, unit in enumerate(self.gold)}
        return [order[unit] for unit in self.units if unit in order]

    def by_unit(self, labels: Mapping[str, Sequence[str]]) -> Counts:
        """Count unit by unit."""
        wanted = self._counted(self.gold)
        given = {name: self._counted(items) for name, items in self.systems.items()}
        arrays = {
            name: np.array(
                [
                    (g.total(), w.total(), (g & w).total())
                    for g, w in zip(counted, wanted, strict=True)
                ],
                np.int64,
            )
            for name, counted in given.items()
        }
        whole = {name: values for name, values in labels.items() if len(values) == len(self.units)}
        counts = Counts.from_arrays(
            arrays, COLUMNS, self.units, whole, kind="segment", form="counts"
        )
        outputs = {name: tuple(map(_listed, counted)) for name, counted in given.items()}
        return replace(counts, items=Texts(golds=tuple(map(_listed, wanted)), outputs=outputs))

    def _counted(self, items: Items) -> list[Counter[Hashable]]:
        return [Counter(items.get(unit, ())) for unit in self.units]

    def by_response(self) -> Counts:
        """Make every item a unit: given or not, wanted or not. Copies are items of their own."""
        ids, labels, rows = list[str](), list[str](), list[list[tuple[int, int, int]]]()
        texts = list[str]()
        for unit in self.units:
            wanted = Counter(self.gold.get(unit, ()))
            given = [Counter(items.get(unit, ())) for items in self.systems.values()]
            for item in dict.fromkeys(i for counter in (wanted, *given) for i in counter):
                copies = max(counter[item] for counter in (wanted, *given))
                for copy in range(copies):
                    ids.append(f"{unit}/{len(ids) + 1}")
                    labels.append(unit)
                    texts.append(_in_words(item))
                    gold = int(copy < wanted[item])
                    has = [int(copy < counter[item]) for counter in given]
                    rows.append([(h, gold, h * gold) for h in has])
        if not rows:
            raise DataError("there are no responses: neither the gold nor a system has any items")
        values = np.array(rows, np.int64)
        arrays = {name: values[:, k] for k, name in enumerate(self.systems)}
        counts = Counts.from_arrays(
            arrays, COLUMNS, ids, {"unit": labels}, kind="response", form="counts"
        )
        shown = {name: _where(values[:, k, 0], texts) for k, name in enumerate(self.systems)}
        return replace(counts, items=Texts(golds=_where(values[:, 0, 1], texts), outputs=shown))


def _listed(counted: Counter[Hashable]) -> str:
    return "; ".join(map(_in_words, counted.elements()))


def _in_words(item: Hashable) -> str:
    return " ".join(map(str, item)) if isinstance(item, tuple) else str(item)


def _where(there: NDArray[np.int64], texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text if flag else "" for flag, text in zip(there.tolist(), texts, strict=True))

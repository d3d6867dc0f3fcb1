"""F over relations, or any sets: what a system's parse has in common with the reference's.

Per item: the relations of the system, those of the gold, and how many they share, copies counted.
With responses as items, what exactly one of two systems gave is exchanged (Yeh 2000).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.relations.files import RelationFile, read_file
from tellapart.formats.sources import paths_of, run_names, system_files
from tellapart.metrics.runs import averaged
from tellapart.words import listed, several

Relations: TypeAlias = Mapping[str, Iterable[Hashable]]
"""Item → its relations; none for an item that was not parsed, or has none"""

COLUMNS: Final = ("sys", "gold", "match")


def read_relations(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path],
    *,
    missing: str = "error",
    responses: bool = False,
) -> Counts:
    """Return the relations of systems and gold as counts; runs of a system are averaged."""
    if len(gold) != 1:
        raise UsageError(f"relations need one file of gold relations (--gold), not {len(gold)}")
    problems = Findings(strict=True)
    key = read_file(gold[0], problems)
    paths = system_files(systems)
    files = [read_file(path, problems) for some in paths.values() for path in some]
    if responses and len(files) > len(paths):
        raise UsageError("--item response takes one run of each system")
    found = {name: file.relations for name, file in zip(run_names(paths), files, strict=True)}
    counts = relation_counts(
        found, key.relations, missing=missing, responses=responses, labels=_labels(key)
    )
    notices = (*problems.notices(), *counts.notices)
    return averaged(replace(counts, notices=()), paths, notices)


def _labels(file: RelationFile) -> dict[str, list[str]]:
    """Return the labels of the items, empty where an item lacks one."""
    names = dict.fromkeys(name for each in file.labels for name in each)
    return {name: [each.get(name, "") for each in file.labels] for name in names}


def relation_counts(
    systems: Mapping[str, Relations],
    gold: Relations,
    *,
    missing: str = "error",
    responses: bool = False,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Counts:
    """Return how many relations systems and gold have, and share: columns `sys gold match`.

    `missing` says what becomes of items that not all have: "error", "zero" (no relations there),
    or "drop". With `responses` every single relation is an item, labelled with the one it is from.

    >>> gold = {"s1": [("subj", "see", "cat"), ("obj", "see", "dog")]}
    >>> counts = relation_counts({"A": {"s1": [("subj", "see", "cat")]}}, gold)
    >>> counts.summed().tolist()
    [[1, 2, 1]]
    """
    items, notice = _common_items(systems, gold, missing)
    rows = _Rows(items, systems, gold)
    if responses:
        counts = rows.by_response()
    else:
        of_gold = {
            name: dict(zip(gold, each, strict=True)) for name, each in (labels or {}).items()
        }
        counts = rows.by_item(
            {name: [each.get(item, "") for item in items] for name, each in of_gold.items()}
        )
    return replace(counts, notices=tuple(n for n in (notice, _undefined(counts)) if n is not None))


def with_relations(texts: Counts, relations: Counts) -> Counts:
    """Return counts of texts with those of relations as further columns, for one table of all.

    Both have the same systems, and as many segments in the same order.

    >>> from tellapart.metrics.text.scoring import text_counts
    >>> texts = text_counts({"A": ["a b"]}, [["a c"]], ["ter"])
    >>> with_relations(texts, relation_counts({"A": {"s1": ["x"]}}, {"s1": ["x", "y"]})).columns
    ('ter_edits', 'ter_ref_len', 'sys', 'gold', 'match')
    """
    if set(texts.names) != set(relations.names) or len(texts.items) != len(relations.items):
        raise DataError(
            f"texts of {listed(texts.names)} on {several(len(texts.items), 'segment')} do not fit "
            f"relations of {listed(relations.names)} on {len(relations.items)}"
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


def _common_items(
    systems: Mapping[str, Relations], gold: Relations, missing: str
) -> tuple[list[str], Notice | None]:
    """Return the items to count on, in the order of the gold."""
    if missing not in ("error", "zero", "drop"):
        raise UsageError(f"missing is error, zero or drop, not {missing!r}")
    owners = {"the gold": gold, **systems}
    every = dict.fromkeys(item for relations in owners.values() for item in relations)
    if not every:
        raise DataError("there are no items with relations; give at least one")
    for name, relations in owners.items():
        lacking = [item for item in every if item not in relations]
        if lacking and missing == "error":
            raise DataError(
                f"{name} lacks {several(len(lacking), 'item')} that others have: "
                f"{listed(lacking, 5)}; an item without relations needs a line, or choose "
                "--missing zero or drop"
            )
    short = [item for item in every if any(item not in relations for relations in owners.values())]
    if not short:
        return list(every), None
    one = len(short) == 1
    verb = "were dropped" if not one else "was dropped"
    if missing == "zero":
        verb = "count as empty" if not one else "counts as empty"
    text = f"{several(len(short), 'item')} that not every system has {verb}: {listed(short, 5)}."
    items = list(every) if missing == "zero" else [item for item in every if item not in set(short)]
    if not items:
        raise DataError("no item is common to the gold and all systems")
    return items, Notice("missing", text, tuple(short))


def _undefined(counts: Counts) -> Notice | None:
    """Return a notice where F is undefined: no relations on either side."""
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
    """The relations of all, item by item."""

    items: list[str]
    systems: Mapping[str, Relations]
    gold: Relations

    def by_item(self, labels: Mapping[str, Sequence[str]]) -> Counts:
        """Return the counts item by item."""
        wanted = self._counted(self.gold)
        given = {name: self._counted(relations) for name, relations in self.systems.items()}
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
        counts = Counts.from_arrays(
            arrays, COLUMNS, self.items, labels, kind="segment", form="counts"
        )
        outputs = {name: tuple(map(_listed, counted)) for name, counted in given.items()}
        texts = ItemTexts(golds=tuple(map(_listed, wanted)), outputs=outputs)
        views = RelationViews(
            dict(zip(self.items, wanted, strict=True)),
            {name: dict(zip(self.items, each, strict=True)) for name, each in given.items()},
        )
        return replace(counts, texts=texts, views=views)

    def _counted(self, relations: Relations) -> list[Counter[Hashable]]:
        return [Counter(relations.get(item, ())) for item in self.items]

    def by_response(self) -> Counts:
        """Return every relation as an item: given or not, wanted or not, copies apart."""
        ids, labels, rows = list[str](), list[str](), list[list[tuple[int, int, int]]]()
        texts = list[str]()
        for item in self.items:
            wanted = Counter(self.gold.get(item, ()))
            given = [Counter(relations.get(item, ())) for relations in self.systems.values()]
            for relation in dict.fromkeys(i for counter in (wanted, *given) for i in counter):
                copies = max(counter[relation] for counter in (wanted, *given))
                for copy in range(copies):
                    ids.append(f"{item}/{len(ids) + 1}")
                    labels.append(item)
                    texts.append(_in_words(relation))
                    gold = int(copy < wanted[relation])
                    has = [int(copy < counter[relation]) for counter in given]
                    rows.append([(h, gold, h * gold) for h in has])
        if not rows:
            raise DataError("there are no responses: neither the gold nor a system has any items")
        values = np.array(rows, np.int64)
        arrays = {name: values[:, k] for k, name in enumerate(self.systems)}
        counts = Counts.from_arrays(
            arrays, COLUMNS, ids, {"unit": labels}, kind="response", form="counts"
        )
        shown = {name: _where(values[:, k, 0], texts) for k, name in enumerate(self.systems)}
        return replace(counts, texts=ItemTexts(golds=_where(values[:, 0, 1], texts), outputs=shown))


@dataclass(frozen=True, slots=True)
class RelationViews:
    """Relations one by one: what gold has, and what each system has of it and beyond it."""

    gold: Mapping[str, Counter[Hashable]]
    systems: Mapping[str, Mapping[str, Counter[Hashable]]]

    def __call__(self, name: str) -> ItemView:
        """Return the relations of one item."""
        wanted = self.gold[name]
        given = {system: counted[name] for system, counted in self.systems.items()}
        rows = []
        for relation in dict.fromkeys(each for some in (wanted, *given.values()) for each in some):
            text, number = _in_words(relation), wanted[relation]
            for copy in range(max(some[relation] for some in (wanted, *given.values()))):
                cells = {
                    system: (Piece(text, "right" if copy < number else "spurious"),)
                    if copy < some[relation]
                    else (Piece("", "missing", "missing"),) * (copy < number)
                    for system, some in given.items()
                }
                rows.append(ViewRow("", (Piece(text),) * (copy < number), cells))
        return ItemView((ViewSection(tuple(rows), "Relations"),))


def _listed(counted: Counter[Hashable]) -> str:
    return "; ".join(map(_in_words, counted.elements()))


def _in_words(relation: Hashable) -> str:
    return " ".join(map(str, relation)) if isinstance(relation, tuple) else str(relation)


def _where(there: NDArray[np.int64], texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text if flag else "" for flag, text in zip(there.tolist(), texts, strict=True))


def findings(sources: Sequence[str], gold: Sequence[str]) -> list[Finding]:
    """Return the problems of files of relations, and the items that a file lacks."""
    problems = Findings()
    items: dict[str, set[str]] = {}
    for path in (*gold, *paths_of(sources)):
        with problems.of_file():
            items[path] = set(read_file(path, problems).relations)
    every = sorted(set().union(*items.values()))
    for path, mine in items.items():
        for item in every:
            if item not in mine:
                problems.complain(f"{shown(path)}: there is no item {item!r}")
    return problems.as_read(lambda: read_relations(sources, gold).notices if gold else ())

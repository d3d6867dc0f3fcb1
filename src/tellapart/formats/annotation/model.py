"""Documents, the spans marked in them and the links between these: what all annotations are.

Here is also what all formats of annotations do alike: read one gold file and a file for each run of
each system, pair their documents, and check files for `validate`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError, Notice, UsageError
from tellapart.formats.align import check_policy, settle_missing
from tellapart.formats.contract import Sources, run_names, system_files
from tellapart.formats.problems import Findings
from tellapart.words import listed, several

_IDS_SHOWN = 5

Content = TypeVar("Content")
"""What a file holds as it was read"""
SpanKind = TypeVar("SpanKind")
Floats = NDArray[np.float64]


class Span(NamedTuple):
    """A stretch of a text, and what it is called: a type of entities, or a cluster."""

    start: int
    end: int
    """The character after the last"""
    label: str


class Link(NamedTuple):
    """A named relation between mentions, by their ids."""

    name: str
    arguments: tuple[str, ...]
    place: str
    """The file and line where it stands"""


class Fractions(NamedTuple):
    """The numerators and denominators of a recall and a precision."""

    recall_part: float = 0
    recall_whole: float = 0
    precision_part: float = 0
    precision_whole: float = 0

    @property
    def scores(self) -> Scores:
        """Recall, precision and F1.

        >>> Fractions(1, 4, 1, 2).scores
        Scores(recall=0.25, precision=0.5, f1=0.3333333333333333)
        """
        return Scores(*recall_precision_f1(np.array(self, np.float64)).tolist())


class Scores(NamedTuple):
    """A recall, a precision and their F1, from 0 to 1."""

    recall: float
    precision: float
    f1: float


def recall_precision_f1(sums: Floats) -> Floats:
    """Return recall, precision and F1 of fractions along the last axis; 0 for 0/0."""
    recall, precision = (divide(sums[..., k], sums[..., k + 1]) for k in (0, 2))
    f1 = divide(2 * recall * precision, recall + precision)
    return np.stack([recall, precision, f1], axis=-1)


def divide(part: Floats, whole: Floats) -> Floats:
    """Return a ratio; 0 for 0/0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def total(fractions: Iterable[Fractions]) -> Fractions:
    """Return the sum of each of the four numbers.

    >>> total([Fractions(1, 2, 3, 4), Fractions(1, 1, 1, 1)])
    Fractions(recall_part=2, recall_whole=3, precision_part=4, precision_whole=5)
    """
    return Fractions(*(reduce(add, column) for column in zip(*fractions, strict=True)))


@dataclass(frozen=True, slots=True)
class Document(Generic[SpanKind]):
    """A text with what was marked in it; an item of the comparison."""

    id: str
    spans: tuple[SpanKind, ...] = ()
    links: tuple[Link, ...] = ()
    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    place: str = ""
    """The file and line where it begins"""


@dataclass(frozen=True, slots=True)
class Corpus(Generic[Content]):
    """The gold file, the file of each run, and what is odd about them."""

    gold: Content
    runs: dict[str, Content]
    files: Mapping[str, Sequence[str]]
    """The paths of each system's runs"""
    problems: Findings


def read_corpus(
    sources: Sources,
    read: Callable[[str, Findings], Content],
    what: str,
    gold_of: Callable[[Sequence[Content]], Content] | None = None,
) -> Corpus[Content]:
    """Read the gold file and all runs; where none is named, `gold_of` takes it from the runs."""
    if len(sources.gold) > 1 or (not sources.gold and gold_of is None):
        raise UsageError(f"{what} need one gold file (--gold), not {len(sources.gold)}")
    if not sources.systems:
        raise UsageError(f"name at least one file of {what}")
    problems = Findings(strict=True)
    files = system_files(sources.systems)
    key = [read(str(path), problems) for path in sources.gold]
    paths = (path for runs in files.values() for path in runs)
    runs = {name: read(path, problems) for name, path in zip(run_names(files), paths, strict=True)}
    if gold_of is not None and not key:
        key.append(gold_of(list(runs.values())))
    return Corpus(key[0], runs, files, problems)


def common_items(
    items: Sequence[str], systems: Mapping[str, Collection[str]], missing: str, kind: str
) -> tuple[list[str], list[Notice]]:
    """Return the gold's items that are scored, by the policy for those that a system lacks.

    >>> common_items(["d1", "d2"], {"A": ["d1", "d2"], "B": ["d1"]}, "drop", "text")[0]
    ['d1']
    """
    check_policy(missing)
    there = np.array([[item in has for item in items] for has in systems.values()], np.bool_)
    if there.all():
        return list(items), []
    # All share the gold's documents, so that none has items of its own.
    policy = "error" if missing in ("own", "bounds") else missing
    kept, notices = settle_missing(there, policy, list(systems), items, kind)
    return [items[k] for k in kept.tolist()], notices


def refuse_extra(path: str, extra: Sequence[str], gold: str, missing: str, kind: str) -> Notice:
    """Refuse items that the gold lacks, or return the notice that they are not scored."""
    items = f"{several(len(extra), kind)} that {gold} lacks: {listed(extra, _IDS_SHOWN)}"
    if missing in ("error", "own", "bounds"):
        raise DataError(f"{path} has {items}; --missing drop leaves them out")
    return Notice("extra", f"Not scored, in {path}: {items}.", tuple(extra))


def one_sided(
    path: str, documents: Collection[str], gold: str, wanted: Sequence[str], known: Collection[str]
) -> Iterator[Notice]:
    """Yield notices of documents on one side only, where scorers take what lacks as empty.

    `wanted` are the documents that are scored, `known` all of the gold.
    """
    lacking = tuple(name for name in wanted if name not in documents)
    if lacking and len(lacking) == len(wanted):
        yield Notice("no-common-document", f"{path} has none of the gold documents.", lacking)
    elif lacking:
        text = f"{path} lacks {documents_named(lacking)} of {gold}, scored as an empty response."
        yield Notice("missing-document", text, lacking)
    extra = tuple(sorted(name for name in documents if name not in known))
    if extra:
        text = f"{path} has {documents_named(extra)} that {gold} lacks; not scored."
        yield Notice("extra-document", text, extra)


def documents_named(names: Sequence[str]) -> str:
    """Return how many documents these are, and the first of them.

    >>> documents_named(["d1", "d2"])
    '2 documents (d1, d2)'
    """
    return f"{several(len(names), 'document')} ({listed(tuple(names), _IDS_SHOWN)})"


def labels_by_name(documents: Sequence[Document[Any]]) -> dict[str, tuple[str, ...]]:
    """Return the labels of documents by name, empty where a document lacks one."""
    names = dict.fromkeys(name for document in documents for name in document.labels)
    return {name: tuple(each.labels.get(name, "") for each in documents) for name in names}

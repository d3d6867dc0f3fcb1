"""Event nuggets: a system's mentions against gold ones, document by document, and averages.

The profiles are the scorer of 2015 to 2017 (kbp) and two releases of the 2015 paper: `fixed` and
`pilot`. Both of these map many system mentions to one gold mention; the pilot's precision divides
by TP + FP, and attributes have an accuracy of their own (Algorithms 2 and 3 of the paper).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from tellapart.errors import DataError, Notice
from tellapart.formats.annotation.clusters import CorefCounts, Row, count_document
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.mapping import (
    Booleans,
    Pairs,
    added_in_order,
    best_per_gold,
    best_sum,
    character_extents,
    many_to_one,
    one_to_one,
    overlapping,
    token_extents,
)
from tellapart.formats.annotation.model import Document, documents_named, one_sided
from tellapart.formats.annotation.tbf import (
    Mention,
    TbfFile,
    cluster_numbers,
    invisible_tokens,
    parse,
    read_text,
)
from tellapart.formats.problems import Findings

Label = tuple[str, str]
"""Type and realis of a mention, as they are compared"""

PLAIN, TYPE, REALIS = "plain", "mention_type", "realis_status"
BOTH: Final = f"{TYPE}+{REALIS}"
ATTRIBUTE_SETS: Final = (PLAIN, TYPE, REALIS, BOTH)

_NOT_ANNOTATED: Final = "NOT_ANNOTATED"
_OTHERS: Final = re.compile("[^A-Za-z0-9]+")


@cache
def canonical(label: str) -> str:
    """Return the ASCII letters and digits of a label, lower-cased.

    >>> canonical("Movement_Transport-Person")
    'movementtransportperson'
    """
    return _OTHERS.sub("", label).lower()


def as_compared(label: str, options: NuggetOptions) -> str:
    """Return a label as the profile compares and prints it."""
    return canonical(label) if options.profile == "kbp" else label


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """One document of both sides after the type filter, and its mappings."""

    gold: Document[Mention]
    system: Document[Mention]
    gold_labels: list[Label]
    system_labels: list[Label]
    mappings: dict[str, Pairs]
    """By attribute set"""
    initial_mapping: Pairs
    """Of the paper's profiles many system mentions to one gold mention; of kbp the plain one"""

    @property
    def id(self) -> str:
        """The document's id."""
        return self.gold.id

    @property
    def n_gold(self) -> int:
        """How many gold mentions there are."""
        return len(self.gold.spans)

    @property
    def n_system(self) -> int:
        """How many system mentions there are."""
        return len(self.system.spans)

    @property
    def false_positives(self) -> int:
        """As the pilot study counts: system mentions less gold ones that have a partner."""
        return self.n_system - len({at for at, _, _ in self.initial_mapping.links()})

    @property
    def right(self) -> tuple[float, float]:
        """For type and realis, the sum of 1/|M_G| over right members of M_G (release 1.1)."""
        links = self.initial_mapping.links()
        members = Counter(at for at, _, _ in links)
        types: Counter[int] = Counter()
        realis: Counter[int] = Counter()
        for at, system_at, _ in links:
            wanted, given = self.gold_labels[at], self.system_labels[system_at]
            types[members[at]] += wanted[0] == given[0]
            # For realis only, what is not annotated is right as soon as it has a partner.
            realis[members[at]] += wanted[1] in (_NOT_ANNOTATED, given[1])
        return _sum_of_shares(types), _sum_of_shares(realis)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A system's documents in the order of their ids, what was odd, and what was asked for."""

    options: NuggetOptions
    documents: tuple[ScoredDocument, ...]
    notices: tuple[Notice, ...]
    clusters: tuple[CorefCounts, ...] | None = None
    """The coreference of each document"""

    @property
    def pilot(self) -> bool:
        """Whether the figures of the pilot study are asked for."""
        return self.options.profile == "pilot"


def read_types(path: str | None) -> frozenset[str] | None:
    """Return the types of a list, one per line; no file or an empty one filters nothing (None)."""
    text = "" if path is None else read_text(path)
    if not text:
        return None
    return frozenset(canonical(line) for line in text.removesuffix("\n").split("\n"))


def evaluate(gold: TbfFile, system: TbfFile, options: NuggetOptions | None = None) -> Evaluation:
    r"""Return the scores of a system's mentions, and of coreference if that is asked for.

    >>> from tellapart.formats.annotation.tbf import cut
    >>> gold = cut("#BeginOfDocument d\nx\td\tE1\t0,4\tdied\tDie\tActual\n#EndOfDocument")
    >>> system = cut("#BeginOfDocument d\nx\td\tE1\t2,4\ted\tDie\tActual\n#EndOfDocument")
    >>> [round(d.mappings["plain"].true_positives, 4) for d in evaluate(gold, system).documents]
    [0.6667]
    """
    options = options or NuggetOptions()
    types = read_types(options.types)
    names = sorted(gold.blocks)  # by code points, which is the order of their bytes in UTF-8
    if options.doc is not None:
        if options.doc not in gold.blocks:
            raise DataError(f"{gold.path}: there is no document {options.doc!r}; check --doc")
        names = [options.doc]
    wanted, given = (
        [_filtered(parse(file, name, options.tokens is not None), types) for name in names]
        for file in (gold, system)
    )
    documents = tuple(_score_document(*both, options) for both in zip(wanted, given, strict=True))
    return Evaluation(
        options,
        documents,
        tuple(_notices(gold, system, documents)),
        tuple(_count_clusters(each, options) for each in documents) if options.coref else None,
    )


def _score_document(
    gold: Document[Mention], system: Document[Mention], options: NuggetOptions
) -> ScoredDocument:
    gold_labels, system_labels = (
        [
            (as_compared(each.type, options), as_compared(each.realis, options))
            for each in side.spans
        ]
        for side in (gold, system)
    )
    pairs = _overlapping_mentions(gold, system, options)

    def agreeing(pairs: Pairs) -> dict[str, Booleans]:
        placeholder = as_compared(_NOT_ANNOTATED, options)
        return _agreement(pairs, gold_labels, system_labels, placeholder)

    if options.profile == "kbp":
        mapped = best_sum if options.mapping == "best" else one_to_one
        mappings = {each: mapped(pairs, agree) for each, agree in agreeing(pairs).items()}
        initial = mappings[PLAIN]
    else:
        initial = many_to_one(pairs)
        mappings = {
            each: best_per_gold(initial, agree) for each, agree in agreeing(initial).items()
        }
    return ScoredDocument(gold, system, gold_labels, system_labels, mappings, initial)


def _overlapping_mentions(
    gold: Document[Mention], system: Document[Mention], options: NuggetOptions
) -> Pairs:
    """Return the overlapping mentions of a document, as the profile sees them."""
    if options.tokens is None:
        return overlapping(character_extents(system.spans), character_extents(gold.spans))
    kbp = options.profile == "kbp"
    invisible = frozenset[str]() if kbp else invisible_tokens(options.tokens, gold.id)
    numbers: dict[str, int] = {}
    sides = (token_extents(side.spans, numbers, invisible) for side in (system, gold))
    return overlapping(*sides)


def _count_clusters(document: ScoredDocument, options: NuggetOptions) -> CorefCounts:
    """Return the coreference counts of a document.

    A gold mention goes with its system mention if their Dice reaches the threshold. At a threshold
    of 0 or below, gold mentions without a partner take the last system mention: a slip of the
    public tool, kept for agreement with it.
    """
    last = document.n_system - 1 if options.coref_threshold <= 0 and document.n_system else None
    partner: list[int | None] = [last] * document.n_gold
    for gold_at, system_at, dice in document.mappings[
        ATTRIBUTE_SETS[options.coref_mapping]
    ].links():
        if dice >= options.coref_threshold:
            partner[gold_at] = system_at
    return count_document(_rows(document.gold, document.system, partner))


def _rows(
    gold: Document[Mention], system: Document[Mention], partner: Sequence[int | None]
) -> Iterator[Row]:
    """Yield the clusters of mapped mentions; one in no cluster is a singleton of its row."""
    strict = Findings(strict=True)
    key, response = cluster_numbers(gold, strict), cluster_numbers(system, strict)
    for i, (mention, at) in enumerate(zip(gold.spans, partner, strict=True)):
        cluster = None if at is None else response.get(system.spans[at].id, ("row", i))
        yield key.get(mention.id, ("row", i)), cluster
    placed = set(partner)
    for i, mention in enumerate(system.spans):
        if i not in placed:
            yield None, response.get(mention.id, ("rest", i))


def _agreement(
    pairs: Pairs, gold: Sequence[Label], system: Sequence[Label], placeholder: str
) -> dict[str, Booleans]:
    """Return by attribute set which pairs agree; a gold placeholder agrees with everything."""
    same = []
    for attribute in (0, 1):
        numbers = {placeholder: 0}
        gold_numbers, system_numbers = (
            np.array(
                [numbers.setdefault(label[attribute], len(numbers)) for label in side], np.int64
            )
            for side in (gold, system)
        )
        wanted, given = gold_numbers[pairs.gold], system_numbers[pairs.system]
        same.append(np.asarray((wanted == given) | (wanted == 0)))
    every = np.ones(len(pairs.dice), np.bool_)
    return {PLAIN: every, TYPE: same[0], REALIS: same[1], BOTH: same[0] & same[1]}


def _filtered(document: Document[Mention], types: frozenset[str] | None) -> Document[Mention]:
    """Drop mentions of other types, and from relations what is no mention (any more)."""
    if types is None:
        return document
    kept = tuple(mention for mention in document.spans if canonical(mention.type) in types)
    ids = {mention.id for mention in kept}
    shrunk = (
        link._replace(arguments=tuple(name for name in link.arguments if name in ids))
        for link in document.links
    )
    links = tuple(link for link in shrunk if len(link.arguments) > 1)
    return replace(document, spans=kept, links=links)


def _notices(
    gold: TbfFile, system: TbfFile, documents: Sequence[ScoredDocument]
) -> Iterator[Notice]:
    """Yield what averages do not show: documents of one side, and empty ones."""
    if not gold.blocks:
        yield Notice("no-documents", f"{gold.path} has no document.")
    names = [document.id for document in documents]
    yield from one_sided(system.path, system.blocks, gold.path, names, gold.blocks)
    empty = tuple(each.id for each in documents if not each.n_gold)
    if empty:
        text = f"{documents_named(empty)} without gold mentions: not in the averages."
        yield Notice("empty-gold-document", text, empty)


class Figures(NamedTuple):
    """Precision, recall and F1; None where something is divided by zero."""

    precision: float | None
    recall: float | None
    f1: float | None


class Averages(NamedTuple):
    """The two averages over the documents that have gold mentions."""

    micro: Figures
    macro: Figures


class Tally(NamedTuple):
    """What a score is made of: true positives, and what they are divided by."""

    true_positives: float
    n_given: float
    """The denominator of precision"""
    n_gold: float

    def figures(self, scale: float = 100) -> Figures:
        """Return precision, recall and F1.

        >>> Tally(1, 4, 2).figures()
        Figures(precision=25.0, recall=50.0, f1=33.333333333333336)
        """
        return harmonic(
            _ratio(scale * self.true_positives, self.n_given),
            _ratio(scale * self.true_positives, self.n_gold),
        )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def harmonic(precision: float | None, recall: float | None) -> Figures:
    """Return precision and recall with their F1.

    >>> harmonic(0.5, 1.0).f1, harmonic(0.0, 0.0).f1
    (0.6666666666666666, None)
    """
    if precision is None or recall is None or precision + recall == 0:
        return Figures(precision, recall, None)
    return Figures(precision, recall, 2 * precision * recall / (precision + recall))


def tally(document: ScoredDocument, attributes: str) -> Tally:
    """Return the tally of a document for one attribute set."""
    true_positives = document.mappings[attributes].true_positives
    return Tally(true_positives, document.n_system, document.n_gold)


def averages(tallies: Iterable[Tally], scale: float = 100) -> Averages:
    """Return the averages over documents that have gold mentions; all others are left out.

    >>> averages([Tally(1, 4, 2), Tally(0, 0, 2), Tally(0, 9, 0)]).macro
    Figures(precision=12.5, recall=25.0, f1=16.666666666666668)
    """
    counted = [each for each in tallies if each.n_gold]
    # Scaled before they are summed, as the public tool does: that shows in the last bit.
    whole = Tally(
        added_in_order(scale * each.true_positives for each in counted),
        added_in_order(each.n_given for each in counted),
        sum(each.n_gold for each in counted),
    )
    figures = [each.figures(scale) for each in counted]
    precision, recall = (
        _ratio(added_in_order(each[part] or 0.0 for each in figures), len(counted))
        for part in (0, 1)
    )
    return Averages(whole.figures(1), harmonic(precision, recall))


def type_table(documents: Sequence[ScoredDocument]) -> dict[str, Tally]:
    """Return the tally of every type of the gold data, over all documents, in the order of names.

    Realis must agree too: a slip of the public tool.
    """
    right: defaultdict[str, float] = defaultdict(float)
    for document in documents:
        for gold, _, dice in document.mappings[BOTH].links():
            right[document.gold_labels[gold][0]] += dice
    n_gold = Counter(kind for each in documents for kind, _ in each.gold_labels)
    n_system = Counter(kind for each in documents for kind, _ in each.system_labels)
    return {name: Tally(right[name], n_system[name], n_gold[name]) for name in sorted(n_gold)}


class PilotFigures(NamedTuple):
    """Figures of spans from 0 to 1, and how often type and realis are right, per gold mention."""

    precision: float | None
    recall: float | None
    f1: float | None
    type_accuracy: float | None
    realis_accuracy: float | None


def pilot_tally(document: ScoredDocument) -> Tally:
    """Return what the pilot's precision and recall are made of."""
    right = document.mappings[PLAIN].true_positives
    return Tally(right, right + document.false_positives, document.n_gold)


def pilot_figures(document: ScoredDocument) -> PilotFigures:
    """Return the document's own figures."""
    accuracies = (_ratio(right, document.n_gold) for right in document.right)
    return PilotFigures(*pilot_tally(document).figures(1), *accuracies)


def _sum_of_shares(right: Counter[int]) -> float:
    """Return the sum of shares; how many members are right is given by what each is a share of."""
    return added_in_order(number / size for size, number in right.items())


def pilot_averages(documents: Sequence[ScoredDocument]) -> tuple[PilotFigures, PilotFigures]:
    """Return the micro and the macro average of the pilot's figures."""
    counted = [each for each in documents if each.n_gold]
    n_gold = sum(each.n_gold for each in counted)
    spans = averages(map(pilot_tally, counted), 1)
    micro = (_ratio(added_in_order(each.right[k] for each in counted), n_gold) for k in (0, 1))
    macro = (
        _ratio(added_in_order(each.right[k] / each.n_gold for each in counted), len(counted))
        for k in (0, 1)
    )
    return PilotFigures(*spans.micro, *micro), PilotFigures(*spans.macro, *macro)

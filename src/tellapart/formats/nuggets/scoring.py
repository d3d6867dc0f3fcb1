"""Scoring a system file against a gold file, document by document, and averages of documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import Notice, UsageError
from tellapart.files import open_text
from tellapart.formats.nuggets.attributes import (
    ATTRIBUTE_SETS,
    BOTH,
    PLAIN,
    PROFILES,
    Labels,
    Profile,
    agreement,
    canonical,
    labels_of,
)
from tellapart.formats.nuggets.mapping import (
    MentionMapping,
    added_in_order,
    best_per_gold,
    best_sum,
    group_mentions,
    many_to_one,
    one_to_one,
)
from tellapart.formats.nuggets.notices import document_notices, file_notices
from tellapart.formats.nuggets.spans import Pairs, character_extents, overlapping, token_extents
from tellapart.formats.nuggets.tbf import Document, Mention, Relation, TbfError, TbfFile, parse
from tellapart.formats.nuggets.tokens import TokenFolder, invisible_ids


@dataclass(frozen=True, slots=True)
class Options:
    """What is scored, and how; token mode if and only if there is a folder of token tables."""

    profile: Profile = PROFILES["kbp"]
    tokens: TokenFolder | None = None
    types: frozenset[str] | None = None
    """Canonical types; mentions of others are dropped on both sides."""
    document: str | None = None
    """Score this one only."""
    best: bool = False
    """Whether mentions are mapped so that their overlaps have the largest sum, not greedily"""

    @property
    def token_mode(self) -> bool:
        """Whether spans are token ids."""
        return self.tokens is not None


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """One document of both sides after the type filter, and its mappings."""

    gold: Document
    system: Document
    gold_labels: Labels
    system_labels: Labels
    mappings: dict[str, MentionMapping]
    """By attribute set"""
    initial_mapping: MentionMapping
    """Of the paper's profiles many system mentions to one gold mention; of kbp the plain one"""

    @property
    def id(self) -> str:
        """The document's id."""
        return self.gold.id

    @property
    def n_gold(self) -> int:
        """How many gold mentions there are."""
        return len(self.gold.mentions)

    @property
    def n_system(self) -> int:
        """How many system mentions there are."""
        return len(self.system.mentions)


@dataclass(frozen=True, slots=True)
class Scoring:
    """All documents of the gold file in the order of their ids, and what was odd."""

    gold: TbfFile
    system: TbfFile
    options: Options
    documents: tuple[ScoredDocument, ...]
    notices: tuple[Notice, ...] = field(default=())


def read_types(path: str | Path) -> frozenset[str] | None:
    """Return the types of a list, one per line; an empty file filters nothing (None)."""
    with open_text(path) as stream:
        text = stream.read()
    if not text:
        return None
    return frozenset(canonical(line) for line in text.removesuffix("\n").split("\n"))


def score(gold: TbfFile, system: TbfFile, options: Options | None = None) -> Scoring:
    r"""Return the scores of a system's mentions against gold ones.

    >>> from tellapart.formats.nuggets.tbf import cut
    >>> gold = cut("#BeginOfDocument d\nx\td\tE1\t0,4\tdied\tDie\tActual\n#EndOfDocument")
    >>> own = cut("#BeginOfDocument d\nx\td\tE1\t2,4\ted\tDie\tActual\n#EndOfDocument")
    >>> [round(d.mappings["plain"].true_positives, 4) for d in score(gold, own).documents]
    [0.6667]
    """
    options = options or Options()
    names = _names(gold, options)
    documents = tuple(_score_document(gold, system, name, options) for name in names)
    notices = [
        *file_notices(gold, system, names),
        *document_notices(documents, options, (gold.path, system.path)),
    ]
    return Scoring(gold, system, options, documents, tuple(notices))


def _names(gold: TbfFile, options: Options) -> list[str]:
    if options.document is None:
        # By code points, which is the order of their bytes in UTF-8.
        return sorted(gold.blocks)
    if options.document not in gold.blocks:
        raise TbfError(
            gold.path,
            "unknown-document",
            f"there is no document {options.document!r} here; name one of the gold file",
        )
    return [options.document]


def _score_document(
    gold_file: TbfFile, system_file: TbfFile, name: str, options: Options
) -> ScoredDocument:
    gold, system = (
        _filtered(parse(file, name, options.token_mode), options.types)
        for file in (gold_file, system_file)
    )
    profile = options.profile
    gold_labels = labels_of(gold.mentions, profile)
    system_labels = labels_of(system.mentions, profile)
    right, own = (
        group_mentions(gold.mentions, gold_labels),
        group_mentions(system.mentions, system_labels),
    )
    pairs = _overlapping_mentions(right.mentions, own.mentions, name, options)
    agree = agreement(pairs, right.labels, own.labels, profile)
    if profile.one_to_one:
        mapped = best_sum if options.best else one_to_one
        mappings = {each: mapped(pairs, agree.on(each), own, right) for each in ATTRIBUTE_SETS}
        initial = mappings[PLAIN]
    else:
        initial = many_to_one(pairs, own, right)
        mappings = {each: best_per_gold(initial, agree.on(each)) for each in ATTRIBUTE_SETS}
    return ScoredDocument(gold, system, gold_labels, system_labels, mappings, initial)


def _overlapping_mentions(
    gold: Sequence[Mention], system: Sequence[Mention], name: str, options: Options
) -> Pairs:
    """Return the overlapping mentions of a document, as the profile sees them."""
    if options.tokens is None:
        return overlapping(character_extents(system), character_extents(gold))
    invisible: frozenset[str] = frozenset()
    if not options.profile.sees_all_words:
        invisible = invisible_ids(options.tokens, name)
    numbers: dict[str, int] = {}
    own, right = (token_extents(side, numbers, invisible) for side in (system, gold))
    return overlapping(own, right)


def _filtered(document: Document, types: frozenset[str] | None) -> Document:
    """Drop mentions of other types, and from relations what is no mention (any more)."""
    if types is None:
        return document
    kept = tuple(mention for mention in document.mentions if canonical(mention.type) in types)
    ids = {mention.id for mention in kept}
    return Document(document.id, kept, tuple(_shrunk(document.relations, ids)))


def _shrunk(relations: Sequence[Relation], ids: set[str]) -> Iterator[Relation]:
    for relation in relations:
        arguments = tuple(each for each in relation.arguments if each in ids)
        if len(arguments) >= 2:
            yield relation._replace(arguments=arguments)


def mapping_attributes(mapping: int) -> str:
    """Return the attribute set by whose mapping coreference and links are scored.

    >>> mapping_attributes(1)
    'mention_type'
    """
    if not 0 <= mapping < len(ATTRIBUTE_SETS):
        raise UsageError(
            f"the coreference mapping is 0 (plain), 1 (type), 2 (realis) or 3 (both), not {mapping}"
        )
    return ATTRIBUTE_SETS[mapping]


@dataclass(frozen=True, slots=True)
class Figures:
    """Precision, recall and F1; None where something is divided by zero."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Averages:
    """The two averages over the documents that have gold mentions."""

    micro: Figures
    macro: Figures


@dataclass(frozen=True, slots=True)
class Tally:
    """What a score is made of: true positives, and what they are divided by."""

    true_positives: float
    n_given: float  # the denominator of precision
    n_gold: float

    def figures(self, scale: float = 100) -> Figures:
        """Return precision, recall and F1.

        >>> Tally(1, 4, 2).figures()
        Figures(precision=25.0, recall=50.0, f1=33.333333333333336)
        """
        return harmonic(
            scaled_ratio(self.true_positives, self.n_given, scale),
            scaled_ratio(self.true_positives, self.n_gold, scale),
        )


def scaled_ratio(part: float, whole: float, scale: float) -> float | None:
    """Return a ratio times a scale; None for a division by zero."""
    return scale * part / whole if whole else None


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
    total = Tally(
        added_in_order(scale * each.true_positives for each in counted),
        added_in_order(each.n_given for each in counted),
        sum(each.n_gold for each in counted),
    )
    figures = [each.figures(scale) for each in counted]
    precision, recall = (
        scaled_ratio(added_in_order(values), len(counted), 1)
        for values in ([f.precision or 0.0 for f in figures], [f.recall or 0.0 for f in figures])
    )
    return Averages(total.figures(1), harmonic(precision, recall))


def type_table(documents: Sequence[ScoredDocument], attributes: str = BOTH) -> dict[str, Tally]:
    """Return the tally of every type of the gold data, over all documents, in the order of names.

    The public tool asks that realis agrees too, which is a slip; the attribute set of types alone
    gives the table without it.
    """
    found: defaultdict[str, float] = defaultdict(float)
    n_gold: Counter[str] = Counter()
    n_system: Counter[str] = Counter()
    for document in documents:
        types = document.gold_labels.types
        n_gold.update(types)
        n_system.update(document.system_labels.types)
        for gold, _, dice in document.mappings[attributes].links():
            found[types[gold]] += dice
    return {name: Tally(found[name], n_system[name], n_gold[name]) for name in sorted(n_gold)}

"""Scoring a system file against a gold file, document by document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import Notice, UsageError
from tellapart.files import open_text
from tellapart.formats.nuggets.attributes import (
    ATTRIBUTE_SETS,
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

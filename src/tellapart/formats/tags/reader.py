"""Tag files of systems and gold as counts of entities, sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.formats.annotations import Stretch, annotated_view
from tellapart.formats.entities import (
    EntityReport,
    EntityScores,
    Totals,
    in_words,
    system_reports,
)
from tellapart.formats.problems import Findings
from tellapart.formats.sources import paths_of, run_names, system_files
from tellapart.formats.tags.chunks import (
    ALLOWED,
    LENIENT,
    STRICT,
    Chunks,
    TagCodes,
    Tagging,
    tokens_at,
)
from tellapart.formats.tags.files import (
    TagFile,
    check_parallel,
    differences,
    gold_inside,
    read_tag_file,
    scheme_of,
    take_apart,
    types_of,
)
from tellapart.metrics.runs import averaged
from tellapart.words import several

READINGS: Final = ("lenient", "strict")
COLUMNS: Final = ("tp", "fp", "fn")


def read_tags(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), *, scheme: str = "lenient"
) -> Counts:
    """Return tag files (CoNLL columns) as counts `tp fp fn` per sentence.

    Without `gold` each file holds gold and predicted tags, in the last two columns. `scheme` is
    "lenient" (as conlleval reads: an I-tag may begin an entity) or "strict" (an entity must be
    written as the scheme of the gold tags has it). Documents that `-DOCSTART-` lines begin are the
    label `document`.
    """
    return score_tags(systems, gold, scheme=scheme).counts


def score_tags(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), *, scheme: str = "lenient"
) -> EntityScores:
    """Return the counts of `read_tags`, and what each system found type by type."""
    if scheme not in READINGS:
        raise UsageError(f"scheme is lenient or strict, not {scheme!r}")
    if len(gold) > 1:
        raise UsageError(f"tags need one file of gold tags (--gold), not {len(gold)}")
    if not systems:
        raise UsageError("there is no tag file to read; name at least one system")
    paths = system_files(systems)
    problems = Findings(strict=True)
    files = [
        read_tag_file(path, problems, before=not gold) for some in paths.values() for path in some
    ]
    key = read_tag_file(gold[0], problems) if gold else gold_inside(files)
    for file in files:
        check_parallel(file, key)
        _warn_of_types(file, key, problems)
    corpus = _Corpus(key, files, scheme == "strict")
    notices = (*problems.notices(), *corpus.notices(run_names(paths)))
    counts = averaged(corpus.counts(run_names(paths)), paths, notices)
    if not corpus.has_entities():
        raise DataError(f"{key.place(0)}: the gold has no entity, nor has any system; check --gold")
    return EntityScores(counts, system_reports(paths, corpus.reports()))


class _Corpus:
    """The gold and all systems as entities under one reading."""

    def __init__(self, gold: TagFile, files: Sequence[TagFile], strict: bool) -> None:
        self.gold = gold
        self.strict = strict
        codes = TagCodes()
        self.key = codes.tagging(gold.tags, gold.starts)
        self.taggings = [codes.tagging(file.tags, gold.starts) for file in files]
        self.types = tuple(codes.types)
        self.scheme = _scheme(gold, self.key, files)
        if strict:
            for file in files:
                _check_scheme(file, self.scheme)
        reading = STRICT[self.scheme] if strict else LENIENT
        self.wanted = self.key.chunks(reading)
        self.found = [tagging.chunks(reading) for tagging in self.taggings]
        self.right = [chunks.among(self.wanted) for chunks in self.found]

    def has_entities(self) -> bool:
        """Return whether there is anything to score."""
        return any(len(chunks.starts) for chunks in (self.wanted, *self.found))

    def counts(self, names: Sequence[str]) -> Counts:
        """Return the counts of entities, sentence by sentence."""
        possible = self._per_sentence(self.wanted.starts)
        columns: dict[str, list[NDArray[Any]]] = {name: [] for name in COLUMNS}
        for chunks, right in zip(self.found, self.right, strict=True):
            matched = self._per_sentence(chunks.starts[right])
            columns["tp"].append(matched)
            columns["fp"].append(self._per_sentence(chunks.starts[~right]))
            columns["fn"].append(possible - matched)
        documents = self.gold.documents
        labels = {"document": tuple(map(str, documents))} if max(documents) else {}
        items = [str(k) for k in range(1, len(documents) + 1)]
        counts = Counts.from_columns(names, items, columns, labels, "sentence", "counts")
        views = TagViews(
            self.gold, self.types, self.wanted, dict(zip(names, self.found, strict=True))
        )
        return replace(counts, texts=self._texts(names), views=views)

    def reports(self) -> list[EntityReport]:
        """Return the right, found and gold entities of each type, system by system."""
        gold = self._per_type(self.wanted.types)
        reports = []
        for tagging, chunks, right in zip(self.taggings, self.found, self.right, strict=True):
            correct = self._per_type(chunks.types[right])
            found = self._per_type(chunks.types)
            types = {
                name: Totals(int(correct[k]), int(found[k]), int(gold[k]))
                for k, name in enumerate(self.types)
                if found[k] or gold[k]
            }
            accuracy = float(np.mean(tagging.codes == self.key.codes))
            more = {"scheme": self.scheme, "reading": "strict" if self.strict else "lenient"}
            sorted_types = dict(sorted(types.items()))
            reports.append(EntityReport(sorted_types, len(self.gold.tokens), accuracy, more))
        return reports

    def notices(self, names: Sequence[str]) -> list[Notice]:
        """Return notices of how many tags nothing began, and what was made of them."""
        needs_b = self.scheme in ("IOB2", "IOBES")  # elsewhere I or E may begin entities
        notices = []
        for name, tagging, chunks in zip(
            ("the gold", *names),
            (self.key, *self.taggings),
            (self.wanted, *self.found),
            strict=True,
        ):
            orphans = len(tagging.orphans()) if needs_b else 0
            lost = int(np.count_nonzero(~tagging.chunks(LENIENT).among(chunks)))
            if orphans or lost:
                text = _orphan_notice(name, orphans, lost, self)
                notices.append(Notice("orphan-tags", text, (name,)))
        return notices

    def _per_sentence(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        sentences, _ = tokens_at(starts, self.gold.starts)
        return np.bincount(sentences, minlength=len(self.gold.starts))

    def _per_type(self, types: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(types, minlength=len(self.types))

    def _texts(self, names: Sequence[str]) -> ItemTexts:
        tokens, starts = self.gold.tokens, self.gold.starts
        inputs = tuple(
            " ".join(tokens[start:end])
            for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True)
        )
        outputs = {
            name: self._entities(chunks) for name, chunks in zip(names, self.found, strict=True)
        }
        return ItemTexts(inputs, self._entities(self.wanted), outputs)

    def _entities(self, chunks: Chunks) -> tuple[str, ...]:
        """Return the entities of each sentence in words."""
        of_sentence: list[list[tuple[str, str]]] = [[] for _ in self.gold.starts]
        sentences, firsts = tokens_at(chunks.starts, self.gold.starts)
        ends = firsts + chunks.ends - chunks.starts
        rows = zip(*(a.tolist() for a in (sentences, firsts, ends, chunks.types)), strict=True)
        for sentence, start, end, kind in rows:
            text = " ".join(self.gold.tokens[start:end])
            of_sentence[sentence].append((self.types[kind], text))
        return tuple(map(in_words, of_sentence))


@dataclass(frozen=True, slots=True)
class TagViews:
    """Sentences with the entities of gold and systems."""

    gold: TagFile
    types: tuple[str, ...]
    wanted: Chunks
    found: Mapping[str, Chunks]

    def __call__(self, name: str) -> ItemView:
        """Return a sentence, by its number, with both annotations."""
        sentence = int(name) - 1
        starts = self.gold.starts
        last = starts[sentence + 1] if sentence + 1 < len(starts) else len(self.gold.tokens)
        tokens = self.gold.tokens[starts[sentence] : last]
        places = [0]
        for token in tokens:
            places.append(places[-1] + len(token) + 1)
        outputs = {
            system: self._stretches(chunks, sentence, places)
            for system, chunks in self.found.items()
        }
        return annotated_view(
            " ".join(tokens), self._stretches(self.wanted, sentence, places), outputs
        )

    def _stretches(self, chunks: Chunks, sentence: int, places: Sequence[int]) -> list[Stretch]:
        # One place stands before each sentence: see `tokens_at`.
        first = self.gold.starts[sentence] + sentence + 1
        low, high = np.searchsorted(chunks.starts, [first, first + len(places) - 1])
        rows = zip(
            (chunks.starts[low:high] - first).tolist(),
            (chunks.ends[low:high] - first).tolist(),
            chunks.types[low:high].tolist(),
            strict=True,
        )
        return [(places[start], places[end] - 1, self.types[kind]) for start, end, kind in rows]


def _scheme(gold: TagFile, key: Tagging, files: Sequence[TagFile]) -> str:
    """Return the scheme of the gold tags; that of the systems' where the gold has none."""
    if key.is_iob1():
        return "IOB1"
    every = (tag for file in files for tag in set(file.tags))
    return scheme_of(set(gold.tags)) or scheme_of(every) or "IOB2"


def _check_scheme(file: TagFile, scheme: str) -> None:
    """Refuse tags that the scheme of the gold does not have; they could never be right."""
    strange = {tag for tag in set(file.tags) if take_apart(tag)[0] not in ALLOWED[scheme]}
    if strange:
        at = next(k for k, tag in enumerate(file.tags) if tag in strange)
        raise DataError(
            f"{file.place(at)}: {file.tags[at]!r} is no tag of {scheme}, which the gold tags are "
            "written in; convert the tags, or choose --scheme lenient"
        )


def _orphan_notice(name: str, orphans: int, lost: int, corpus: _Corpus) -> str:
    """Return a sentence on what the reading made of tags that nothing began."""
    entities = f"{lost} {'entity' if lost == 1 else 'entities'}"
    if not orphans:
        return (
            f"The strict reading leaves out {entities} of {name}, not written as {corpus.scheme} "
            "has them; --scheme lenient counts them."
        )
    letters = "I" if corpus.scheme == "IOB2" else "I or E"
    stray = f"{several(orphans, f'{letters} tag')} of {name} with no B before: "
    if corpus.strict:
        return f"{stray}the strict reading leaves out {entities}; --scheme lenient counts them."
    return f"{stray}read as beginning an entity, as conlleval does; --scheme strict leaves it out."


def findings(sources: Sequence[str], gold: Sequence[str], scheme: str) -> list[Finding]:
    """Return the problems of tag files, and where they differ from the gold in their tokens."""
    problems = Findings()
    read: dict[str, TagFile] = {}
    files = paths_of(sources)
    for path in (*gold, *files):
        with problems.of_file():
            read[path] = read_tag_file(path, problems)
    for path in files:
        if gold and path in read and gold[0] in read:
            for difference in differences(read[path], read[gold[0]]):
                problems.complain(difference)
            _warn_of_types(read[path], read[gold[0]], problems)
    for file in read.values():
        _warn_of_orphans(file, problems)
    return problems.as_read(
        lambda: score_tags(sources, gold, scheme=scheme).counts.notices if gold else (),
        listed=("orphan-tags",),
    )


def _warn_of_types(file: TagFile, gold: TagFile, problems: Findings) -> None:
    """Warn of types that no gold tag has; a misspelled one is never right."""
    wanted = types_of(gold.tags)
    strange = types_of(file.tags) - wanted
    for name in sorted(strange) if wanted else ():
        at = next(k for k, tag in enumerate(file.tags) if tag != "O" and take_apart(tag)[1] == name)
        problems.warn(
            f"{file.place(at)}: the gold has no entity of the type {name!r}; those of the system "
            "count as wrong"
        )


def _warn_of_orphans(file: TagFile, problems: Findings) -> None:
    """Warn of tags that go on with an entity that nothing began."""
    tagging = TagCodes().tagging(file.tags, file.starts)
    if scheme_of(set(file.tags)) == "IOE2" or tagging.is_iob1():
        return
    for token in tokens_at(tagging.orphans(), file.starts)[1].tolist():
        problems.warn(
            f"{file.place(token)}: nothing began the entity that {file.tags[token]!r} goes on with"
        )

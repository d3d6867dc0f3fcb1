"""Tag files, as CoNLL's shared tasks have them: a token and its tag a line, as entities.

Columns, the tag last, a blank line between sentences. Each sentence is a document, and
`-DOCSTART-` lines are the label `document`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from statistics import fmean

from tellapart.counts import Counts
from tellapart.errors import DataError, Finding, Notice
from tellapart.files import open_text, shown
from tellapart.formats.annotation.entities import (
    EntityScores,
    entity_report,
    score_entities,
    unknown_labels,
)
from tellapart.formats.annotation.formats import DOCUMENT, TagOptions
from tellapart.formats.annotation.model import Document, Span, read_corpus
from tellapart.formats.annotation.tags import (
    LENIENT,
    LETTERS,
    STRICT,
    Reading,
    entities,
    is_tag,
    scheme_of,
    take_apart,
)
from tellapart.formats.contract import Report, Sources
from tellapart.formats.problems import Findings, check_files
from tellapart.words import listed, several


@dataclass(slots=True)
class Sentence:
    """The tokens and tags of a sentence, with their lines."""

    document: int
    """How many documents have begun"""
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    """The last column but one"""
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TagFile:
    """The sentences of a file."""

    path: str
    sentences: list[Sentence]

    def place(self, sentence: int, token: int) -> str:
        """Return the file and line of a token."""
        return f"{shown(self.path)}:{self.sentences[sentence].lines[token]}"

    def tags(self) -> list[list[str]]:
        """Return the tags of each sentence."""
        return [sentence.tags for sentence in self.sentences]

    def documents(self, reading: Reading) -> list[Document[Span]]:
        """Return the sentences with their entities, as characters of the tokens with blanks."""
        documents = []
        labelled = any(sentence.document for sentence in self.sentences)
        for number, sentence in enumerate(self.sentences, 1):
            starts = [0, *accumulate(len(token) + 1 for token in sentence.tokens)]
            spans = tuple(
                Span(starts[first], starts[after] - 1, label)
                for first, after, label in entities(sentence.tags, reading)
            )
            documents.append(
                Document(
                    str(number),
                    spans,
                    text=" ".join(sentence.tokens),
                    labels={"document": str(sentence.document)} if labelled else {},
                    place=self.place(number - 1, 0),
                )
            )
        return documents


def read_tag_file(path: str, problems: Findings) -> TagFile:
    """Return tokens and tags; what `problems` lets pass is taken for O.

    Fields are cut at tabs, or at blanks in lines without a tab. Lines that begin with `#` and do
    not end in a tag are comments, unless a tab follows the first word.
    """
    file = TagFile(path, [])
    sentence: Sentence | None = None
    document = 0
    with open_text(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = raw.rstrip(" \t\r\n")
            fields = line.split("\t" if "\t" in line else " ")
            if not line or fields[0] == DOCUMENT:
                document += bool(line)
                sentence = None
                continue
            tagged = len(fields) > 1 and is_tag(fields[-1])
            if not tagged:
                if line.startswith("#") and ("\t" not in line or " " in fields[0]):
                    continue
                problems.complain(f"{shown(path)}:{number}: {_problem(fields)}")
            if sentence is None:
                sentence = Sentence(document)
                file.sentences.append(sentence)
            sentence.tokens.append(fields[0])
            sentence.tags.append(fields[-1] if tagged else "O")
            sentence.before.append(_last_but_one(fields))
            sentence.lines.append(number)
    if not file.sentences:
        problems.complain(f"{shown(path)}: there are no tokens; give a token and its tag a line")
    return file


def _last_but_one(fields: list[str]) -> str:
    """Return the column before the tag; blanks that align columns are no fields."""
    given = [text for text in fields if text]
    return given[-2] if len(given) > 2 else ""


def _problem(fields: list[str]) -> str:
    if len(fields) < 2:
        return f"one field, {fields[0]!r}; give a token and its tag"
    return f"{fields[-1]!r} is no tag; write O, B-TYPE or I-TYPE"


def _check_parallel(file: TagFile, like: TagFile) -> None:
    """Refuse a file that differs from another in tokens or sentences, by the first place."""
    same = f"give the same tokens and sentences as in {shown(like.path)}"
    for number, (mine, theirs) in enumerate(zip(file.sentences, like.sentences, strict=False)):
        if mine.tokens == theirs.tokens:
            continue
        for k, (token, other) in enumerate(zip(mine.tokens, theirs.tokens, strict=False)):
            if token != other:
                raise DataError(
                    f"{file.place(number, k)}: the token is {token!r}, but {other!r} in "
                    f"{like.place(number, k)}; {same}"
                )
        raise DataError(
            f"{file.place(number, -1)}: the sentence ends here, but in {like.place(number, -1)}; "
            f"{same}"
        )
    here, there = len(file.sentences), len(like.sentences)
    if here != there:
        raise DataError(f"{shown(file.path)} has {several(here, 'sentence')}, not {there}; {same}")


def _gold_inside(files: Sequence[TagFile]) -> TagFile:
    """Return the gold tags of the last column but one; all files must agree about them."""
    first = files[0]
    for file in files:
        _check_parallel(file, first)
        for number, sentence in enumerate(file.sentences):
            for k, tag in enumerate(sentence.before):
                if not is_tag(tag):
                    raise DataError(
                        f"{file.place(number, k)}: no gold tag stands before the tag; name the "
                        "gold file with --gold"
                    )
            if sentence.before != first.sentences[number].before:
                raise DataError(
                    f"{file.place(number, 0)}: the gold tags are not those in "
                    f"{first.place(number, 0)}; name one gold file with --gold"
                )
    gold = TagFile(first.path, [replace(each, tags=each.before) for each in first.sentences])
    wanted, given = _types([gold]), _types(files)
    if given and wanted and given.isdisjoint(wanted):
        raise DataError(
            f"{shown(first.path)}: the last two columns have no type in common "
            f"({listed(sorted(wanted), 4)}; {listed(sorted(given), 4)}); name the gold file with "
            "--gold"
        )
    return gold


def _types(files: Sequence[TagFile]) -> set[str]:
    every = {tag for file in files for tags in file.tags() for tag in tags}
    return {take_apart(tag)[1] for tag in every - {"O"}}


def score_tags(sources: Sources, options: TagOptions) -> EntityScores:
    """Return counts `tp fp fn` per sentence, and what each system found type by type.

    Without gold each file holds gold and predicted tags, in the last two columns. The scheme is
    "lenient" (as conlleval reads: an I-tag may begin an entity) or "strict" (an entity must be
    written as the scheme of the gold tags has it).
    """
    corpus = read_corpus(sources, read_tag_file, "tags", _gold_inside)
    key, files = corpus.gold, corpus.runs
    for file in files.values():
        _check_parallel(file, key)
    every = [tags for file in files.values() for tags in file.tags()]
    written_in = scheme_of(key.tags()) or scheme_of(every) or "IOB2"
    strict = options.scheme == "strict"
    reading = STRICT[written_in] if strict else LENIENT
    if strict:
        for file in files.values():
            _check_scheme(file, written_in)
    wanted = key.documents(reading)
    outputs = {name: file.documents(reading) for name, file in files.items()}
    if not any(
        document.spans for documents in (wanted, *outputs.values()) for document in documents
    ):
        raise DataError(
            f"{key.place(0, 0)}: neither the gold nor a system has an entity; check --gold"
        )
    notices = list(corpus.problems.notices())
    for documents in outputs.values():
        notices += unknown_labels(wanted, documents)
    for name, file in (("the gold", key), *files.items()):
        notices += _stray_notices(name, file, written_in, strict)
    scored = score_entities(wanted, outputs, corpus.files, "sentence", notices)
    paths = {file.path: file for file in files.values()}
    tokens = {
        name: {
            "scheme": written_in,
            "reading": options.scheme,
            "tokens": sum(len(sentence.tokens) for sentence in key.sentences),
            "accuracy": fmean(_accuracy(key, paths[path]) for path in runs),
        }
        for name, runs in corpus.files.items()
    }
    return replace(scored, tokens=tokens)


def _accuracy(gold: TagFile, file: TagFile) -> float:
    return fmean(
        tag == wanted
        for mine, key in zip(file.sentences, gold.sentences, strict=True)
        for tag, wanted in zip(mine.tags, key.tags, strict=True)
    )


def _check_scheme(file: TagFile, scheme: str) -> None:
    """Refuse tags that the scheme of the gold does not have; they could never be right."""
    for number, tags in enumerate(file.tags()):
        for k, tag in enumerate(tags):
            if take_apart(tag)[0] not in LETTERS[scheme]:
                raise DataError(
                    f"{file.place(number, k)}: {tag!r} is no tag of {scheme}, the scheme of the "
                    "gold; --scheme lenient reads it"
                )


def _stray_notices(name: str, file: TagFile, scheme: str, strict: bool) -> Iterator[Notice]:
    """Yield a notice of entities not written as the scheme has them, and what became of them."""
    stray = sum(
        len({*entities(tags, LENIENT)} - {*entities(tags, STRICT[scheme])}) for tags in file.tags()
    )
    if stray:
        number = "1 entity" if stray == 1 else f"{stray} entities"
        became = "counted, as conlleval does; --scheme strict leaves it out"
        if strict:
            became = "left out; --scheme lenient counts it"
        text = f"{number} of {name} not written as {scheme} has it: {became}."
        yield Notice("orphan-tags", text, (name,))


def read(sources: Sources, options: TagOptions) -> Counts:
    """Return the counts of entities, sentence by sentence."""
    return score_tags(sources, options).counts


def report(sources: Sources, options: TagOptions) -> Report:
    """Return every system's scores, type by type, in the layout of conlleval."""
    return entity_report(score_tags(sources, options), sources.metrics)


def findings(systems: Sequence[str], gold: Sequence[str], options: TagOptions) -> list[Finding]:
    """Return the problems of tag files by their lines, and whether they fit the gold."""

    def read_file(path: str, problems: Findings) -> None:
        file = read_tag_file(path, problems)
        if not gold:  # else what compares them tells this, by the scheme of the gold
            scheme = scheme_of(file.tags()) or "IOB2"
            for notice in _stray_notices(shown(path), file, scheme, options.scheme == "strict"):
                problems.warn(notice.text.removesuffix("."))

    return check_files(read_file, read, systems, gold, options)

"""A judgment as files have it, and `preference_format`: a format by how judgments are read.

Rows are JSON lines, a JSON array or a table; verdicts are spelled as people and judges do.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import PARQUET, Head, read_head
from tellapart.formats.logs.rows import Row, table_rows
from tellapart.formats.problems import Findings
from tellapart.options import NoOptions
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judgment as it was read: the points of the system that was shown first."""

    item: str
    first: str
    second: str
    points: float
    place: str
    weight: int = 1
    """How often the harness itself counts it: arena-hard three times if the lead is clear"""
    labels: Mapping[str, str] = field(default_factory=dict)
    input: str = ""
    outputs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """All judgments of some files, and what is known of them together."""

    judgments: Sequence[Judgment]
    ordered: bool
    """Whether `first` is what the judge saw first"""
    reference: str | None = None
    """The system that all others were held against"""
    agreement: bool = False


def preference_format(
    name: str,
    about: str,
    *,
    recognises: Callable[[Head], bool],
    collect: Callable[[Sources, Any, Findings], Collected],
    options: type[Any] = NoOptions,
    suffixes: tuple[str, ...] = (),
    refuses: Callable[[Head], DataError | None] | None = None,
) -> Format:
    """Return the format of files of judgments: `collect` reads all files together."""

    def read(sources: Sources, given: Any) -> Counts:
        from tellapart.formats.preferences.assembly import assemble

        if sources.gold:
            raise UsageError("judgments side by side need no --gold; leave it out")
        problems = Findings(strict=True)
        return assemble(collect(sources, given, problems), sources.missing or "error", problems)

    def findings(files: Sequence[str], gold: Sequence[str], given: Any) -> Iterable[Finding]:
        problems = Findings()
        sources = Sources(tuple(files), tuple(gold))
        with problems.of_file():
            collect(sources, given, problems)
        return problems.as_read(lambda: read(sources, given).notices)

    def check(path: str, _: Head) -> None:
        collect(Sources((path,)), options(), Findings(strict=True))

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        suffixes=suffixes,
        read=read,
        options=options,
        check=check,
        refuses=refuses,
        findings=findings,
    )


def is_name(value: Any) -> bool:
    """Return whether a value may name a prompt: a text that says something, or a whole number.

    >>> is_name("q1"), is_name(81), is_name(""), is_name(None), is_name(0.5), is_name(True)
    (True, True, False, False, False, False)
    """
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool)


def refuse_same(judgment: Judgment, problems: Findings) -> bool:
    """Complain of a system that is judged against itself; return whether it is."""
    if judgment.first != judgment.second:
        return False
    problems.complain(
        f"{judgment.place}: {listed([judgment.first])} is judged against itself; name two systems"
    )
    return True


_FIRST: Final = (
    "a", "1", "first", "left", "win", "wins", "won", "better", "a>b", "a>>b", "b<a", "b<<a",
    "modela", "model1", "systema", "system1", "answera", "answer1", "outputa", "output1",
    "responsea", "response1", "assistanta", "assistant1", "optiona", "option1", "chosena",
    "generator1", "leftmodel", "awins", "abetter", "aisbetter",
)  # fmt: skip
_SECOND: Final = (
    "b", "2", "second", "right", "lose", "loses", "loss", "lost", "worse", "b>a", "b>>a", "a<b",
    "a<<b", "modelb", "model2", "systemb", "system2", "answerb", "answer2", "outputb", "output2",
    "responseb", "response2", "assistantb", "assistant2", "optionb", "option2", "chosenb",
    "generator2", "rightmodel", "bwins", "bbetter", "bisbetter",
)  # fmt: skip
_TIE: Final = (
    "tie", "ties", "tied", "draw", "drawn", "equal", "equals", "same", "similar", "both", "neither",
    "c", "a=b", "b=a", "=", "none", "nopreference", "nodifference", "tiebothbad", "bothbad",
    "tiebothgood", "bothgood", "bothequal", "equallygood", "equallybad", "thesame", "a~b", "b~a",
    "a≈b",
)  # fmt: skip
_HALF: Final = Fraction(1, 2)
_POINTS: Final = {
    **dict.fromkeys(_FIRST, Fraction(1)),
    **dict.fromkeys(_SECOND, Fraction(0)),
    **dict.fromkeys(_TIE, _HALF),
}
_BARE: Final = frozenset({"c", "1", "2", "none", "neither", "both", "same", "similar", "="})
"""Words that only mean a verdict beside other such words, or where the two systems are named"""
_NO_LETTERS: Final = re.compile(r"[\s_()\[\]\"'.:,!]+|-(?!\d)")  # -1 is another number than 1
NOTHING: Final = frozenset({"", "error", "na", "n/a", "nan", "null", "invalid", "skip", "skipped"})
"""Verdicts that are none"""


def _plain(word: str) -> str:
    """Return a verdict without brackets, blanks and underlines.

    >>> _plain("[[A]]"), _plain("tie (both bad)"), _plain("model_a")
    ('a', 'tiebothbad', 'modela')
    """
    return _NO_LETTERS.sub("", word.lower())


def is_nothing(word: str) -> bool:
    """Return whether a verdict is missing: an error of the judge, or an empty cell.

    >>> is_nothing("error"), is_nothing(" "), is_nothing("tie")
    (True, True, False)
    """
    return word.strip().lower() in NOTHING


def points_of(word: str, first: str, second: str) -> Fraction | None:
    """Return the points of the first of two systems by a word or a name; None if it says neither.

    >>> points_of("B>>A", "alder", "birch"), points_of("birch", "alder", "birch")
    (Fraction(0, 1), Fraction(0, 1))
    >>> points_of("both bad", "alder", "birch"), points_of("cedar", "alder", "birch")
    (Fraction(1, 2), None)
    """
    if word in (first, second):
        return Fraction(int(word == first))
    return _POINTS.get(_plain(word))


def are_verdicts(words: Collection[str]) -> bool:
    """Return whether words can hardly be anything but verdicts, without names beside them.

    >>> are_verdicts(["win", "tie", "lose"]), are_verdicts(["A", "B", "tie"])
    (True, True)
    >>> are_verdicts(["1", "2"]), are_verdicts(["A", "B", "C", "D"]), are_verdicts(["same"])
    (False, False, False)
    """
    plain = {_plain(word) for word in words if not is_nothing(word)}
    return bool(plain) and plain <= _POINTS.keys() and not plain <= _BARE


def number_scale(values: Collection[Fraction]) -> Callable[[Fraction], Fraction] | None:
    """Return how numbers become points of the first, by all that are there; None if not plain.

    1, 2 and 0 name the first, the second and a tie; between 1 and 2 a number leans to one of them,
    as AlpacaEval's do; 1, 0 and -1 are a win, a tie and a loss of the first. 0 and 1 alone might
    count wins as well as name places.

    >>> number_scale([Fraction(1), Fraction(2), Fraction(0)])(Fraction(0))
    Fraction(1, 2)
    >>> number_scale([Fraction(0), Fraction(1)]) is None
    True
    """
    low, high = min(values), max(values)
    if 1 < high <= 2 and all(value >= 1 or value == 0 for value in values):
        return lambda value: 2 - value if value else _HALF
    if low == -1 and set(values) <= {Fraction(-1), Fraction(0), Fraction(1)}:
        return lambda value: (1 + value) / 2
    return None


_GLANCED: Final = 50  # rows that a guess looks at


def preference_rows(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the rows of a table of any kind, whatever separates its cells."""
    head = read_head(path)
    if head.data.startswith(PARQUET) or head.text.lstrip().startswith(("{", "[")):
        yield from table_rows(path, problems)
        return
    from tellapart.formats.tables.files import read_batches

    for batch in read_batches(path, problems):
        for k, cells in enumerate(zip(*batch.columns.values(), strict=True)):
            yield Row(batch.place(k), dict(zip(batch.columns, cells, strict=True)))


def glanced_rows(head: Head) -> list[dict[str, Any]]:
    r"""Return the first rows of what looks like a table or JSON; none if it is neither.

    >>> glanced_rows(Head("x", b"id,winner\n1,tie\n2,A\n3", whole=False))
    [{'id': '1', 'winner': 'tie'}, {'id': '2', 'winner': 'A'}]
    >>> glanced_rows(Head("x", b'[{"winner": "tie"}, {"win', whole=False))
    [{'winner': 'tie'}]
    """
    text = head.text.lstrip()
    if text.startswith(("{", "[")):
        return list(_glanced_json(text))
    lines = head.filled_lines(_GLANCED)
    if len(lines) < 2:
        return []
    mark = next((mark for mark in "\t,;" if mark in lines[0]), ",")
    try:
        names, *rows = csv.reader(lines, delimiter=mark)
    except csv.Error:
        return []
    names = [name.strip() for name in names]
    return [dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names)]


def _glanced_json(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that are there in full: one a line, or those of one array."""
    decoder, place = json.JSONDecoder(), 0
    for _ in range(_GLANCED):
        place = text.find("{", place)
        if place < 0:
            return
        try:
            row, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        yield row

"""Histories as files of 1992, and decisions as rows of a log.

The file is one Lisp expression, messages > key templates > slots > entries; an entry is a response
value, a status, and the key value (or several, `all-of`) that it was matched with. It is written in
UTF-8; one that is none is read as keys and responses are, with a character for every byte.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD, check_writable, write_together
from tellapart.files import shown as shown_path
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import (
    STATUSES,
    Change,
    Entry,
    Fill,
    History,
    Numbers,
    Outcome,
    Pairing,
    Pairs,
    Place,
    Status,
    Subject,
    agree,
    described,
    where,
)
from tellapart.formats.templates.muc_reader import ENCODING, read_whole
from tellapart.formats.templates.values import (
    Alternatives,
    Between,
    Location,
    Optional,
    Qualified,
    Range,
    Reference,
    Text,
    Value,
    equal,
    parts,
)

MAP: Final = ":MAP"
_KINDS: Final[dict[str, Any]] = {
    "or": Alternatives, "optional": Optional, "xref": Reference, "range": Range,
    "qualified": Qualified, "location": Location, "between": Between,
}  # fmt: skip
_HEADS: Final = {kind: head for head, kind in _KINDS.items()}


def read_history(path: str, design: Design, problems: Findings) -> History:
    """Return the history of a file; if it does not parse, that is a problem."""
    with problems.of_file():
        return parse_history(read_whole(path), path, design, problems)
    return History()


def parse_history(content: str, path: str, design: Design, problems: Findings) -> History:
    """Return the history in the content of a file, which has a character for every byte."""
    content = _decoded(content)
    reader = _Reader(design)

    def place(at: int) -> str:
        return f"{shown_path(path)}:{content.count(chr(10), 0, at) + 1}"

    try:
        history = reader.history(expression(content))
    except LispError as problem:
        raise DataError(
            f"{place(problem.at)}: the history does not parse: {problem}; restore it from a copy"
        ) from None
    for at, text in reader.conflicts:
        problems.warn(f"{place(at)}: {text}")
    return history


def _decoded(content: str) -> str:
    """Return what UTF-8 says that a content with a character for every byte is, if it is UTF-8."""
    with suppress(UnicodeDecodeError):
        return content.encode(ENCODING).decode("utf-8", "surrogatepass")
    return content


@dataclass(slots=True)
class _Reader:
    """Turns Lisp lists into a history."""

    design: Design
    at: int = 0
    """Where the list begins that is being read"""
    conflicts: list[tuple[int, str]] = field(default_factory=list)
    """What is decided otherwise elsewhere, and where it stands"""

    def history(self, top: List) -> History:
        history = History()
        for message, templates in self._headed(top, "a message"):
            for number, rest in self._headed(templates, "a template"):
                if isinstance(number, Symbol) and number.upper() == MAP:
                    system = rest.pop(0) if rest and isinstance(rest[0], str) else None
                    pairing, made = Pairing(message, system), tuple(map(self._pair, rest))
                    self._compare(history, pairing, made, "the last")
                    history.pairings[pairing] = made
                    continue
                for slot, entries in self._headed(rest, "the name of a slot"):
                    if slot not in self.design.position:
                        raise LispError("here should be the name of a slot", self.at)
                    for entry in entries:
                        self._entry(history, (message, str(number), str(slot)), entry)
        return history

    def _headed(self, items: List, what: str) -> Iterator[tuple[str, List]]:
        """Yield what stands first in each of some lists, and the others."""
        for item in items:
            self.at = getattr(item, "at", items.at)
            if not isinstance(item, List) or not item or not isinstance(item[0], str):
                raise LispError(f"here should be {what}", self.at)
            head, rest = item[0], List(item[1:])
            rest.at = item.at
            yield head, rest

    def _pair(self, pair: Any) -> Numbers:
        """Return a pair `("1" . "2")` of template numbers, of which one may be missing."""
        match pair:
            case [str() | None as key]:
                return key, None
            case [str() | None as key, ".", str() | None as response]:
                return key, response
        raise LispError("here should be a pair of template numbers", self.at)

    def _entry(self, history: History, place: Place, item: Any) -> None:
        self.at = getattr(item, "at", self.at)
        match item:
            case [response, "fail" as status]:
                keys: list[Any] = []
            case [response, ("match" | "partial") as status, ["all-of", *keys]]:
                pass
            case [response, ("match" | "partial") as status, key]:
                keys = [key]
            case _:
                raise LispError(
                    "a decision is VALUE fail, VALUE match KEY or VALUE partial KEY", self.at
                )
        entry = Entry(self.value(response), status, tuple(map(self.value, keys)))
        fill = Fill(place, entry.response)
        self._compare(history, fill, entry, "the first")
        history.entries.setdefault(place, []).append(entry)

    def _compare(self, history: History, subject: Subject, outcome: Outcome, counts: str) -> None:
        before = history.decided(subject)
        if before is not None and not agree(before, outcome):
            both = f"both {described(before)} and {described(outcome)}; {counts} counts"
            self.conflicts.append((self.at, f"{where(subject)} is {both}"))

    def value(self, item: Any) -> Value:
        match item:
            case None:
                return None
            case str() if not isinstance(item, Symbol):
                return self.design.text(item)
            case ["xref", value, None]:
                return self.value(value)  # as fills are read whose tag is left empty
            case [("or" | "location") as head, _, *_]:
                return cast(Value, _KINDS[head](tuple(map(self.value, item[1:]))))
            case [("xref" | "range" | "qualified" | "between") as head, first, second]:
                return cast(Value, _KINDS[head](self.value(first), self.value(second)))
            case ["optional", content]:
                return Optional(self.value(content))
        raise LispError("this is no value", self.at)


def slots_in(content: str) -> list[str]:
    """Return the slots that a history names, whatever the design; none if it does not parse.

    >>> slots_in('(("d1" ("1" (victim ("anna" match "ana")) (perp ("bo" fail)))))')
    ['victim', 'perp']
    """
    with suppress(LispError):
        inner = expression(_decoded(content))
        for _ in range(2):  # messages hold templates, and those slots
            inner = List(each for part in inner if isinstance(part, List) for each in part[1:])
        heads = [slot[0] for slot in inner if isinstance(slot, List) and slot]
        return list(dict.fromkeys(str(head) for head in heads if isinstance(head, Symbol)))
    return []


def write_history(path: str, history: History) -> None:
    """Write a history, whole or not at all."""
    write_together({path: history_text(history).encode("utf-8", "surrogatepass")})


def history_text(history: History) -> str:
    r"""Return a history as it is kept in a file.

    >>> pairings = {Pairing("M1", "GE"): (("1", "2"), (None, "1"))}
    >>> print(history_text(History(pairings=pairings)), end="")
    (("M1"
      (:MAP "GE" ("1" . "2") (nil . "1"))))
    """
    messages: dict[str, list[str]] = {message: [] for message, _, _ in history.entries}
    for pairing, pairs in history.pairings.items():
        messages.setdefault(pairing.message, []).append(_map_text(pairing.system, pairs))
    templates: dict[tuple[str, str], list[str]] = {}
    for (message, number, slot), entries in history.entries.items():
        rows = "".join(f"\n    {_entry_text(entry)}" for entry in entries)
        templates.setdefault((message, number), []).append(f"\n   ({slot}{rows})")
    for (message, number), slots in templates.items():
        messages[message].append(f"\n  ({_quoted(number)}{''.join(slots)})")
    return (
        "("
        + "\n ".join(f"({_quoted(name)}{''.join(parts)})" for name, parts in messages.items())
        + ")\n"
    )


@dataclass(slots=True)
class HistoryFile:
    """The decisions in a history file, which may be new, while somebody adds to them."""

    path: str
    design: Design
    history: History = field(init=False)
    warnings: list[str] = field(init=False)
    """What is odd about the file, though it can be worked on"""
    _content: str | None = field(init=False)
    """What was last read or written; None while there is no file"""

    def __post_init__(self) -> None:
        check_writable(self.path)
        special = os.path.exists(self.path) and not os.path.isfile(self.path)
        if special or self.path == STANDARD or self.path.endswith(".gz"):
            raise UsageError(f"{self.path}: decisions are kept in a plain file: name one")
        self._content = self._on_disk()
        content, problems = self._content or "", Findings(strict=True)
        self.history = parse_history(content, self.path, self.design, problems)
        self.warnings = [each.text for each in problems.found]
        if any(token[0].startswith(";") for token in _TOKEN.finditer(content)):
            text = "its comments (;) are lost when a decision is written; keep a copy"
            self.warnings.append(f"{self.path}: {text}")

    def write(self, changes: Iterable[Change]) -> None:
        """Carry out changes, which are on disk on return."""
        if self._on_disk() != self._content:
            raise UsageError(
                f"{self.path}: another program has changed the history meanwhile; begin again"
            )
        history = self.history.copy()
        for change in changes:
            history.carry_out(change)
        write_history(self.path, history)
        self.history, self._content = history, self._on_disk()

    def _on_disk(self) -> str | None:
        return read_whole(self.path) if os.path.exists(self.path) else None


def value_text(value: Value) -> str:
    r"""Return a value as it is kept in a history.

    >>> from tellapart.formats.templates.design import load_design
    >>> print(value_text(Optional(load_design().text('"MEN"'))))
    (optional "\"MEN\"")
    """
    if value is None or isinstance(value, Text):
        return _quoted(None if value is None else value.text)
    return f"({_HEADS[type(value)]} {' '.join(map(value_text, parts(value)))})"


def parse_value(text: str, design: Design) -> Value:
    """Return the value that a history keeps as this text; a LispError if it is none."""
    (item,) = expression(f"({text})")
    return _Reader(design).value(item)


def _map_text(system: str | None, pairs: Pairs) -> str:
    name = "" if system is None else f" {_quoted(system)}"
    listed = "".join(f" ({_quoted(key)} . {_quoted(response)})" for key, response in pairs)
    return f"\n  ({MAP}{name}{listed})"


def _entry_text(entry: Entry) -> str:
    if entry.status == "fail":
        return f"({value_text(entry.response)} fail)"
    keys = [value_text(key) for key in entry.keys]
    key = keys[0] if len(keys) == 1 else f"(all-of {' '.join(keys)})"
    return f"({value_text(entry.response)} {entry.status} {key})"


def _quoted(text: str | None) -> str:
    return "nil" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class LispError(Exception):
    """The text is not the expression that it should be; `at` is where."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at


_DEEPEST: Final = 100
_TOKEN = re.compile(r'[\s]+|;[^\n]*|([()])|"((?:\\.|[^"\\])*)"|([^\s()";]+)', re.DOTALL)


class Symbol(str):
    """A word of Lisp, which is no text."""


class List(list[Any]):
    """A list of Lisp: texts, symbols, lists, and None for `nil`."""

    at = 0
    """Where it begins"""


def expression(content: str) -> List:
    r"""Return one Lisp list, parsed; `nil` or nothing at all is an empty one.

    >>> expression('("a \\"b\\"" fail)')
    ['a "b"', 'fail']
    """
    top = List()
    stack = [top]
    at = 0
    while at < len(content):
        token = _TOKEN.match(content, at)
        if token is None:
            raise LispError("a string is not closed", at)
        bracket, text, symbol = token.groups()
        if bracket == "(":
            stack[-1].append(List())
            stack.append(stack[-1][-1])
            stack[-1].at = at
            if len(stack) > _DEEPEST:
                raise LispError(f"lists are nested more than {_DEEPEST} deep", at)
        elif bracket == ")":
            if len(stack) == 1:
                raise LispError("there is a closing parenthesis too many", at)
            stack.pop()
        elif text is not None:
            stack[-1].append(re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL))
        elif symbol is not None:
            stack[-1].append(None if symbol.lower() == "nil" else Symbol(symbol))
        at = token.end()
    if len(stack) > 1:
        raise LispError("this parenthesis is not closed", stack[-1].at)
    match top:
        case [] | [None]:
            return List()
        case [List() as only]:
            return only
    raise LispError("there should be one list, and no more than one", at)


# Rows of a log


def question_of(subject: Subject) -> tuple[str, str]:
    """Return the kind and the subject by which a log knows what a decision is about.

    >>> question_of(Pairing("TST3-MUC4-0001", "GE"))
    ('pairing', '{"message": "TST3-MUC4-0001", "system": "GE"}')
    """
    if isinstance(subject, Pairing):
        return "pairing", _canonical({"message": subject.message, "system": subject.system})
    message, key, slot = subject.place
    response = value_text(subject.response)
    about = {"message": message, "key": key, "slot": slot, "response": response}
    return "fill", _canonical(about)


def outcome_of(outcome: Outcome) -> str:
    """Return what a log keeps of an outcome.

    >>> outcome_of((("1", "2"), ("2", None)))
    '{"pairs": [["1", "2"], ["2", null]]}'
    """
    if isinstance(outcome, Entry):
        keys = [value_text(key) for key in outcome.keys]
        return _canonical({"status": outcome.status, "keys": keys})
    return _canonical({"pairs": outcome})


def change_of(design: Design, kind: str, subject: str, outcome: str | None) -> Change:
    """Return what a row of a log changes in a history: what holds from then on, or nothing.

    >>> from tellapart.formats.templates.design import load_design
    >>> change_of(load_design(), "pairing", '{"message": "M1", "system": "GE"}', None)
    Change(subject=Pairing(message='M1', system='GE'), after=None)
    """
    about, found = json.loads(subject), json.loads(outcome or "null")
    if not all(isinstance(text, str) for text in about.values()):
        raise ValueError("what it is about is told by texts")
    if kind == "pairing":
        pairing = Pairing(about["message"], about["system"])
        pairs = None if found is None else tuple((key, own) for key, own in found["pairs"])
        return Change(pairing, pairs)
    if about["slot"] not in design.position:
        raise ValueError(f"there is no slot {about['slot']!r}")
    place = about["message"], about["key"], about["slot"]
    fill = Fill(place, parse_value(about["response"], design))
    if found is None:
        return Change(fill, None)
    if found["status"] not in STATUSES:
        raise ValueError(f"a decision is {', '.join(STATUSES)}")
    keys = tuple(parse_value(key, design) for key in found["keys"])
    return Change(fill, Entry(fill.response, cast(Status, found["status"]), keys))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@dataclass(slots=True)
class Spellings:
    """The fills that people decide about, each as it was first spelled.

    Two fills that count as equal are one question, and a log knows it by one spelling.

    >>> from tellapart.formats.templates.design import load_design
    >>> text, place = load_design().text, ("M1", "1", "hum-tgt-desc")
    >>> known = Spellings()
    >>> known.first(Fill(place, text('"THE MEN"'))).response.text
    '"THE MEN"'
    >>> known.first(Fill(place, text('"MEN"'))).response.text
    '"THE MEN"'
    """

    _in_log: dict[Place, dict[Fill, None]] = field(default_factory=dict)
    _elsewhere: dict[Place, list[Fill]] = field(default_factory=dict)

    def learn(self, fill: Fill) -> None:
        """Take down how the log spells a fill, which goes before how others would."""
        self._in_log.setdefault(fill.place, {})[fill] = None

    def first(self, fill: Fill) -> Fill:
        """Return a fill in the spelling that is known, which is its own if none is."""
        elsewhere = self._elsewhere.setdefault(fill.place, [])
        known: tuple[Fill, ...] = (*self._in_log.get(fill.place, ()), *elsewhere)
        for each in known:
            if equal(fill.response, each.response):
                return each
        elsewhere.append(fill)
        return fill

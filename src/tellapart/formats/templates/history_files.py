"""Reading and writing histories.

The file is one Lisp expression, messages > key templates > slots > entries; an entry is a response
value, a status, and the key value (or several, `all-of`) that it was matched with.

It is written in UTF-8, and its first line says so if there is any character beyond ASCII. A file
that does not say so is as old as the format: its texts are read like those of keys and responses, a
character for every byte, so that both agree whatever their encoding is.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from tellapart.errors import DataError
from tellapart.files import shown as shown_path
from tellapart.files import write_together
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.history import (
    STATUSES,
    Entry,
    History,
    Pairs,
    Status,
    agree,
    described,
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
    shown,
)

MAP: Final = ":MAP"
_HEADS: dict[type, str] = {
    Alternatives: "or", Optional: "optional", Reference: "xref", Range: "range",
    Qualified: "qualified", Location: "location", Between: "between",
}  # fmt: skip
_PAIRED = {"xref": Reference, "range": Range, "qualified": Qualified, "between": Between}


_CODING: Final = "; -*- coding: utf-8 -*-\n"
_SAYS_UTF_8: Final = re.compile(r";[^\n]*coding[:=][ \t]*utf-?8\b", re.IGNORECASE)


def read_history(path: str, design: Design, problems: Findings) -> History:
    """Return the history of a file; if it does not parse, that is a problem."""
    with problems.of_file():
        return parse_history(read_whole(path), path, design, problems)
    return History()


def parse_history(content: str, path: str, design: Design, problems: Findings) -> History:
    """Return the history in the content of a file, which has a character for every byte."""
    marked = _SAYS_UTF_8.match(content) is not None
    if marked:
        try:
            content = content.encode(ENCODING).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as problem:
            raise DataError(
                f"{_place(path, content, problem.start)}: this is not UTF-8, and the first line "
                "says that the history is; restore it from a copy"
            ) from None
    reader = _Reader(design, marked)
    try:
        history = reader.history(expression(content))
    except LispError as problem:
        raise DataError(
            f"{_place(path, content, problem.at)}: the history does not parse: {problem}; restore "
            "it from a copy, or start a new one"
        ) from None
    for at, text in reader.unused:
        problems.warn(f"{_place(path, content, at)}: {text}")
    return history


def _place(path: str, content: str, at: int) -> str:
    line = content.count("\n", 0, at) + 1
    return f"{shown_path(path)}:{line}"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns Lisp lists into a history."""

    design: Design
    decoded: bool = True
    """Whether its texts are characters, not bytes of whatever encoding"""
    unused: list[tuple[int, str]] = field(default_factory=list)
    """What nobody will look up, and where it stands"""

    def history(self, top: List) -> History:
        history = History()
        for message in top.items:
            name, *templates = list_of(message, 1).items
            for template in templates:
                self._template(history, string_of(name), list_of(template, 1))
        return history

    def _template(self, history: History, message: str, template: List) -> None:
        head, *slots = template.items
        if isinstance(head, Atom) and not head.quoted and head.text.upper() == MAP:
            system, pairs = _pairing(slots)
            if system is not None and not self.decoded:
                system = _decoded(system)
            stored = history.pairings.setdefault(message, {})
            if stored.get(system, pairs) != pairs:
                text = f"{message} is paired otherwise for {system or 'all systems'} already"
                self.unused.append((template.at, f"{text}; this pairing, the last, counts"))
            stored[system] = pairs
            return
        known = history.entries.setdefault(message, {}).setdefault(string_of(head), {})
        for slot in slots:
            name, *entries = list_of(slot, 1).items
            if not isinstance(name, Atom) or name.text not in self.design.position:
                raise LispError("here should be the name of a slot", name.at)
            found = known.setdefault(name.text, [])
            for each in entries:
                entry = self._entry(each)
                first = next((e for e in found if equal(entry.response, e.response)), entry)
                if not agree(first, entry):
                    text = f"{shown(entry.response)} is decided otherwise already, as "
                    text += f"{described(first)}; that counts, and not {described(entry)}"
                    self.unused.append((each.at, text))
                found.append(entry)

    def _entry(self, item: Item) -> Entry:
        response, status, *key = list_of(item, 2).items
        if not isinstance(status, Atom) or status.text not in STATUSES:
            raise LispError(f"a decision is {', '.join(STATUSES)}", status.at)
        if (status.text == "fail") != (not key) or len(key) > 1:
            raise LispError("a match names one key value, a failure none", item.at)
        return Entry(
            self.value(response),
            cast(Status, status.text),
            self._keys(key[0]) if key else (),
        )

    def _keys(self, item: Item) -> tuple[Value, ...]:
        if isinstance(item, List) and item.items and getattr(item.items[0], "text", "") == "all-of":
            return tuple(self.value(each) for each in item.items[1:])
        return (self.value(item),)

    def value(self, item: Item) -> Value:
        if is_nil(item):
            return None
        if isinstance(item, Atom):
            return self.design.text(string_of(item))
        head, *rest = list_of(item, 2).items
        values = [self.value(each) for each in rest]
        name = head.text if isinstance(head, Atom) else ""
        if name == "xref" and len(values) == 2 and values[1] is None:
            return values[0]  # as fills are read whose tag is left empty
        if name in _PAIRED and len(values) == 2:
            return cast(Value, _PAIRED[name](*values))
        if name == "or":
            return Alternatives(tuple(values))
        if name == "location":
            return Location(tuple(values))
        if name == "optional" and len(values) == 1:
            return Optional(values[0])
        raise LispError("this is no value", item.at)


def _pairing(items: list[Item]) -> tuple[str | None, Pairs]:
    """Return the pairs `("1" . "2")` of a message, after the system's name if there is one."""
    system = None
    if items and isinstance(items[0], Atom):
        system, items = string_of(items[0]), items[1:]
    pairs = []
    for item in items:
        key, *rest = list_of(item, 1).items
        response = [each for each in rest if not (isinstance(each, Atom) and each.text == ".")]
        if len(response) > 1:
            raise LispError("here should be a pair of template numbers", item.at)
        other = None if not response or is_nil(response[0]) else string_of(response[0])
        pairs.append((None if is_nil(key) else string_of(key), other))
    return system, tuple(pairs)


def _decoded(name: str) -> str:
    """Return the name of a system, whose bytes may be UTF-8: it comes from the command line."""
    try:
        return name.encode(ENCODING).decode()
    except UnicodeDecodeError:
        return name


def write_history(path: str, history: History) -> None:
    """Write a history, whole or not at all."""
    content = history_content(history).encode(ENCODING)
    if path.endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    write_together({path: lambda stream: stream.write(content)})


def history_content(history: History) -> str:
    """Return what a file of a history holds, as it is read: with a character for every byte."""
    text = history_text(history)
    if not text.isascii():
        text = _CODING + text
    return text.encode("utf-8", "surrogatepass").decode(ENCODING)


def history_text(history: History) -> str:
    r"""Return a history as it is kept in a file.

    >>> print(history_text(History(pairings={"M1": {"GE": (("1", "2"), (None, "1"))}})), end="")
    (("M1"
      (:MAP "GE" ("1" . "2") (nil . "1"))))
    """
    messages = []
    for message in dict.fromkeys([*history.entries, *history.pairings]):
        lines = [
            _map_text(system, pairs) for system, pairs in history.pairings.get(message, {}).items()
        ]
        for number, slots in history.entries.get(message, {}).items():
            rows = [
                f"\n   ({slot}" + "".join(f"\n    {_entry_text(e)}" for e in entries) + ")"
                for slot, entries in slots.items()
            ]
            lines.append(f"\n  ({_quoted(number)}{''.join(rows)})")
        messages.append(f"({_quoted(message)}{''.join(lines)})")
    return "(" + "\n ".join(messages) + ")\n"


def value_text(value: Value) -> str:
    r"""Return a value as it is kept in a history.

    >>> from tellapart.formats.templates.design import load_design
    >>> print(value_text(Optional(load_design().text('"MEN"'))))
    (optional "\"MEN\"")
    """
    if value is None:
        return "nil"
    if isinstance(value, Text):
        return _quoted(value.text)
    return f"({_HEADS[type(value)]} {' '.join(map(value_text, parts(value)))})"


def parse_value(text: str, design: Design) -> Value:
    """Return the value that a history keeps as this text; a LispError if it is none."""
    (item,) = expression(f"({text})").items
    return _Reader(design).value(item)


def _map_text(system: str | None, pairs: Pairs) -> str:
    name = "" if system is None else f" {_quoted(system)}"
    listed = "".join(f" ({_number(key)} . {_number(response)})" for key, response in pairs)
    return f"\n  ({MAP}{name}{listed})"


def _number(number: str | None) -> str:
    return "nil" if number is None else _quoted(number)


def _entry_text(entry: Entry) -> str:
    if entry.status == "fail":
        return f"({value_text(entry.response)} fail)"
    keys = [value_text(key) for key in entry.keys]
    key = keys[0] if len(keys) == 1 else f"(all-of {' '.join(keys)})"
    return f"({value_text(entry.response)} {entry.status} {key})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class LispError(Exception):
    """The text is not the expression that it should be; `at` is where."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at


_DEEPEST: Final = 100
_TOKEN = re.compile(r'[\s]+|;[^\n]*|([()])|"((?:\\.|[^"\\])*)"|([^\s()";]+)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol or a string, and where it stands."""

    text: str
    quoted: bool
    at: int


@dataclass(frozen=True, slots=True)
class List:
    """A list, and where it begins."""

    items: list[Item]
    at: int


Item: TypeAlias = Atom | List


def expression(content: str) -> List:
    r"""Return one Lisp list, parsed; `nil` or nothing at all is an empty one.

    >>> [item.text for item in expression('("a \\"b\\"" fail)').items]
    ['a "b"', 'fail']
    """
    top = List([], 0)
    stack = [top]
    at = 0
    while at < len(content):
        token = _TOKEN.match(content, at)
        if token is None:
            raise LispError("a string is not closed", at)
        if token[1] == "(":
            if len(stack) > _DEEPEST:
                raise LispError(f"lists are nested more than {_DEEPEST} deep", at)
            stack.append(List([], at))
        elif token[1] == ")":
            if len(stack) == 1:
                raise LispError("there is a closing parenthesis too many", at)
            done = stack.pop()
            stack[-1].items.append(done)
        elif token[2] is not None:
            stack[-1].items.append(Atom(re.sub(r"\\(.)", r"\1", token[2], flags=re.S), True, at))
        elif token[3] is not None:
            stack[-1].items.append(Atom(token[3], False, at))
        at = token.end()
    if len(stack) > 1:
        raise LispError("this parenthesis is not closed", stack[-1].at)
    if len(top.items) > 1:
        raise LispError("there is more than one expression", top.items[1].at)
    if not top.items or is_nil(top.items[0]):
        return List([], 0)
    return list_of(top.items[0])


def has_comments(content: str) -> bool:
    r"""Return whether a history has comments, apart from the one that says how it is encoded.

    >>> has_comments('(("M1")) ; ours'), has_comments('(("M;1"))')
    (True, False)
    """
    own = content.removeprefix(_CODING)
    return any(found[0].startswith(";") for found in _TOKEN.finditer(own))


def is_nil(item: Item) -> bool:
    """Return whether an item is the symbol for nothing."""
    return isinstance(item, Atom) and not item.quoted and item.text.lower() == "nil"


def list_of(item: Item, length: int = 0) -> List:
    """Return a list that has at least so many items, or complain."""
    if not isinstance(item, List) or len(item.items) < length:
        raise LispError("here should be a list" + (f" of {length}" if length else ""), item.at)
    return item


def string_of(item: Item) -> str:
    """Return the text of a string, or complain."""
    if not isinstance(item, Atom) or not item.quoted:
        raise LispError("here should be a text in quotation marks", item.at)
    return item.text

"""Reading template files, keys and responses alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tellapart.files import open_text
from tellapart.files import shown as shown_path
from tellapart.formats.head import Head, read_head
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.muc_fills import NOTHING, FillError, parse_fill, readable
from tellapart.formats.templates.values import Value, mentions, shown, upper_case

IRRELEVANT = "*"
"""The number of the template of a message in which nothing is to be found"""
ERROR = "<ERROR>"
"""What takes the place of a fill of which nothing can be read"""

COMMENT = ";"
"""What begins a comment"""
ENCODING: Final = "latin-1"
"""Of all files of the conferences; every byte is a character"""
_MARK: Final = "\ufeff".encode().decode(ENCODING)  # the byte-order mark that some editors add

_BLANK = " \t"
_ANY_STOP = "."  # where a template begins, any character is accepted in place of the full stop
_OPTIONAL = re.compile(r"\([ \t]*OPTIONAL[ \t]*\)$")

Fills = tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """One template: the fills of each scored slot, in the order of the slot table."""

    message: str
    number: str
    optional: bool
    fills: tuple[Fills, ...]
    line: int = 0
    """Where it begins in a file of 1992"""

    @property
    def relevant(self) -> bool:
        """Whether it is more than the remark that the message is irrelevant."""
        return self.number != IRRELEVANT


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The templates of a file by message, in file order."""

    messages: dict[str, list[Template]] = field(default_factory=dict)

    def sorted(self, message: str) -> list[Template]:
        """Return a message's templates by number, as texts; equal ones in reverse order."""
        latest_first = self.messages.get(message, [])[::-1]
        return sorted(latest_first, key=lambda each: each.number)


def looks_like_muc(head: Head) -> bool:
    """Return whether a file begins with a template of the conferences."""
    return re.search(r"^0\.[ \t]+MESSAGE:? ID\s", head.text, re.MULTILINE) is not None


def is_muc(path: str, *, doubtful: bool = True) -> bool:
    """Return whether a file has templates as the conferences wrote them down.

    What is no JSON either is `doubtful`.
    """
    head = read_head(path)
    begin = head.text.lstrip("\ufeff \t\r\n")
    return looks_like_muc(head) or (doubtful and bool(begin) and not begin.startswith(("{", "[")))


def read_whole(path: str, encoding: str = ENCODING) -> str:
    """Return what is in a file, without its byte-order mark."""
    with open_text(path, encoding) as stream:
        return stream.read().removeprefix(_MARK)


def read_templates(path: str, design: Design, problems: Findings) -> TemplateFile:
    """Return the templates of a file; whatever is wrong with it becomes a problem."""
    reader, file = _Reader(path, design, problems), TemplateFile()
    for start, lines, begins in _stretches(read_whole(path).split("\n"), design):
        if not begins:
            reader.outside(start, lines)
            continue
        template = reader.template(start, lines)
        if template is not None:
            others = file.messages.setdefault(template.message, [])
            if any(other.number == template.number for other in others):
                reader.warn(
                    start,
                    f"{template.message!r} has two templates {template.number!r}; both count",
                )
            others.append(template)
    if not file.messages and not reader.failed:
        problems.complain(
            f"{shown_path(path)}: there is no template of {design.name} in this file; one "
            f"begins with {design.message_slot.prefix!r}"
        )
    return file


def _stretches(lines: Sequence[str], design: Design) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the lines between blank ones, the number of the first, and whether a template begins.

    A template ends at a blank line, or where the next one begins.
    """
    stretch: list[str] = []
    start, is_template = 0, False
    for number, line in enumerate(lines, 1):
        blank = not line.strip(" \t\r\f")
        begins = not blank and design.message_slot.label_end(line, _ANY_STOP) is not None
        if stretch and (blank or begins):
            yield start, stretch, is_template
            stretch = []
        if not blank:
            if not stretch:
                start, is_template = number, begins
            stretch.append(line.rstrip("\r"))
    if stretch:
        yield start, stretch, is_template


def _is_remark(line: str) -> bool:
    """Return whether a line between templates is a comment, or an ornament such as `* * *`."""
    return line.lstrip(_BLANK).startswith(COMMENT) or not any(map(str.isalnum, line))


@dataclass(slots=True)
class _Reader:
    """Reads the templates of one file and says what is wrong with them."""

    path: str
    design: Design
    problems: Findings
    failed: bool = False

    def warn(self, line: int, text: str) -> None:
        self.problems.warn(f"{shown_path(self.path)}:{line}: {text}")

    def ignore(self, number: int, what: str, line: str) -> None:
        self.warn(number, f"{what} is ignored: {line[:60]!r}")

    def fail(self, line: int, text: str) -> None:
        self.failed = True
        self.problems.complain(f"{shown_path(self.path)}:{line}: {text}")

    def outside(self, start: int, lines: Sequence[str]) -> None:
        """Look for what is lost in lines that belong to no template."""
        told = [(at, line) for at, line in enumerate(lines, start) if not _is_remark(line)]
        if any(slot.label_end(line, _ANY_STOP) for _, line in told for slot in self.design.slots):
            at, line = told[0]
            first = self.design.message_slot.prefix
            self.fail(at, f"{line[:60]!r} begins no template; begin with {first!r} and a message")
            return
        for at, line in told:
            self.ignore(at, "a line outside of templates", line)

    def template(self, start: int, block: Sequence[str]) -> Template | None:
        """Return the template of some lines, if it can be scored."""
        found = self._slot_lines(start, block)
        missing = [slot.prefix for slot in self.design.slots if slot.name not in found]
        for prefix in missing:
            self.fail(start, f"the template has no line {prefix!r}; add it, with - if it is empty")
        if missing:
            return None
        message, _, rest = self._text_of(self.design.message_slot, found).partition(" ")
        if not message:
            self.fail(start, "the template names no message; name it")
            return None
        if rest:
            self.warn(start, f"the message is {message!r}; what follows is ignored: {rest[:60]!r}")
        number, optional = _number(self._text_of(self.design.number_slot, found))
        if number != IRRELEVANT and not number.isdecimal():
            self.warn(start, f"the template's number is read as {number[:60]!r}; give digits alone")
        fills = tuple(self._fills(slot, found[slot.name]) for slot in self.design.scored)
        template = Template(message, number, optional, fills, start)
        if not template.relevant and any(fills):
            self.warn(start, f"template {number!r} is irrelevant; its fills do not count")
        return template

    def _text_of(self, slot: Slot, found: Mapping[str, Sequence[tuple[int, str]]]) -> str:
        """Return the text of a slot, its blanks as single ones."""
        return " ".join(upper_case(" ".join(text for _, text in found[slot.name])).split())

    def _slot_lines(self, start: int, block: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
        """Collect each slot's lines with their numbers; the first line lacks the label."""
        found: dict[str, list[tuple[int, str]]] = {}
        current: list[tuple[int, str]] | None = None
        for number, line in enumerate(block, start):
            if line.lstrip(_BLANK).startswith(COMMENT):
                self.ignore(number, "a comment inside a template", line)
                continue
            if line[0] in _BLANK:
                if current is not None:
                    current.append((number, line))
                else:
                    self.ignore(number, "a line of no slot", line)
                continue
            slot, rest = self._labelled(line, first=number == start)
            current = None
            if slot is None:
                self.ignore(number, "a line without a known label", line)
            elif slot.name in found:
                self.warn(number, f"{slot.prefix!r} appears twice; the first counts")
            else:
                current = found[slot.name] = [(number, rest)]
        return found

    def _labelled(self, line: str, *, first: bool) -> tuple[Slot | None, str]:
        """Return the slot whose label begins a line, and what follows the label."""
        number = line.partition(".")[0]
        known = (slot for slot in self.design.slots if str(slot.number) == number)
        for slot in [self.design.message_slot] if first else known:
            end = slot.label_end(line, _ANY_STOP if first else r"\.")
            if end is not None:
                return slot, line[end:]
        return None, ""

    def _fills(self, slot: Slot, lines: Sequence[tuple[int, str]]) -> Fills:
        if not lines[0][1].strip(_BLANK):
            self.warn(lines[0][0], f"{slot.prefix!r} is followed by nothing; it counts as -")
            return ()
        values = (self._fill(slot, number, text) for number, text in _joined(lines))
        return tuple(value for value in values if value is not None)

    def _fill(self, slot: Slot, number: int, text: str) -> Value:
        text = text.strip(_BLANK)
        if text in NOTHING:
            return None
        try:
            value = parse_fill(text, slot.kind, self.design)
        except FillError as problem:
            value = readable(text, slot.kind, self.design)
            counted = "wrong" if value is None else repr(shown(value)[:60])
            self.warn(number, f"{text[:60]!r} in {slot.name} counts as {counted}: {problem}")
            value = self.design.text(ERROR) if value is None else value
        for member in mentions(value) if slot.values else ():
            if member.text not in (ERROR, *NOTHING, *slot.values):
                # The slot in quotation marks, too: all such fills of a file are of one kind.
                told = f"{member.text[:60]!r} is no fill of the slot {slot.name!r}"
                self.warn(number, f"{told}, but counts")
        return value


def _joined(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a slot, each a fill; one that ends in a slash goes on in the next line."""
    begun: tuple[int, str] | None = None
    for number, text in lines:
        whole = (number, text) if begun is None else (begun[0], f"{begun[1]} {text.lstrip(_BLANK)}")
        begun = whole if text.rstrip(_BLANK).endswith("/") else None
        if begun is None:
            yield whole
    if begun is not None:
        yield begun


def _number(text: str) -> tuple[str, bool]:
    """Return the template's number and whether it is optional."""
    optional = _OPTIONAL.search(text)
    number = text[: optional.start()].rstrip(_BLANK) if optional else text
    return (IRRELEVANT if number in ("", *NOTHING) else number), optional is not None

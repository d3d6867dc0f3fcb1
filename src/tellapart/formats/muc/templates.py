"""Reading template files, keys and responses alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tellapart.formats.muc.fills import NOTHING, read_fill, upper_case
from tellapart.formats.muc.problems import Problem, read_whole
from tellapart.formats.muc.slots import BUILT_IN, Design, Slot, load_design
from tellapart.formats.muc.values import Text, Value, shown, texts

IRRELEVANT = "*"
"""The number of the template of a message in which nothing is to be found"""
ERROR = "<ERROR>"
"""What takes the place of a fill of which nothing can be read"""

COMMENT = ";"
"""What begins a comment; between templates anything may stand"""

_BLANK = " \t"
_ANY_STOP = "."  # where a template begins, any character is accepted in place of the full stop
_OPTIONAL = re.compile(r"(.*?)[ \t]*\([ \t]*OPTIONAL[ \t]*\)$")

Fills = tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """One template: the fills of each scored slot, in the order of the slot table."""

    message: str
    number: str
    optional: bool
    fills: tuple[Fills, ...]
    line: int

    @property
    def relevant(self) -> bool:
        """Whether it is more than the remark that the message is irrelevant."""
        return self.number != IRRELEVANT


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The templates of a file by message, in file order, and what is wrong with it."""

    path: str
    messages: dict[str, list[Template]]
    problems: list[Problem]

    def sorted(self, message: str) -> list[Template]:
        """Return a message's templates by number, as texts; equal ones in reverse order."""
        latest_first = self.messages.get(message, [])[::-1]
        return sorted(latest_first, key=lambda each: each.number)


def read_templates(path: str, design: Design) -> TemplateFile:
    """Return the templates of a file; whatever is wrong with it becomes a problem."""
    content, unread = read_whole(path)
    if unread:
        return TemplateFile(path, {}, unread)
    reader = _Reader(path, design)
    file = TemplateFile(path, {}, reader.problems)
    for start, block in _blocks(content.split("\n"), design):
        template = reader.template(start, block)
        if template is not None:
            known = file.messages.setdefault(template.message, [])
            if any(template.number == other.number for other in known):
                reader.warn(start, f"{template.message} has two templates {template.number}")
            known.append(template)
    if not file.messages and not any(problem.fatal for problem in reader.problems):
        reader.fail(
            None,
            f"there is no template in this file; one begins with {design.message_slot.prefix!r}"
            + _other_design(content, design),
        )
    return file


def _other_design(content: str, design: Design) -> str:
    """Return which built-in design a file without templates of this one is of, if any."""
    for name in BUILT_IN:
        slot = load_design(name).message_slot
        if name != design.name and any(slot.label_end(line) for line in content.split("\n")):
            return f" (these look like templates of --slots {name})"
    return ""


def unknown_messages(response: TemplateFile, key: TemplateFile) -> list[Problem]:
    """Return the messages of a response, as problems, that the key does not have."""
    return [
        Problem(
            response.path,
            templates[0].line,
            f"message {message} is not in {key.path}; use the key of the same messages",
            fatal=True,
        )
        for message, templates in response.messages.items()
        if message not in key.messages
    ]


def forbidden_fills(file: TemplateFile, design: Design) -> Iterator[Problem]:
    """Yield the slots, as problems, that have to be empty where another one has a certain fill."""
    for rule in design.forbidden:
        for template in (each for templates in file.messages.values() for each in templates):
            fills = template.fills[design.position[rule.slot]]
            if not fills or not all(_only(each, rule.fill) for each in fills):
                continue
            for slot in rule.slots:
                if template.fills[design.position[slot]]:
                    text = f"{slot} of {template.message}, template {template.number}, is filled; "
                    text += f"where {rule.slot} is {rule.fill} it stays empty"
                    yield Problem(file.path, template.line, text, kind=f"forbidden: {slot}")


def _only(value: Value, fill: str) -> bool:
    """Return whether a value says one fill and no other."""
    found = {text.text for text in texts(value)}
    return found == {fill}


def _blocks(lines: Sequence[str], design: Design) -> Iterator[tuple[int, list[str]]]:
    """Yield each template's first line number and lines."""

    def begins(line: str) -> bool:
        return design.message_slot.label_end(line, _ANY_STOP) is not None

    block: list[str] | None = None
    start = 0
    for number, line in enumerate(lines, 1):
        ends = not line.strip(" \t\r\f")
        if block is not None and (ends or begins(line)):
            yield start, block
            block = None
        if not ends and begins(line):
            block, start = [], number
        if block is not None:
            block.append(line.rstrip("\r"))
    if block is not None:
        yield start, block


@dataclass(slots=True)
class _Reader:
    """Reads the templates of one file and keeps what is wrong with them."""

    path: str
    design: Design
    problems: list[Problem] = field(default_factory=list)

    def warn(self, line: int, text: str, kind: str = "") -> None:
        self.problems.append(Problem(self.path, line, text, kind=kind))

    def fail(self, line: int | None, text: str) -> None:
        self.problems.append(Problem(self.path, line, text, fatal=True))

    def template(self, start: int, block: Sequence[str]) -> Template | None:
        found = self._slot_lines(start, block)
        missing = [slot.prefix for slot in self.design.slots if slot.name not in found]
        for prefix in missing:
            self.fail(start, f"the template has no line {prefix!r}; add it, with - if it is empty")
        if missing:
            return None
        message = _first_text(found[self.design.message_slot.name])
        number, optional = _number(_first_text(found[self.design.number_slot.name]))
        if not message:
            self.fail(start, "the template does not say which message it belongs to")
            return None
        fills = tuple(self._fills(slot, found[slot.name]) for slot in self.design.scored)
        return Template(message.split()[0], number, optional, fills, start)

    def _slot_lines(self, start: int, block: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
        """Collect each slot's lines with their numbers; the first line lacks the label."""
        found: dict[str, list[tuple[int, str]]] = {}
        current: list[tuple[int, str]] | None = None
        for number, line in enumerate(block, start):
            if line.lstrip(_BLANK).startswith(COMMENT):
                text = f"this comment inside a template is ignored: {line[:60]!r}"
                self.warn(number, text, "comment")
                continue
            if line[0] in _BLANK:
                if current is not None:
                    current.append((number, line))
                else:
                    self.warn(number, "this line belongs to no slot and is ignored", "lost")
                continue
            slot, rest = self._labelled(line, first=number == start)
            current = None
            if slot is None:
                text = f"this line has no known label and is ignored: {line[:60]!r}"
                self.warn(number, text, "unlabelled")
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
            if len(lines) > 1:
                self.warn(lines[0][0], f"{slot.prefix!r} is empty; the lines below are ignored")
            return ()
        values = (self._fill(slot, number, text) for number, text in _joined(lines))
        return tuple(value for value in values if value is not None)

    def _fill(self, slot: Slot, number: int, text: str) -> Value:
        text = text.strip(_BLANK)
        if text in NOTHING:
            return None
        value, remark = read_fill(text, slot.kind, self.design)
        if remark is not None:
            what = "nothing can be read, and it counts as wrong"
            if value is None:
                value = self.design.text(ERROR)
            else:
                what = f"it counts as {shown(value)!r}"
            # What is wrong, without the texts in question, makes a kind.
            kind = f"fill: {remark.rpartition(chr(39))[2]}"
            self.warn(number, f"{text!r} in {slot.name} is untidy: {remark}; {what}", kind)
        # Texts are shared, but two fills with the same text must be two objects.
        return Text(value.text, value.bare) if isinstance(value, Text) else value


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


def _first_text(lines: Sequence[tuple[int, str]]) -> str:
    return upper_case(lines[0][1]).strip(_BLANK)


def _number(text: str) -> tuple[str, bool]:
    """Return the template's number and whether it is optional."""
    optional = _OPTIONAL.match(text)
    number = optional[1] if optional else text
    return (IRRELEVANT if number in ("", *NOTHING) else number), optional is not None

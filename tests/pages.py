"""The fenced blocks of README.md and docs/, and whether what is shown is what a page shows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\S*)(.*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    argument: str
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether the block is to be run."""
        return self.language in ("python", "console") and self.argument != "no-run"


def blocks(page: Path) -> Iterator[Block]:
    """Give the fenced blocks of a page in order."""
    opening, inside = None, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opening is None:
            if found := _FENCE.match(line):
                opening, start, inside = found, number, []
        elif line == "```":
            yield Block(opening[1], opening[2].strip(), "\n".join(inside) + "\n", start)
            opening = None
        else:
            inside.append(line)
    assert opening is None, f"{page.name}:{start}: the block is not closed"


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Give each command of a console block with the lines that should follow it."""
    command, expected = None, list[str]()
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line.rstrip())
    assert command is not None, "a console block starts with a command: $ …"
    yield command, expected


def agrees(expected: list[str], shown: str) -> bool:
    """Tell whether a terminal shows the facts of these lines; a line `...` stands for any lines.

    Facts are numbers, names and the shape of tables; how a sentence is worded or wrapped is free.
    """
    names = _row_labels([*expected, *shown.splitlines()])
    segments: list[list[str]] = [[]]
    for line in expected:
        if line == "...":
            segments.append([])
        else:
            segments[-1] += facts(line, names)
    given = [fact for line in shown.splitlines() for fact in facts(line, names)]
    first, *middle = segments
    if not middle:
        return given == first
    last = middle.pop()
    if len(given) < len(first) + len(last) or given[: len(first)] != first:
        return False
    place, end = len(first), len(given) - len(last)
    for segment in middle:  # each where it is found first: what is left for the others is longest
        while given[place : place + len(segment)] != segment:
            place += 1
            if place + len(segment) > end:
                return False
        place += len(segment)
    return place <= end and given[end:] == last


_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r"""^[('"‘“]*(['"‘“]).*['"’”]""")
_CODE = re.compile(r"""\s*(?:["{}\[\]<\\]|\w[^:]*\t|\|)""")
_VERDICT = re.compile(r"\?\s+(Yes|No|Cannot tell)\b")


def facts(line: str, names: Collection[str] = ()) -> list[str]:
    """Return what a line says beyond its wording.

    A row of a table, or a line of code, is one fact; a sentence has its numbers, verdict, options,
    files, quoted words and the given names.

    >>> facts("  birch   0.583  0.426 - 0.725")
    ['birch 0.583 0.426 - 0.725']
    >>> facts("birch scores 0.194 higher than alder (p = .0899).", {"birch", "alder"})
    ['birch', '0.194', 'alder', '.0899']
    >>> facts("Is birch really better?  Cannot tell.")
    ['Cannot tell']
    """
    words = line.split()
    if _CODE.match(line) or _is_row(line) or len(words) == 1:
        return [" ".join(words)]
    kept = _VERDICT.findall(line)
    for word in words:
        bare = word.lstrip("('\"‘“[").rstrip(".,;:)'\"’”]?!")
        if not any(map(str.isalnum, bare)):
            continue
        if bare in names or _QUOTED.match(word) or not _PLAIN_WORD.fullmatch(bare):
            kept.append(bare)
    return kept


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}|\t", line.strip())


def _is_row(line: str) -> bool:
    """Tell whether a line is a row of a table, which has gaps between its cells."""
    cells = _cells(line)
    if "?" in cells[0]:  # a question and its answer
        return False
    return len(cells) >= 3 or (len(cells) == 2 and len(cells[1].split()) == 1)


def _row_labels(lines: Iterable[str]) -> set[str]:
    """Return the names of systems, metrics and the like: words before the numbers of a row."""
    labels = {_cells(line)[0] for line in lines if _is_row(line) and re.search(r"\d", line)}
    return {label for label in labels if len(label) > 1 and _PLAIN_WORD.fullmatch(label)}


def shows_study(name: str, shown: str) -> bool:
    """Tell whether a study prints what the page of the studies shows of it."""
    page = ROOT / "docs" / "studies.md"
    found = [
        expected
        for block in blocks(page)
        if block.argument == "study"
        for command, expected in commands(block)
        if command.split()[3] == name
    ]
    assert len(found) == 1, f"{page.name} has {len(found)} examples of {name}"
    return agrees(found[0], shown)

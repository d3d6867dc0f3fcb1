"""The fenced blocks of README.md and docs/, and whether what is shown is what a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    """Tell whether a terminal shows these lines, of which `...` stands for any."""
    while expected and not expected[-1]:
        expected = expected[:-1]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected
    )
    return re.fullmatch(pattern, shown) is not None


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

"""Small template files for the tests of the MUC scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.formats.problems import Findings
from tellapart.formats.templates.corpus import read_file
from tellapart.formats.templates.design import Design, load_design
from tellapart.formats.templates.history import History
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.muc_reader import TemplateFile, read_templates
from tellapart.formats.templates.scoring import Run, Task, score_statically
from tellapart.formats.templates.tally import Tally
from tellapart.formats.templates.values import mentions

DESIGN = load_design()


def template(
    message: str = "M1",
    number: str = "1",
    fills: dict[str, str | Sequence[str]] | None = None,
    design: Design = DESIGN,
) -> str:
    """Write a template; slots that are not named are empty."""
    given = {"message-id": message, "template-id": number, **(fills or {})}
    lines = []
    for slot in design.slots:
        value = given.pop(slot.name, "-")
        rows = [value] if isinstance(value, str) else list(value)
        lines += [f"{slot.prefix:<35}{rows[0]}", *(" " * 35 + row for row in rows[1:])]
    assert not given, f"no such slots: {list(given)}"
    return "\n".join(lines) + "\n\n"


def attack(message: str = "M1", number: str = "1", **fills: str | Sequence[str]) -> str:
    """Write a template of an attack; slots are named with underscores."""
    named = {name.replace("_", "-"): value for name, value in fills.items()}
    return template(message, number, {"inc-type": "ATTACK", **named})


def write(folder: Path, name: str, *templates: str) -> str:
    """Write a file of templates, and return its path."""
    path = folder / name
    path.write_text("".join(templates), encoding="latin-1")
    return str(path)


def read(
    folder: Path, name: str, *templates: str, problems: Findings | None = None
) -> TemplateFile:
    return read_templates(
        write(folder, name, *templates), DESIGN, problems or Findings(strict=True)
    )


def score(
    folder: Path, key: Sequence[str], response: Sequence[str], history: History | None = None
) -> Run:
    """Score templates against templates, statically."""
    task = Task(DESIGN, read(folder, "key.txt", *key), read(folder, "GE.txt", *response), "GE")
    return score_statically(task, history or History())


def slot(run: Run, name: str, pair: int = 0) -> Tally:
    return run.pairs[pair].slots[DESIGN.position[name]]


def counted(tally: Tally) -> dict[str, int]:
    """Give the counts that are not zero, without the possible incorrect fills."""
    return {name: n for name, n in tally._asdict().items() if n and name != "pie"}


def read_today(path: str | Path, *, gold: bool = False, **options: Any) -> Mapping[str, Document]:
    """Return the documents of a file, as the metrics of today take them."""
    return read_file(str(path), Findings(strict=True), gold=gold, **options).documents


def fills_of(document: Document) -> list[tuple[str | None, dict[str, list[tuple[str, ...]]]]]:
    """Return the type and the filled roles of each template."""
    return [
        (
            each.type,
            {
                role: [tuple(text.text for text in mentions(fill)) for fill in own]
                for role, own in sorted(each.roles.items())
                if own
            },
        )
        for each in document.templates
    ]

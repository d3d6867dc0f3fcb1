"""Small template files for the tests of the MUC scorer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import load_design
from tellapart.formats.templates.history import History
from tellapart.formats.templates.muc_reader import TemplateFile, read_templates
from tellapart.formats.templates.scoring import Run, Task, score_statically
from tellapart.formats.templates.tally import Tally

DESIGN = load_design()


def template(
    message: str = "M1", number: str = "1", fills: dict[str, str | Sequence[str]] | None = None
) -> str:
    """Write a template; slots that are not named are empty."""
    given = {"message-id": message, "template-id": number, **(fills or {})}
    lines = []
    for slot in DESIGN.slots:
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


def slot(run: Run, name: str) -> Tally:
    return run.pairs[0].slots[DESIGN.position[name]]


def counted(tally: Tally) -> dict[str, int]:
    """Give the counts that are not zero, without the possible incorrect fills."""
    return {name: n for name, n in tally._asdict().items() if n and name != "pie"}

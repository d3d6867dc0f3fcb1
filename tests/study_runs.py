"""What the tests of studies share: a command run once, and the verdicts of its statements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from studies.__main__ import main


class Run(NamedTuple):
    """What a study printed, its record, and the folder of its pictures."""

    shown: str
    record: dict[str, Any]
    pictures: Path


def run_study(name: str, folder: Path, *, svg: bool = True) -> Run:
    """Run a study in a new folder."""
    target, pictures = folder / f"{name}.json", folder / "pictures"
    with redirect_stdout(StringIO()) as shown:
        words = ["--svg", str(pictures)] if svg else []
        assert main([name, "--json", str(target), *words]) == 0
    return Run(shown.getvalue(), json.loads(target.read_text()), pictures)


def check_verdicts(
    record: dict[str, Any], otherwise: Mapping[str, str], usual: str = "holds"
) -> None:
    """Every statement has the usual verdict, but for those whose beginning tells another."""
    claims = [each["claim"] for each in record["statements"]]
    assert len(claims) == len(set(claims)) >= 14
    for each in record["statements"]:
        known = [verdict for start, verdict in otherwise.items() if each["claim"].startswith(start)]
        assert each["verdict"].startswith(known[0] if known else usual), each
    others = [each for each in record["statements"] if each["verdict"] != usual]
    assert len(others) == len(otherwise)

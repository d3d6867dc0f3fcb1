"""The reports of 1992, from the files of 1992, and the same on small data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tellapart.formats.templates.evaluation import Evaluation, read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.report import render
from tellapart.formats.templates.scoring import Run, score_statically

SYSTEMS = (
    "BBN", "GE", "GE-CMU", "HUGHES", "LSI", "MDC", "MITRE", "NMSU", "NYU", "PARAMAX", "PRC", "SRA",
    "SRI", "SYNCH", "UMASS", "UMICH", "USC",
)  # fmt: skip
HEAD = re.compile(r"(TST3-MUC4-\d{4})\s+key: (\S+)\s+response: (\S+)")


@pytest.fixture(scope="session")
def tst3(shared_data: Path) -> Path:
    return shared_data / "muc4" / "tst3"


def read(tst3: Path, **more: str) -> Evaluation:
    responses = [str(tst3 / "responses" / f"{name}.txt") for name in SYSTEMS]
    options = TemplateOptions(history=str(tst3 / "history.txt"), **more)
    return read_evaluation(str(tst3 / "key.txt"), responses, options)


@pytest.fixture(scope="session")
def evaluation(tst3: Path) -> Evaluation:
    return read(tst3)


@pytest.fixture(scope="session")
def replayed(tst3: Path) -> dict[str, Run]:
    return read(tst3, replay=str(tst3 / "replay.json")).score()


def official(tst3: Path, name: str) -> str:
    return (tst3 / "reports" / f"{name}.txt").read_text(encoding="latin-1")


def below_the_first_line(text: str) -> str:
    return text.partition("\n")[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_replay_gives_the_official_report(tst3: Path, replayed: dict[str, Run], name: str) -> None:
    """Byte for byte, apart from the line that names the configuration."""
    ours = render(replayed[name])
    assert ours.startswith("Configuration: muc4\n")
    assert below_the_first_line(ours) == below_the_first_line(official(tst3, name))


def counted_rows(report: str) -> Iterator[tuple[tuple[object, ...], list[str]]]:
    """Give the ten counts of every row of every block of a pair."""
    block: tuple[object, ...] = ()
    seen: dict[tuple[str, ...], int] = {}
    for line in report.partition(" * * * TOTAL SLOT")[0].splitlines():
        if line.count("|") == 4 and not line.startswith("SLOT"):
            label, *numbers = line.rpartition("|")[0].replace("|", " ").split()
            yield (*block, label), numbers
        elif head := HEAD.match(line):
            seen[head.groups()] = seen.get(head.groups(), 0) + 1
            block = (*head.groups(), seen[head.groups()])


def agreement(tst3: Path, runs: dict[str, Run]) -> tuple[float, list[str]]:
    """Return the percentage of official cells that agree, and which reports are identical."""
    equal = every = 0
    identical = []
    for name, run in runs.items():
        ours, theirs = render(run), official(tst3, name)
        found = dict(counted_rows(ours))
        for place, wanted in counted_rows(theirs):
            every += len(wanted)
            equal += sum(map(str.__eq__, wanted, found.get(place, [])))
        if below_the_first_line(ours) == below_the_first_line(theirs):
            identical.append(name)
    return 100 * equal / every, identical


@pytest.mark.slow
def test_static_scoring_agrees_with_the_official_cells(tst3: Path, evaluation: Evaluation) -> None:
    share, identical = agreement(tst3, evaluation.score())
    assert round(share, 2) == 97.07
    assert identical == ["MDC"]


@pytest.mark.slow
def test_static_scoring_with_the_official_pairings(tst3: Path, evaluation: Evaluation) -> None:
    runs = {}
    for name in SYSTEMS:
        pairings: dict[str, dict[tuple[str | None, ...], None]] = {}
        for message, *pair in HEAD.findall(official(tst3, name)):
            numbers = tuple(None if number == "<NONE>" else number for number in pair)
            pairings.setdefault(message, {})[numbers] = None
        given: Any = {message: tuple(pairs) for message, pairs in pairings.items()}
        runs[name] = score_statically(evaluation.tasks[name], evaluation.history, given)
    share, identical = agreement(tst3, runs)
    assert round(share, 2) == 99.87
    assert set(identical) == {"GE", "GE-CMU", "MDC", "MITRE", "PRC", "SYNCH", "UMICH"}

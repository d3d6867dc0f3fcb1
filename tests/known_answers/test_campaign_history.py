"""The decisions of a history, given by judges over HTTP, lead to the scores that the history does.

So does the history that such a campaign exports.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'campaign' is not installed")


from simulated_judges import Material, judged, with_the_same_counts


def cut(data: Path, folder: Path, messages: Collection[str]) -> Material:
    """Take some messages of the key and of all responses."""

    def some(path: Path) -> Path:
        parts = BEGINS.split(path.read_text(encoding="latin-1"))
        kept = [each for each in parts if any(m in each.partition("\n")[0] for m in messages)]
        target = folder / path.name
        target.write_text("".join(kept), encoding="latin-1")
        return target

    responses = [some(path) for path in sorted((data / "responses").iterdir())]
    return Material(some(data / "key.txt"), responses, data / "history.txt", data / "texts.txt")


BEGINS = re.compile(r"(?m)^(?=0\.  MESSAGE: ID)")
ARGUABLE = ("TST3-MUC4-0024", "TST3-MUC4-0084")
"""Messages whose templates are paired otherwise by what is decided"""


@pytest.mark.slow
def test_judges_of_the_history_of_1992(shared_data: Path, tmp_path: Path) -> None:
    """All 17 systems: at six messages."""
    data = shared_data / "muc4" / "tst3"
    told = (data / "key.txt").read_text(encoding="latin-1")
    messages = list(dict.fromkeys(re.findall(r"(?m)^0\.  MESSAGE: ID +(\S+)", told)))
    assert len(messages) == 100
    material = cut(data, tmp_path, {*messages[::25], *ARGUABLE})
    campaign = material.campaign(tmp_path / "campaign")
    judges = judged(campaign, material.evaluation(), ["ann", "bob", "cyd"])
    desk = with_the_same_counts(material, campaign, tmp_path)
    assert len(desk.judging.systems) == 17
    assert len(desk.judging.items) == 6
    assert sum(judge.decided for judge in judges) > 60
    assert desk.opinions.conflicts() == []

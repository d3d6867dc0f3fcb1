"""Small campaigns for tests: answers to sums, and templates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.settings import Settings


def answers(outputs: Mapping[str, str], **more: str) -> bytes:
    """Return a table of what a system wrote, as lines of JSON."""
    rows = [
        {"id": item, "input": f"{item}?", "output": output, "score": 0, **more}
        for item, output in outputs.items()
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def sums(folder: Path, **settings: Any) -> Campaign:
    """Return a campaign with three items and two systems of the organiser."""
    chosen = {"second_opinions": 0.0, "seed": "7", **settings}
    made = Campaign.create(str(folder / "c"), Settings("Sums", form="items", **chosen))
    made.submit("alder", "a.jsonl", answers({"q1": "4", "q2": "five", "q3": "6"}, target="GOLD-4"))
    made.submit("birch", "b.jsonl", answers({"q1": "4", "q2": "5", "q3": "six"}, target="GOLD-4"))
    return made

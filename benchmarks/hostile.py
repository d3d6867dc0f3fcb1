"""Twenty submissions that are made to hurt: what the server says, and how much memory it takes."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import httpx

from benchmarks.measure import goal, heading
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.settings import Settings

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from hostile_files import packed_files, plain_files

MOST_MB = 300.0
ACCEPTED = {"a long cell"}
"""What is no harm"""


def peak_megabytes(process: int) -> float:
    """Return the most memory that a process has ever had, as Linux keeps it."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1000


def run() -> None:
    from benchmarks.campaign import serving

    heading("20 hostile submissions of up to 19 MB to one server")
    with tempfile.TemporaryDirectory() as folder:
        made = Campaign.create(f"{folder}/c", Settings("T", "items", seed="1", per_day=99))
        made.submit("alder", "a.jsonl", b'{"id": "q1", "output": "b"}\n')
        paul, jane = (
            {"Authorization": f"Bearer {made.add_person(name, role)}"}
            for name, role in (("paul", "participant"), ("jane", "judge"))
        )
        with serving(made.folder) as (process, host, port):
            wrong = longest = 0
            for name, (file, content) in {**packed_files(), **plain_files()}.items():
                address = f"http://{host}:{port}"
                answer = httpx.post(
                    f"{address}/submissions", data={"system": name},
                    files={"file": (file, content)}, headers=paul, timeout=200,
                )  # fmt: skip
                told = answer.json()
                expected = 201 if name in ACCEPTED else 422
                refused = expected == 422
                wrong += answer.status_code != expected or len(told["findings"]) != refused
                finding = (told.get("findings") or [told.get("error", "")])[0]
                print(f"  {name:<27}{peak_megabytes(process):6.0f} MB  {finding[:120]}")
                shown = httpx.get(f"{address}/judge", headers=jane, timeout=200)  # which reads it
                longest = max(longest, len(shown.content))
            peak = peak_megabytes(process)
        made.database.close()
    goal("memory of the server", peak, MOST_MB, " MB")
    goal("the longest page", longest / 1000, 100.0, " kB")
    goal("not answered by one sentence", wrong, 0)

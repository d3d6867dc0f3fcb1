"""Several judges at the real server, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'campaign' is not installed")

from benchmarks import campaign as benchmark


@pytest.mark.slow
def test_judges_at_the_same_time_meet_no_error_and_lose_nothing(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the benchmark measures, for a moment: every answer is in the log, once."""
    monkeypatch.setattr(benchmark, "JUDGES", 4)
    monkeypatch.setattr(benchmark, "SECONDS", 1.0)
    monkeypatch.setattr(benchmark, "MESSAGES", 3)
    campaign = benchmark.made_up(str(tmp_path / "c"), database_url)
    load = benchmark.judged(campaign)
    assert load.problems == []
    made = campaign.log.since()
    assert len(made) == load.made > 4
    assert {each.person for each in made} == {f"judge {k}" for k in range(4)}
    assert len({(each.person, each.question) for each in made}) == len(made)
    campaign.database.close()

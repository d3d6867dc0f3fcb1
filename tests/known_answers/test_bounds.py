"""Which questions can change a conclusion: by completing at random, the same must be found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from completed_campaigns import check_completions, check_reach
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.settings import Settings


@pytest.mark.slow
def test_random_completions_of_real_templates_stay_within_bounds(
    shared_data: Path, tmp_path: Path
) -> None:
    """On two real systems of 1992, no random completion leaves the ranges."""
    rng = random.Random(1)
    settings = Settings(
        "T", form="muc", judging="fills", metric="f1", second_opinions=0.0, seed="1"
    )
    data = shared_data / "muc4" / "tst3"
    key = (data / "key.txt").read_bytes()
    campaign = Campaign.create(str(tmp_path / "c"), settings, [("gold", "key.txt", key)])
    for name in ("GE", "USC"):
        content = (data / "responses" / f"{name}.txt").read_bytes()
        campaign.submit(name, f"{name}.txt", content)
    desk = desk_of(campaign)
    bounds = Bounds(desk)
    outlook = bounds.update()

    assert outlook is not None
    check_reach(desk, bounds, rng, 2)
    check_completions(desk, outlook, rng, 1)

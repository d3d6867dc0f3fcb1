"""Campaigns about systems of 1992: what can still change, and who judged."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from campaign_files import templates
from completed_campaigns import check_completions, check_reach
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.judges import ALL, NONE, who_judged
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.formats.reading import read

pytestmark = pytest.mark.slow


@pytest.fixture
def tst3(shared_data: Path) -> Path:
    return shared_data / "muc4" / "tst3"


def campaign_of(tst3: Path, folder: Path, *systems: str) -> Campaign:
    def text(name: str) -> tuple[str]:
        return ((tst3 / f"{name}.txt").read_text("latin-1"),)

    responses = {name: text(f"responses/{name}") for name in systems}
    return templates(folder, responses, text("key"), metric="f1")


def test_no_random_completion_leaves_the_ranges(tst3: Path, tmp_path: Path) -> None:
    desk, rng = desk_of(campaign_of(tst3, tmp_path, "GE", "USC")), random.Random(1)
    bounds = Bounds(desk)
    outlook = bounds.update()
    assert outlook is not None
    check_reach(desk, bounds, rng, 2)
    check_completions(desk, outlook, rng, 1)


def test_ge_and_umass_with_and_without_the_decisions_of_1992(tst3: Path, tmp_path: Path) -> None:
    """By F, exactly: .1200 by the scorer alone, .0321 with the history, .0987 as published."""
    campaign = campaign_of(tst3, tmp_path, "GE", "UMASS")
    history = str(tst3 / "history.txt")
    join(campaign, rows_in(history, lambda: design_of(campaign), "1992"))
    judging = desk_of(campaign).judging
    sources = [tst3 / "responses" / f"{name}.txt" for name in ("GE", "UMASS")]
    wanted = read(sources, tst3 / "key.txt", form="muc", history=history)
    assert np.array_equal(judging.counts().values, wanted.values)
    undecided = load_judging(campaign).counts()
    by = {who: each.pairs[0] for who, each in who_judged(campaign).found.items()}
    for counts, judged, exchanged in (
        (undecided, by[NONE], 0.12000098529945528),
        (judging.counts(), by[ALL], 0.0320878617),
    ):
        assert judged.p == ta.compare(counts, metrics="f1", test="exact").pairs[0].p
        assert judged.p == pytest.approx(exchanged, rel=1e-7)
    assert by["1992"].p == by[ALL].p
    published = ta.compare(ta.example("muc4").systems["GE", "UMASS"], metrics="f1", test="exact")
    assert published.pair("GE", "UMASS").p == pytest.approx(0.0986735, rel=1e-5)

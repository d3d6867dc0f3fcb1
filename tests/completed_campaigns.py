"""Completing a campaign at random: what must be found whatever is answered."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager

import tellapart as ta
from campaign_files import RIGHT, WRONG
from tellapart.campaign.board import Outlook
from tellapart.campaign.bounds import Bounds, measure_of, verdict_metric
from tellapart.campaign.desk import Desk
from tellapart.campaign.questions import Judging, Question, canonical
from tellapart.campaign.settings import Settings


def conclusions(settings: Settings, judging: Judging) -> dict[tuple[str, str], str | None]:
    """Return what `compare` finds by what holds now: the better system of each pair, or None."""
    metric = verdict_metric(settings, judging)
    found = ta.compare(
        judging.counts(), metrics=metric, test="exact", alpha=settings.alpha, intervals=False
    )
    return {(p.a, p.b): p.favours if p.different else None for p in found.pairs}


@contextmanager
def completed_at_random(
    desk: Desk, rng: random.Random, only: set[tuple[str, str]] | None = None
) -> Iterator[Judging]:
    """Give the judging with every open question answered at random; `only` some, if given."""
    judging = desk.judging  # as of here it is borrowed, and given back as it was
    final = {key for key in desk.opinions.standing if is_final(desk, key)}
    unsure = {key: desk.opinions.holds(key) for key in desk.opinions.standing if key not in final}
    for key in unsure:
        judging.hold(*key, None)
    lean = rng.choice((None, None, *judging.systems))
    made = []
    for item in judging.items:
        done = set(final)
        while True:
            asked = judging.questions_at(item)
            left = [e for e in asked if e.id not in done and (only is None or e.id in only)]
            if not left:
                break
            question = rng.choice(left)
            done.add(question.id)
            made.append(question.id)
            judging.hold(*question.id, any_answer(question, rng, lean))
    yield judging
    for key in made:
        judging.hold(*key, None)
    for key, outcome in unsure.items():
        judging.hold(*key, outcome)


def is_final(desk: Desk, key: tuple[str, str]) -> bool:
    needed = desk.settings.opinions_needed(*key)
    people = {each.person for each in desk.opinions.of(key)}
    ruled = desk.opinions.ruling(key) is not None
    return ruled or (len(people) >= needed and not desk.opinions.is_conflict(key))


def any_answer(question: Question, rng: random.Random, lean: str | None = None) -> str:
    """Return an answer: any; or mostly what is best for one system and worst for the others."""
    outcomes = [each.outcome for each in question.answers]
    if question.kind == "fill" and rng.random() < 0.3:  # some of several fills, as in histories
        told = [json.loads(each) for each in outcomes]
        keys = list(dict.fromkeys(key for each in told for key in each["keys"]))
        some = rng.sample(keys, rng.randint(1, len(keys))) if keys else []
        if some:
            return canonical({"status": rng.choice(["match", "partial"]), "keys": some})
    if lean is None or rng.random() < 0.2 or question.kind not in ("rating", "fill"):
        return rng.choice(outcomes)
    best, worst = (RIGHT, WRONG) if question.kind == "rating" else (outcomes[0], outcomes[-1])
    return best if lean in question.systems else worst


def check_completions(desk: Desk, outlook: Outlook, rng: random.Random, tries: int) -> None:
    """Complete at random: what is settled must be found, however the answers turn out."""
    for _ in range(tries):
        with completed_at_random(desk, rng) as judging:
            found = conclusions(desk.settings, judging)
        for each in outlook.findings:
            if each.settled:
                assert found[each.a, each.b] == each.better


def check_reach(desk: Desk, bounds: Bounds, rng: random.Random, tries: int) -> None:
    """Complete at random: the counts of every system and message lie within what was told."""
    for _ in range(tries):
        with completed_at_random(desk, rng) as judging:
            counts = judging.counts()
        at = {name: k for k, name in enumerate(counts.columns)}
        measure = measure_of(verdict_metric(desk.settings, judging))  # type: ignore[arg-type]
        for s, system in enumerate(counts.names):
            for i, message in enumerate(counts.items):
                row = counts.values[s, i]
                found = (
                    sum(w * int(row[at[c]]) for c, w in measure.numerator.items()),
                    sum(w * int(row[at[c]]) for c, w in measure.denominator.items()),
                )
                points = bounds._cells[message][system].points
                for value, ends in zip(found, zip(*points, strict=True), strict=True):
                    assert min(ends) <= value <= max(ends), (system, message, found, points)

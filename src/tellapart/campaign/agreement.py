"""How far the people of a campaign agree, where two or more answered a question without each other.

What counts is the blind opinion of each person: rulings are none, nor is what somebody changed once
another had answered, too (a conflict may have been shown by then); an answer that is taken back at
once, as the next thing somebody does, was a slip, and the next one counts.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from operator import ne
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tellapart.campaign.opinions import Decision, QuestionId, meaning
from tellapart.campaign.settings import Settings
from tellapart.report.table import Column, Table
from tellapart.stats.intervals import clustered_wilson
from tellapart.stats.result import Interval
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.questions import Question

Blind = dict[QuestionId, dict[str, Decision]]
"""Per question the blind opinion of each person"""
ALL: Final = "all"
NAMED: Final = (
    "Kappa (Cohen) and alpha (Krippendorff) are 1 for full agreement, 0 for chance; alpha weighs "
    "ratings by squared distance. Intervals: 95 %."
)
Said = Mapping[str, Hashable]
"""Who answered what to a question"""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of agreement with its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class InterRater:
    """Agreement on the questions that two or more people answered."""

    questions: int = 0
    same: int = 0
    """Questions to which all gave the same answer"""
    share: Figure | None = None
    """Of pairs of answers to one question that are the same"""
    kappa: Figure | None = None
    """Cohen's kappa; None where people gave one answer only, so that chance explains everything"""
    alpha: Figure | None = None
    """Krippendorff's alpha; None as kappa"""


def interrater(
    answers: Sequence[Said],
    *,
    scale: Mapping[Any, float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> InterRater:
    """Return the agreement of people: of each question who answered what.

    `scale` says what the answers are worth, for alpha; `clusters` which questions belong together.

    >>> both = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no"), ("yes", "yes")]
    >>> found = interrater([{"ann": a, "bob": b} for a, b in both])
    >>> found.questions, found.same, round(found.kappa.value, 4), round(found.alpha.value, 4)
    (5, 4, 0.6154, 0.64)
    """
    of = range(len(answers)) if clusters is None else clusters
    kept = [(cluster, said) for cluster, said in zip(of, answers, strict=True) if len(said) > 1]
    if not kept:
        return InterRater()
    given: dict[str, Counter[Hashable]] = {}
    for _, said in kept:
        for person, answer in said.items():
            given.setdefault(person, Counter())[answer] += 1
    totals = sum(given.values(), Counter[Hashable]())
    worth = [] if scale is None else [scale[answer] for answer in totals]
    widest = max(worth) - min(worth) if worth else 0.0

    def distance(one: Hashable, other: Hashable) -> float:
        """Return how far answers are apart, at most 1."""
        if scale is None or not widest:
            return float(one != other)
        return ((scale[one] - scale[other]) / widest) ** 2

    @cache
    def by_chance(one: str, other: str) -> float:
        """Return how often two people would differ if each drew from their own answers."""
        both = sum(times * given[other][answer] for answer, times in given[one].items())
        return 1 - both / (given[one].total() * given[other].total())

    pairs = [
        (by_chance(one, other), 1 / (len(said) - 1))
        for _, said in kept
        for one, other in combinations(said, 2)
    ]
    chance = float(np.average([c for c, _ in pairs], weights=[w for _, w in pairs]))
    apart = math.fsum(a * b * distance(x, y) for x, a in totals.items() for y, b in totals.items())
    expected = apart / (totals.total() * (totals.total() - 1))
    same = sum(len(set(said.values())) == 1 for _, said in kept)
    return InterRater(
        len(kept), same, _figure(kept, ne, 1.0), _figure(kept, ne, chance),
        _figure(kept, distance, expected),
    )  # fmt: skip


def _figure(
    kept: Sequence[tuple[Hashable, Said]],
    distance: Callable[[Hashable, Hashable], float],
    chance: float,
) -> Figure | None:
    """Return 1 - (mean distance of answers) / chance; None if chance explains everything."""
    if chance <= 1e-12:
        return None
    near: dict[Hashable, float] = {}
    sizes: dict[Hashable, float] = {}
    for cluster, said in kept:
        m = len(said)
        apart = math.fsum(distance(one, other) for one, other in combinations(said.values(), 2))
        sizes[cluster] = sizes.get(cluster, 0.0) + m / 2
        near[cluster] = near.get(cluster, 0.0) + m / 2 - apart / (m - 1)
    sums, weights = (np.array(list(each.values())) for each in (near, sizes))
    share, interval = float(sums.sum() / weights.sum()), clustered_wilson(sums, weights)
    return Figure(1 - (1 - share) / chance, interval.shifted(chance - 1).scaled(1 / chance))


def blind_opinions(rows: Iterable[Decision]) -> Blind:
    """Return of each question what each person said on their own, from the whole log.

    >>> ann = Decision(1, "rating", "q1", "ann", "", '{"rating": "right"}')
    >>> bob = Decision(2, "rating", "q1", "bob", "", '{"rating": "wrong"}')
    >>> later = Decision(3, "rating", "q1", "bob", "", '{"rating": "right"}', replaces=2)
    >>> [each.number for each in blind_opinions([ann, bob, later])["rating", "q1"].values()]
    [1, 2]
    """
    blind: Blind = {}
    latest: dict[str, int] = {}
    for row in rows:
        said = blind.setdefault(row.question, {})
        known = said.get(row.person)
        alone = not said.keys() - {row.person}
        if row.undoes is not None:
            at_once = row.undoes == latest.get(row.person)
            if known is not None and known.number == row.undoes and (alone or at_once):
                del said[row.person]
                if row.outcome is not None and not row.ruling:
                    said[row.person] = row  # what they had said before that
        elif not row.ruling and row.outcome is not None and (known is None or alone):
            said[row.person] = row
        latest[row.person] = row.number
    return {question: said for question, said in blind.items() if said}


def category(kind: str, outcome: str) -> str:
    """Return by which word an outcome is counted; a pairing is only equal to itself.

    >>> category("fill", '{"keys": [], "status": "fail"}'), category("rating", '{"rating": "ok"}')
    ('fail', 'ok')
    """
    if kind == "pairing":
        return outcome
    answer = json.loads(outcome)
    return str(answer["status"] if kind == "fill" else next(iter(answer.values())))


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """The agreement of all people of a campaign."""

    kinds: Mapping[str, Mapping[str, InterRater]]
    """Per kind of question all together, then per slot or task, those with most questions first"""
    doubly: int
    """Questions that two or more people answered"""
    answered: int
    """Questions with any blind opinion"""
    conflicts: frozenset[QuestionId]
    """Those about which blind opinions differ, whatever became of them"""

    @property
    def sentence(self) -> str:
        """How many questions several people answered, and how often they said the same.

        >>> PeopleAgreement({}, 0, 0, frozenset()).sentence
        'Nobody has answered a question yet.'
        """
        if not self.answered:
            return "Nobody has answered a question yet."
        of = several(self.answered, "question")
        if not self.doubly:
            return f"{of} answered, none of them by two people."
        same = self.doubly - len(self.conflicts)
        return (
            f"{self.doubly:,} of {of} answered by two people or more; on {same:,} of them "
            f"({same / self.doubly:.0%}) all gave the same answer."
        )

    def tables(self) -> list[Table]:
        """Return a table for each kind of question."""
        columns = (
            Column("", "text", lambda row: row[0]),
            Column("questions", "number", lambda row: f"{row[1].questions:,}"),
            Column("same", "number", lambda row: f"{row[1].same:,}"),
            Column("share", "text", lambda row: _words(row[1].share, ".0%")),
            Column("kappa", "text", lambda row: _words(row[1].kappa)),
            Column("alpha", "text", lambda row: _words(row[1].alpha)),
        )
        return [
            Table.of(parts.items(), columns, f"Agreement about {kind}s")
            for kind, parts in self.kinds.items()
        ]


def _words(figure: Figure | None, form: str = ".2f") -> str:
    """Return a figure with its interval; a lower end below -1 says no more than that.

    >>> _words(Figure(0.5, Interval(-1.7, 0.9, "wilson"))), _words(None)
    ('0.50 (-1.00 to 0.90)', '–')
    """
    if figure is None:
        return "–"
    low, high = figure.interval.within(-1.0, 1.0).ends
    return f"{figure.value:{form}} ({low:{form}} to {high:{form}})"


def agreement_of(
    rows: Sequence[Decision],
    settings: Settings,
    questions: Mapping[QuestionId, Question] | None = None,
) -> PeopleAgreement:
    """Return how far people agree, from the log; questions name labels if there are any.

    >>> said = [("ann", "q1", "right"), ("bob", "q1", "right"), ("ann", "q2", "wrong"),
    ...         ("bob", "q2", "partly"), ("ann", "q3", "wrong"), ("bob", "q3", "wrong")]
    >>> rows = [Decision(k, "rating", json.dumps({"item": q}), who, "2026-11-16T12:00:00+00:00",
    ...         json.dumps({"rating": what})) for k, (who, q, what) in enumerate(said, 1)]
    >>> found = agreement_of(rows, Settings("Answers", "items"))
    >>> found.doubly, found.kinds["rating"]["all"].same
    (3, 2)
    """
    blind = blind_opinions(rows)
    doubly = {question: said for question, said in blind.items() if len(said) > 1}
    kinds = {}
    for kind in dict.fromkeys(kind for kind, _ in doubly):
        labels: dict[str, Blind] = {}
        of_kind = {question: said for question, said in doubly.items() if question[0] == kind}
        for question, said in of_kind.items():
            labels.setdefault(_label(question, questions or {}), {})[question] = said
        parts = sorted(labels.items(), key=lambda part: -len(part[1])) if len(labels) > 1 else []
        kinds[kind] = {
            name or "none": _measured(part, settings) for name, part in [(ALL, of_kind), *parts]
        }
    same = {q for q, said in doubly.items() if len({meaning(d) for d in said.values()}) == 1}
    conflicts = frozenset(doubly.keys() - same)
    return PeopleAgreement(kinds, len(doubly), len(blind), conflicts)


def _measured(doubly: Blind, settings: Settings) -> InterRater:
    """Return the agreement about some questions; of several kinds, every disagreement is alike."""
    answers = [
        {who: category(kind, each.outcome or "") for who, each in said.items()}
        for (kind, _), said in doubly.items()
    ]
    kinds, given = {kind for kind, _ in doubly}, {a for each in answers for a in each.values()}
    # Answers of an earlier scale have no place on this one.
    scale = settings.scale if kinds == {"rating"} and given <= set(settings.scale) else None
    measured = interrater(answers, scale=scale, clusters=[_item(subject) for _, subject in doubly])
    return replace(measured, kappa=None, alpha=None) if "pairing" in kinds else measured


def _item(subject: str) -> str:
    about = json.loads(subject)
    return str(about.get("item", about.get("message", subject)))


def _label(question: QuestionId, questions: Mapping[QuestionId, Question]) -> str:
    known = questions.get(question)
    return known.label if known is not None else str(json.loads(question[1]).get("slot", ""))

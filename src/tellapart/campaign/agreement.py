"""How far the people of a campaign agree, where two or more answered a question without each other.

What counts is the blind opinion of each person: rulings are none, nor is what somebody changed once
another had answered, too (a conflict may have been shown by then); an answer that is taken back at
once, as the next thing somebody does, was a slip, and the next one counts.
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tellapart.campaign.interrater import InterRater, coincidences, interrater
from tellapart.campaign.log import Decision, QuestionId, meaning
from tellapart.campaign.questions import BETTER
from tellapart.campaign.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tellapart.campaign.questions import Question

Blind = dict[QuestionId, dict[str, Decision]]
"""Per question the blind opinion of each person"""

STATUSES: Final = {"match": "match", "partial": "partial", "fail": "no"}
PAUSE_S: Final = 600.0
"""Who needs longer for a question has been away"""


def blind_opinions(rows: Iterable[Decision]) -> Blind:
    """Return of each question what each person said on their own, from the whole log.

    >>> ann = Decision(1, "rating", "q1", "ann", "", '{"rating": "right"}')
    >>> bob = Decision(2, "rating", "q1", "bob", "", '{"rating": "wrong"}')
    >>> later = Decision(3, "rating", "q1", "bob", "", '{"rating": "right"}', replaces=2)
    >>> [each.number for each in blind_opinions([ann, bob, later])["rating", "q1"].values()]
    [1, 2]
    """
    found: Blind = {}
    author: dict[int, str] = {}
    latest: dict[str, int] = {}
    for row in rows:
        told = found.setdefault(row.question, {})
        known = told.get(row.person)
        alone = not told.keys() - {row.person}
        at_once = known is not None and row.undoes == known.number == latest.get(row.person)
        if row.undoes is not None:
            if known is not None and known.number == row.undoes and (alone or at_once):
                del told[row.person]
                if row.outcome is not None and not row.ruling:
                    told[row.person] = row  # what they had said before that
        elif not row.ruling and row.outcome is not None and (known is None or alone):
            of_another = author.get(row.replaces or 0, row.person) != row.person
            if not of_another:  # who replaces another's decision has seen it
                told[row.person] = row
        author[row.number] = row.person
        latest[row.person] = row.number
    return {question: told for question, told in found.items() if told}


def category(kind: str, outcome: str) -> str:
    """Return by which word an outcome is counted; a pairing is only equal to itself.

    >>> category("fill", '{"keys": [], "status": "fail"}'), category("rating", '{"rating": "ok"}')
    ('no', 'ok')
    """
    if kind == "pairing":
        return outcome
    told = json.loads(outcome)
    if kind == "fill":
        return STATUSES[told["status"]]
    return str(next(iter(told.values())))


def categories(kind: str, settings: Settings) -> tuple[str, ...]:
    """Return the words by which answers to a kind of question are counted, best first."""
    if kind == "pairing":
        return ()
    if kind == "fill":
        return tuple(STATUSES.values())
    return tuple(_scale(kind, settings) or ())


def _scale(kind: str, settings: Settings) -> Mapping[str, float] | None:
    """Return what the answers are worth, where they are a scale."""
    return {"rating": settings.scale, "preference": BETTER}.get(kind)


@dataclass(frozen=True, slots=True, eq=False)
class KindAgreement:
    """Agreement about one kind of question."""

    kind: str
    overall: InterRater
    by_label: Mapping[str, InterRater]
    """Per slot or task, those with most questions first; empty where there is one only"""
    categories: tuple[str, ...]
    table: NDArray[np.float64]
    """What was taken for what: how often one person said the row, and another the column"""
    other_fill: int = 0
    """Questions on which people agree that a fill matches, but not which one"""


@dataclass(frozen=True, slots=True)
class Judge:
    """What a person has done, and how far the others agree with it."""

    name: str
    decisions: int
    """Questions with an opinion of theirs, blind or not; rulings are none"""
    rulings: int
    seconds: float | None
    """The median from one answer to the next, long pauses left out"""
    with_others: InterRater
    """Pairings left out, whose answers are no categories"""


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """The agreement of all people of a campaign."""

    kinds: tuple[KindAgreement, ...]
    judges: tuple[Judge, ...]
    doubly: int = 0
    """Questions that two or more people answered"""
    answered: int = 0
    """Questions with any blind opinion"""
    conflicts: tuple[QuestionId, ...] = field(default=())
    """Those about which blind opinions differ, whatever became of them"""


def agreement_of(
    rows: Sequence[Decision],
    settings: Settings,
    questions: Mapping[QuestionId, Question] | None = None,
    level: float = 0.95,
) -> PeopleAgreement:
    """Return how far people agree, from the log; questions name items and labels if there are any.

    >>> said = [("ann", "q1", "right"), ("bob", "q1", "right"), ("ann", "q2", "wrong"),
    ...         ("bob", "q2", "partly"), ("ann", "q3", "wrong"), ("bob", "q3", "wrong")]
    >>> rows = [Decision(k, "rating", json.dumps({"item": q}), who, "2026-11-16T12:00:00+00:00",
    ...         json.dumps({"rating": what})) for k, (who, q, what) in enumerate(said, 1)]
    >>> found = agreement_of(rows, Settings("Answers", "items"))
    >>> found.doubly, found.kinds[0].overall.same, round(found.kinds[0].overall.alpha.value, 3)
    (3, 2, 0.828)
    """
    blind = blind_opinions(rows)
    doubly = {question: told for question, told in blind.items() if len(told) > 1}
    kinds = []
    for kind in dict.fromkeys(kind for kind, _ in doubly):
        of_kind = {question: told for question, told in doubly.items() if question[0] == kind}
        kinds.append(_of_kind(kind, of_kind, settings, questions or {}, level))
    differ = [q for q, told in doubly.items() if len({meaning(d) for d in told.values()}) > 1]
    judges = _judges(rows, doubly, settings, level)
    return PeopleAgreement(tuple(kinds), judges, len(doubly), len(blind), tuple(differ))


def _of_kind(
    kind: str,
    doubly: Blind,
    settings: Settings,
    questions: Mapping[QuestionId, Question],
    level: float,
) -> KindAgreement:
    answers = {question: _answers(kind, told) for question, told in doubly.items()}
    labels: dict[str, list[QuestionId]] = {}
    for question in doubly:
        labels.setdefault(_label(question, questions), []).append(question)

    def measured(some: Iterable[QuestionId]) -> InterRater:
        return _measured(kind, {question: answers[question] for question in some}, settings, level)

    most_first = sorted(labels, key=lambda label: -len(labels[label]))
    by_label = {label: measured(labels[label]) for label in most_first} if len(labels) > 1 else {}
    named = categories(kind, settings)
    known = [each for each in answers.values() if set(each.values()) <= set(named)]
    other_fill = 0
    if kind == "fill":
        meanings = {q: len({meaning(d) for d in told.values()}) for q, told in doubly.items()}
        other_fill = len(
            [q for q, n in meanings.items() if n > 1 and len(set(answers[q].values())) == 1]
        )
    return KindAgreement(
        kind, measured(doubly), by_label, named, coincidences(known, named), other_fill
    )


def _answers(kind: str, told: Mapping[str, Decision]) -> dict[str, str]:
    return {who: category(kind, each.outcome or "") for who, each in told.items()}


def _measured(
    kind: str, answers: Mapping[QuestionId, Mapping[str, str]], settings: Settings, level: float
) -> InterRater:
    scale = _scale(kind, settings)
    if scale is not None and not {a for each in answers.values() for a in each.values()} <= set(
        scale
    ):
        scale = None  # answers of an earlier scale have no place on this one
    items = [_item(question) for question in answers]
    found = interrater(list(answers.values()), scale=scale, clusters=items, level=level)
    return found if kind != "pairing" else replace(found, kappa=None, alpha=None)


def _item(question: QuestionId) -> str:
    told = json.loads(question[1])
    return str(told.get("item", told.get("message", question[1])))


def _label(question: QuestionId, questions: Mapping[QuestionId, Question]) -> str:
    known = questions.get(question)
    return known.label if known is not None else str(json.loads(question[1]).get("slot", ""))


def _judges(
    rows: Sequence[Decision], doubly: Blind, settings: Settings, level: float
) -> tuple[Judge, ...]:
    own: dict[str, list[Decision]] = {}
    for row in rows:
        own.setdefault(row.person, []).append(row)
    found = []
    for name, some in own.items():
        both = {q: told for q, told in doubly.items() if name in told and q[0] != "pairing"}
        pairs = [
            {name: mine, other: said}
            for q, told in both.items()
            for mine, other, said in _pairs(name, _answers(q[0], told))
        ]
        opinions = {each.question for each in some if not each.ruling and each.outcome is not None}
        rulings = {each.question for each in some if each.ruling}
        taken = _one_scale(pairs, {q[0] for q in both}, settings)
        with_others = interrater(pairs, scale=taken, level=level)
        found.append(Judge(name, len(opinions), len(rulings), _seconds(some), with_others))
    return tuple(found)


def _pairs(name: str, told: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [(told[name], other, said) for other, said in told.items() if other != name]


def _one_scale(
    pairs: Sequence[Mapping[str, str]], kinds: set[str], settings: Settings
) -> Mapping[str, float] | None:
    scale = _scale(next(iter(kinds)), settings) if len(kinds) == 1 else None
    given = {answer for each in pairs for answer in each.values()}
    return scale if scale is not None and given <= set(scale) else None


def _seconds(own: Sequence[Decision]) -> float | None:
    """Return the median time from one decision of a person to the next, pauses left out."""
    times = [datetime.fromisoformat(each.made_at).timestamp() for each in own if each.made_at]
    gaps = [b - a for a, b in itertools.pairwise(times) if 0 <= b - a <= PAUSE_S]
    return statistics.median(gaps) if gaps else None

"""Decisions in and out: of a campaign or a history file, to and from JSON, histories, campaigns.

What is brought in keeps its author and its time. Nothing appears twice if it is brought in again,
and nothing that is there is replaced: where both sides differ there is a conflict.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from tellapart.campaign.campaign import MOST_LETTERS, Campaign
from tellapart.campaign.desk import Desk
from tellapart.campaign.fills import Fills
from tellapart.campaign.history import NOBODY, change_to, rows_of
from tellapart.campaign.items import OUTCOME
from tellapart.campaign.judging import load_judging
from tellapart.campaign.keys import Keys
from tellapart.campaign.log import add_decision, rows_since
from tellapart.campaign.opinions import Decision, Opinions, QuestionId, meaning, now
from tellapart.campaign.questions import KINDS, canonical
from tellapart.console import say
from tellapart.errors import DataError, UsageError
from tellapart.files import read_bytes
from tellapart.formats.problems import Findings
from tellapart.formats.registry import format_of
from tellapart.formats.templates.design import MUC4, Design, load_design
from tellapart.formats.templates.evaluation import design_of as design_of_roles
from tellapart.formats.templates.history import Change, Fill, merge
from tellapart.formats.templates.history_files import (
    HistoryFile,
    Spellings,
    question_of,
    read_history,
    slots_in,
)
from tellapart.formats.templates.keys import CHOICES
from tellapart.formats.templates.model import Document, Template
from tellapart.formats.templates.muc_reader import read_whole
from tellapart.formats.templates.schema import Schema

if TYPE_CHECKING:
    from tellapart.files import Content

MARK: Final = "tellapart-campaign"
VERSION: Final = 1


# Out


def rows_in(path: str, design: Callable[[], Design], person: str = NOBODY) -> list[Decision]:
    """Return the decisions of a campaign's folder, of `export --json`, or of a history."""
    if os.path.isdir(path):
        return Campaign.open(path).log.since()
    content = read_bytes(path)
    if content.lstrip().startswith(b"{"):
        return _from_json(path, content)
    findings = Findings(strict=True)
    history = read_history(path, design(), findings)
    for odd in findings.found:
        say(f"warning: {odd.text}")
    if not history.entries and not history.pairings:
        raise DataError(f"{path}: there is no decision in this history")
    return rows_of(history, person)


def design_in(paths: Iterable[str]) -> Design:
    """Return the slots of decisions: of 1992, unless none is one of those, as in JSON."""
    named: list[str] = []
    for path in filter(os.path.exists, paths):
        content = "{" if os.path.isdir(path) else read_whole(path)
        if content.lstrip().startswith("{"):
            rows = rows_in(path, load_design)
            about = [json.loads(row.subject) for row in rows if row.kind == "fill"]
            named += [str(each.get("slot")) for each in about]
        else:
            named += slots_in(content)
    for design in (load_design(MUC4), load_design("muc3")):
        if not named or {name.lower() for name in named} & design.position.keys():
            return design
    template = Template(None, dict.fromkeys(named, ()))
    return design_of_roles(Schema(), [Document("", (template,))], [])


def rows_json(rows: Iterable[Decision], **about: Any) -> str:
    """Return decisions, with who made them, as JSON; `about` is what else is to be told."""
    told = {"format": MARK, "version": VERSION, **about, "decisions": [_as_row(r) for r in rows]}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _as_row(row: Decision) -> dict[str, Any]:
    outcome = None if row.outcome is None else json.loads(row.outcome)
    return asdict(row) | {"subject": json.loads(row.subject), "outcome": outcome}


def settled(desk: Desk) -> Content:
    """Return the key that two annotators' keys have become, as a file of the same format."""
    judging, progress = desk.judging, desk.progress("")
    if not isinstance(judging, Keys):
        raise UsageError("only a campaign of --judging keys settles one")
    if progress.open:
        raise UsageError(
            f"{progress.open:,} of {progress.total:,} questions about the key are open; settle "
            "them first"
        )
    return judging.content()


# In


def _from_json(path: str, content: bytes) -> list[Decision]:
    try:
        told = json.loads(content)
        if told.get("format") != MARK:
            raise ValueError("it is not what `tellapart campaign export --json` writes")
        if told.get("version") != VERSION:
            raise ValueError("it was written by a newer tellapart; update this one")
        return [_decision(row, k) for k, row in enumerate(told["decisions"], 1)]
    except KeyError as problem:
        raise DataError(f"{path}: a row has no {problem}; export it again") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as problem:
        raise DataError(
            f"{path}: the JSON cannot be read ({str(problem)[:200]}); export it again"
        ) from None


_TYPES: Final[Mapping[str, Any]] = {
    "kind": str, "subject": dict, "person": str, "outcome": dict | None, "number": int | None,
    "replaces": int | None, "undoes": int | None,
    "made_at": str | None, "ruling": bool | int | None,
}  # fmt: skip


def _decision(row: Any, number: int) -> Decision:
    if not isinstance(row, dict):
        raise ValueError(f"decision {number} is {row!r:.60}, and no object")
    person, outcome = row["person"], row["outcome"]
    for name, kind in _TYPES.items():
        if not isinstance(row.get(name), kind):
            raise ValueError(f"decision {number} has the {name} {row.get(name)!r:.60}")
    if not person.strip() or len(person) > MOST_LETTERS or not person.isprintable():
        raise ValueError(f"decision {number} is of a person called {person!r:.60}")
    made_at = row.get("made_at") or ""
    if made_at and datetime.fromisoformat(made_at).tzinfo is None:
        raise ValueError(f"the time {made_at!r:.60} has no zone")
    return Decision(
        row.get("number") or number, row["kind"], canonical(row["subject"]), person, made_at,
        None if outcome is None else canonical(outcome), row.get("replaces"),
        row.get("undoes"), bool(row.get("ruling")),
    )  # fmt: skip


def join_history(
    file: HistoryFile, rows: Sequence[Decision], place: str
) -> tuple[list[Change], list[str]]:
    """Add to a history file what holds by rows and it does not have; return that, and conflicts."""
    from tellapart.campaign.history import history_of

    gains, conflicts = merge(file.history, history_of(rows, file.design, place))
    if gains:
        file.write(gains)
    return gains, conflicts


def join(campaign: Campaign, rows: Sequence[Decision]) -> tuple[int, int, int]:
    """Add decisions, which were checked, to a campaign's log.

    Return how many were added, about how many questions people differ now, and did not before, and
    how many rulings differ from one that is there: each becomes an opinion.
    """
    with campaign.database.writing() as connection:
        log, there = Opinions(), rows_since(connection, 0)
        log.add(there)
        before, added, opposed = set(log.conflicts()), 0, 0
        numbers = {_identity(row): row.number for row in there}
        renumbered: dict[int | None, int] = {}
        spelled = _spelled(campaign, there)
        for brought in rows:
            kind, subject = spelled(brought.question)
            row = replace(brought, kind=kind, subject=subject)
            own = log.by(row.person, row.question)
            known = numbers.get(_identity(row))
            if known is None and not row.made_at and own and meaning(own) == meaning(row):
                known = own.number  # a history that was brought in before
            if known is not None:
                renumbered[row.number] = known
                continue
            ours = log.ruling(row.question)
            overruled = row.ruling and ours is not None and meaning(ours) != meaning(row)
            replaces = renumbered.get(row.replaces)
            if not row.made_at and own:
                replaces = own.number
            made = add_decision(
                connection,
                replace(
                    row, made_at=row.made_at or now(), replaces=replaces,
                    undoes=renumbered.get(row.undoes), ruling=row.ruling and not overruled,
                    request=None,
                ),
            )  # fmt: skip
            log.add([made])
            renumbered[row.number] = numbers[_identity(row)] = made.number
            added += 1
            opposed += overruled
    return added, len(set(log.conflicts()) - before), opposed


def _identity(row: Decision) -> tuple[str, ...]:
    """Return by what a decision is known again, whichever number it has; a ruling may be none."""
    return (*row.question, row.person, row.made_at, meaning(row) or "")


def _spelled(campaign: Campaign, there: Iterable[Decision]) -> Callable[[QuestionId], QuestionId]:
    """Return what spells a question as the log does: equal fills are one question."""
    if campaign.settings.judging != "fills":
        return lambda question: question
    design, spellings = design_of(campaign), Spellings()

    def about(question: QuestionId) -> Any:
        return change_to(design, question, None, campaign.folder).subject

    for question in dict.fromkeys(row.question for row in there):
        if isinstance(subject := about(question), Fill):
            spellings.learn(subject)

    def spelled(question: QuestionId) -> QuestionId:
        subject = about(question)
        return question_of(spellings.first(subject) if isinstance(subject, Fill) else subject)

    return spelled


def check(campaign: Campaign, rows: Iterable[Decision], place: str) -> None:
    """Refuse decisions that this campaign could not take from its own people."""
    settings = campaign.settings
    kinds, fills = KINDS[settings.judging], settings.judging == "fills"
    design = design_of(campaign) if fills else None
    known = CHOICES if settings.judging == "keys" else settings.scale
    outcomes = {None, *(canonical({OUTCOME.get(settings.judging, ""): name}) for name in known)}
    for row in rows:
        if row.kind not in kinds:
            raise DataError(
                f"{place}: there is a decision about a {row.kind[:60]}, and this campaign asks for "
                f"a {' or a '.join(kinds)}; they cannot be joined"
            )
        if design is not None:
            change_to(design, row.question, row.outcome, place)
        elif row.outcome not in outcomes:
            raise DataError(
                f"{place}: decision {row.number} is {str(row.outcome)[:60]}, and the answers of "
                f"this campaign are {', '.join(known)}; join campaigns of one scale"
            )


def design_of(campaign: Campaign) -> Design:
    """Return the slots of a campaign's templates."""
    if campaign.settings.judging != "fills":
        raise UsageError(
            f"{campaign.folder}: a history holds decisions about the fills of templates, and this "
            f"campaign asks for {campaign.settings.judging}; use JSON"
        )
    if campaign.settings.form not in format_of("muc").names:
        judging = load_judging(campaign)
        assert isinstance(judging, Fills)
        return judging.evaluation.design  # which JSON itself may have a say in
    return load_design(campaign.settings.options.get("slots", "muc4"))

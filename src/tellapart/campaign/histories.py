"""Histories of 1992 in a campaign: a file's decisions become a person's, and what holds a file.

A file says what was decided and not by whom; so they are kept as decisions of whoever brings it.
"""

from __future__ import annotations

from collections.abc import Iterable

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.log import Opinions, QuestionId
from tellapart.campaign.questions import KINDS
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.decision_texts import Spellings, change_of, outcome_of, question_of
from tellapart.formats.templates.design import Design, load_design
from tellapart.formats.templates.history import Fill, History
from tellapart.formats.templates.history_files import LispError, read_history
from tellapart.formats.templates.problems import raise_fatal


def import_history(campaign: Campaign, path: str, judge: str) -> int:
    """Add the decisions of a history file to the log as a person's; return how many are new.

    All of them are on disk on return, or none. What this person has decided in the same way before
    is not added again, so that a file may be imported twice.
    """
    design = design_of(campaign)
    history, problems = read_history(path, design)
    raise_fatal(problems)
    decided = list(history.decisions())
    if not decided:
        raise DataError(f"{path}: there is no decision in this history")
    spellings = _spellings(campaign, design)
    made: dict[QuestionId, str] = {}
    for subject, outcome in decided:
        known = spellings.first(subject) if isinstance(subject, Fill) else subject
        # Of two entries about the same fill the first one counts, as where histories are read.
        made.setdefault(question_of(known), outcome_of(outcome))
    return campaign.log.decide_all(judge, made)


def known_as(campaign: Campaign, asked: Iterable[QuestionId]) -> dict[QuestionId, QuestionId]:
    """Return by what a campaign knows the questions of another one, spelled as here."""
    design = design_of(campaign)
    spellings, found = _spellings(campaign, design), {}
    for kind, subject in asked:
        about = change_of(design, kind, subject, None).subject
        known = spellings.first(about) if isinstance(about, Fill) else about
        found[kind, subject] = question_of(known)
    return found


def history_of(campaign: Campaign) -> History:
    """Return what holds in a campaign, as a history; write it with `write_history`."""
    design, log, history = design_of(campaign), Opinions(), History()
    for kind, subject in log.add(campaign.log.since()):
        if kind not in KINDS["fills"]:
            continue
        outcome = log.holds((kind, subject))
        if outcome is None:
            continue
        try:
            history.carry_out(change_of(design, kind, subject, outcome))
        except (ValueError, TypeError, LookupError, LispError) as problem:
            raise DataError(
                f"{campaign.folder}: a decision about {subject} cannot be read ({problem}); is it "
                "of other slots?"
            ) from None
    return history


def design_of(campaign: Campaign) -> Design:
    """Return the slots of a campaign's templates."""
    if campaign.settings.judging != "fills":
        raise UsageError(
            f"{campaign.folder}: a history holds decisions about the fills of templates, and this "
            f"campaign asks for a {campaign.settings.judging}; use JSON or CSV"
        )
    with campaign.laid_out() as laid:
        file = laid.options.get("slots")
        return load_design(str(file) if file else campaign.settings.options.get("slots", "muc4"))


def _spellings(campaign: Campaign, design: Design) -> Spellings:
    """Return how the log spells what it has decisions about."""
    known = Spellings()
    for kind, subject in dict.fromkeys(each.question for each in campaign.log.since()):
        if kind == "fill":
            about = change_of(design, kind, subject, None).subject
            assert isinstance(about, Fill)
            known.learn(about)
    return known

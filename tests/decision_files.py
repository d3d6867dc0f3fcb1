"""A history file to decide in, and small decisions to put into it."""

from __future__ import annotations

from muc_files import DESIGN
from tellapart.campaign.history import HistoryStore
from tellapart.formats.problems import Findings
from tellapart.formats.templates.history import Entry, Fill, History, Outcome, Subject
from tellapart.formats.templates.history_files import (
    HistoryFile,
    outcome_of,
    question_of,
    read_history,
)

T = DESIGN.text
PLACE = ("M1", "1", "hum-tgt-desc")


def opened(where: str, judge: str = "ann") -> HistoryStore:
    """Sit down at a history file."""
    store = HistoryStore(HistoryFile(where, DESIGN), judge)
    store.news()
    return store


def kept(where: str) -> History:
    """Read what is on disk."""
    problems = Findings()
    history = read_history(where, DESIGN, problems)
    assert not problems.found
    return history


def about(text: str) -> Fill:
    """Return a fill to decide about."""
    return Fill(PLACE, T(text))


def decide(store: HistoryStore, subject: Subject | str, decided: Outcome | str, *keys: str) -> None:
    """Decide about a fill, by a status and fills of the key, or about something else."""
    about_it = about(subject) if isinstance(subject, str) else subject
    if isinstance(decided, str):
        assert isinstance(about_it, Fill)
        decided = Entry(about_it.response, decided, tuple(map(T, keys)))  # type: ignore[arg-type]
    store.decide("", question_of(about_it), outcome_of(decided))


def statuses(history: History) -> dict[str, str]:
    """Return the status of each fill."""
    return {entry.response.text: entry.status for entry in history.entries[PLACE]}  # type: ignore[union-attr]

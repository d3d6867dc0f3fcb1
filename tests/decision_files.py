"""Stores of decisions for the tests, and small decisions to put into them."""

from __future__ import annotations

from muc_files import DESIGN
from tellapart.formats.templates.decisions import DecisionStore, open_store, read_decisions
from tellapart.formats.templates.history import Change, Entry, Fill, History

T = DESIGN.text
PLACE = ("M1", "1", "hum-tgt-desc")


def opened(where: str, judge: str | None = None) -> DecisionStore:
    return open_store(where, DESIGN, judge)


def kept(where: str) -> History:
    """Read what is on disk."""
    history, problems = read_decisions(where, DESIGN)
    assert not problems
    return history


def fill(text: str, status: str, *keys: str) -> Change:
    """Make a decision about a fill that was not decided before."""
    entry = Entry(T(text), status, tuple(map(T, keys)))  # type: ignore[arg-type]
    return Change(Fill(PLACE, T(text)), None, entry)


def statuses(history: History) -> dict[str, str]:
    return {entry.response.text: entry.status for entry in history.at(PLACE)}  # type: ignore[union-attr]

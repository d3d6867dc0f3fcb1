"""The desk of a campaign: who is asked what next, what was answered, and how much is left.

It is the campaign as a running program knows it, kept up to date from the log: several programs may
work on one campaign. All of it may be called from several threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.log import Decision, Opinions, QuestionId, Remark
from tellapart.campaign.questions import AcceptsOthers, Answer, Judging, Question, View
from tellapart.campaign.waiting import Progress, Standing, Waiting
from tellapart.errors import TellapartError, UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The submissions up to one of them, as read, and all that was decided about them."""

    submission: int
    judging: Judging
    opinions: Opinions
    at: dict[str, list[Question]]


def _prepared(
    campaign: Campaign, load: Callable[[Campaign], Judging], submission: int
) -> _Prepared:
    judging, opinions = load(campaign), Opinions()
    for kind, subject in opinions.add(campaign.log.since()):
        judging.hold(kind, subject, opinions.holds((kind, subject)))
    at = {item: list(judging.questions_at(item)) for item in judging.items}
    return _Prepared(submission, judging, opinions, at)


NEVER: Final = -1
"""The priority of a question that is not asked, whatever else is open"""


@dataclass(slots=True)
class Desk:
    """Gives out questions and takes answers."""

    campaign: Campaign
    load: Callable[[Campaign], Judging]
    """Reads the submissions anew; called when there are new ones"""
    judging: Judging = field(init=False)
    opinions: Opinions = field(init=False)
    questions: dict[QuestionId, Question] = field(init=False)
    """All questions, decided or not, in the order of the items; never changed, but replaced"""
    priorities: Mapping[QuestionId, int] = field(default_factory=dict)
    """How many pairs of systems a question can still move; set by whoever works out the bounds"""
    spread: bool = False
    """Whether each person gets the items in an order of their own: what others are looking at is
    not known in a program that is not the server's"""
    flags: dict[QuestionId, set[str]] = field(default_factory=dict)
    """Who has flagged a question for the organiser"""
    shown: dict[QuestionId, Question] = field(default_factory=dict)
    """All that was ever given out, though it may be idle by now"""
    _at: dict[str, list[Question]] = field(init=False)
    _ids: dict[str, list[QuestionId]] = field(init=False)
    _order: list[QuestionId] = field(init=False)
    problem: str = ""
    """Why the newest submissions could not be read; those before them count"""
    _submissions: int = field(init=False, default=-1)
    _loading: int | None = None
    """Up to which submission a thread is just reading"""
    _failed: int = -1
    _ready: _Prepared | None = None
    """What such a thread has read, until somebody takes it"""
    _remarks: int = 0
    _waiting: Waiting = field(init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _loaded: threading.Condition = field(init=False)

    def __post_init__(self) -> None:
        self._loaded = threading.Condition(self._lock)
        self._waiting = Waiting(self.campaign.settings)
        last, _ = self.campaign.version()
        self._take(_prepared(self.campaign, self.load, last))

    def refresh(self) -> set[str]:
        """Catch up with the log; return the items of which something has changed.

        New submissions are read in the background, since that may take seconds; until then people
        go on with what there was.
        """
        with self._lock:
            ready, self._ready = self._ready, None
            if ready is not None:
                self._take(ready)
            news = self.campaign.news(self.opinions.last, self._remarks)
            last = news.submission
            if self._loading is None and last > max(self._submissions, self._failed):
                self._loading = last
                threading.Thread(target=self._load_anew, args=(last,), daemon=True).start()
            for remark in news.remarks:
                self._remarks = remark.number
                self._note(remark)
            changed = self._hold(self.opinions.add(news.decisions))
            return changed if ready is None else set(self.judging.items)

    def _note(self, remark: Remark) -> None:
        if remark.question is None:
            return
        if remark.kind == "skip":
            self._waiting.skip(remark.question, remark.person, remark.number)
        elif remark.kind == "flag":
            self.flags.setdefault(remark.question, set()).add(remark.person)
        elif remark.kind == "unflag":
            self.flags.get(remark.question, set()).discard(remark.person)

    def refresh_wholly(self) -> set[str]:
        """Catch up with the log and with new submissions, however long it takes."""
        changed = self.refresh()
        while True:
            with self._loaded:
                self._loaded.wait_for(lambda: self._loading is None)
            newest = max(self._submissions, self._failed)
            if self._ready is None and self.campaign.version()[0] <= newest:
                return changed
            changed |= self.refresh()

    def _load_anew(self, submission: int) -> None:
        ready: _Prepared | None = None
        problem = ""
        try:
            ready = _prepared(self.campaign, self.load, submission)
        except TellapartError as found:
            problem = str(found)
        finally:  # whatever happened, nobody waits for it any more
            with self._loaded:
                self._loading = None
                self.problem = problem
                self._ready = ready
                if ready is None:
                    self._failed = submission
                self._loaded.notify_all()

    def _take(self, ready: _Prepared) -> None:
        self._submissions = ready.submission
        self.judging, self.opinions = ready.judging, ready.opinions
        self._at = ready.at
        self._ids = {item: [each.id for each in found] for item, found in ready.at.items()}
        self._put_in_order()
        self._waiting.begin(self.questions, self.opinions)

    def _put_in_order(self) -> None:
        # A new one each time: others may be going through the one before.
        keys = chain.from_iterable(self._ids.values())
        self.questions = dict(zip(keys, chain.from_iterable(self._at.values()), strict=True))
        self._order = list(self.questions)

    def _hold(self, touched: Sequence[QuestionId]) -> set[str]:
        """Let what was decided hold; return the items of which something has changed."""
        changed = set()
        for kind, subject in touched:
            item = self.judging.hold(kind, subject, self.opinions.holds((kind, subject)))
            if item is not None:
                changed.add(item)
        others = False
        for item in changed:
            found = list(self.judging.questions_at(item))
            ids = [each.id for each in found]
            others |= found != self._at[item]
            for gone in set(self._ids[item]).difference(ids):
                self._waiting.remove(gone)
            self._at[item], self._ids[item] = found, ids
            for each in ids:
                self._waiting.update(each, self.opinions)
        if others:
            self._put_in_order()
        return changed

    def counts(self) -> tuple[tuple[int, int], Counts]:
        """Return the scores by what holds now, and which submission and decision that is up to."""
        with self._lock:
            self.refresh()
            return (self._submissions, self.opinions.last), self.judging.counts()

    @contextmanager
    def unchanged(self) -> Iterator[Mapping[str, Sequence[Question]]]:
        """Let nothing change for the length of a block, which is given the questions by item."""
        with self._lock:
            yield self._at

    def standing(self, question: QuestionId) -> Standing:
        """Return how it stands with a question, even one that is idle and not asked."""
        needed = self.campaign.settings.opinions_needed(*question)
        return Standing.of(question, self.opinions, needed)

    # What a person does

    def next_for(self, person: str) -> Question | None:
        """Return the question that a person is to answer next; None if there is none for them.

        First those that can move most pairs of systems, and what they skipped last of all.
        """
        with self._lock:
            self.refresh()
            order = self._order
            if self.spread:
                draw = self.campaign.settings.draw
                items = sorted(self._ids, key=lambda item: draw("turn", person, item))
                order = [each for item in items for each in self._ids[item]]
            if NEVER in self.priorities.values():
                order = [each for each in order if self.priorities.get(each) != NEVER]
            found = self._waiting.next_for(person, order, self.priorities)
            if found is None:
                return None
            self.shown[found] = self.questions[found]
            return self.shown[found]

    def view(self, person: str, question: Question) -> View:
        """Return what to show beside a question; sides are drawn for each person."""
        return self.judging.view(question, self._left_first(person, question))

    def answers(self, person: str, question: Question) -> tuple[Answer, ...]:
        """Return the answers to choose from, left and right being as `view` shows them."""
        return question.answers_shown(self._left_first(person, question))

    def _left_first(self, person: str, question: Question) -> bool:
        return self.campaign.settings.draw("side", person, *question.id) < 0.5

    def answer(
        self,
        person: str,
        question: QuestionId,
        outcome: str,
        *,
        note: str = "",
        request: str | None = None,
        ruling: bool = False,
    ) -> Decision:
        """Keep an answer, on disk on return; one that the question does not have is refused."""
        with self._lock:
            if question not in self.questions:
                self.refresh()
            # What somebody was shown they may answer, though another decision has made it idle.
            known = self.questions.get(question) or self.shown.get(question)
            if known is None:
                before = self.campaign.log.of_request(person, request)
                if before is not None:  # it was kept, and its sender did not hear of it
                    return before
                raise UsageError("there is no such question any more; go on with the next one")
            if not self._answers(known, outcome):
                raise UsageError("this is no answer to that question")
        made = self.campaign.log.decide(
            person, question, outcome, note=note, request=request, ruling=ruling
        )
        with self._lock:
            self._waiting.release(question, person)
            self.refresh()
        return made

    def _answers(self, question: Question, outcome: str) -> bool:
        if outcome in {each.outcome for each in question.answers}:
            return True
        others = self.judging
        return isinstance(others, AcceptsOthers) and others.accepts(question, outcome)

    def undo(self, person: str, request: str | None = None) -> Question | None:
        """Take back a person's last decision; return its question, which is theirs again."""
        made = self.campaign.log.undo(person, request)
        with self._lock:
            self.refresh()
            if made is None:
                return None
            self._waiting.hold(made.question, person)
            return self.questions.get(made.question)

    def skip(self, person: str, question: QuestionId) -> None:
        """Put a question off: this person gets it again when nothing else is left."""
        self.campaign.log.remark(person, question, "skip")
        with self._lock:
            self._waiting.release(question, person)
            self.refresh()

    def progress(self, person: str) -> Progress:
        """Return how far the campaign is, and a person in it."""
        with self._lock:
            return self._waiting.progress(person)

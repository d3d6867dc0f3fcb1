"""Questions about templates: whether a fill is right after all, and which templates are paired.

A fill that the key does not have is one question, however many systems gave it. How the templates
of a message are paired is asked for each system where decisions still to be made could change it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from tellapart.campaign.history import change_to
from tellapart.campaign.questions import (
    SIDES,
    Answer,
    Judging,
    Passage,
    Question,
    Row,
    View,
    pairs_words,
)
from tellapart.errors import DataError, UsageError
from tellapart.formats.templates.alignment import (
    Aligner,
    Candidate,
    Pair,
    best_pairs,
    completed,
    given_pairs,
)
from tellapart.formats.templates.counts import evaluation_counts
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.evaluation import Evaluation, read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history import (
    Entry,
    Fill,
    History,
    Pairing,
    Pairs,
    Reply,
    Status,
    by_guidelines,
    noting,
)
from tellapart.formats.templates.history import Question as Asked
from tellapart.formats.templates.history_files import Spellings, change_of, outcome_of, question_of
from tellapart.formats.templates.matching import offered_fills
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.scoring import Run, ScoredPair, Task, score_pair
from tellapart.formats.templates.texts import occurrences
from tellapart.formats.templates.values import Value, equal, inner, shown

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Laid
    from tellapart.campaign.settings import Settings
    from tellapart.counts import Counts

MOST_PAIRINGS: Final = 9
"""How many ways to pair templates are offered, each by a digit"""


def _hopefully(history: History, question: Asked) -> Reply:
    """Take every fill that nothing decides for a match."""
    if history.find(question.place, question.response) is not None:
        return by_guidelines(history, question)
    return Reply("match", (0,)) if question.offered else Reply("fail")


@dataclass(frozen=True, slots=True)
class _Sight:
    """A system's templates of a message, scored by what holds."""

    pairs: tuple[Pair, ...]
    scored: tuple[ScoredPair, ...]
    asked: tuple[Fill, ...]
    """What nothing decides"""
    ways: tuple[Pairs, ...]
    """How the templates may be paired, first as they are by themselves"""


@dataclass(slots=True)
class Fills(Judging):
    """Templates of which people decide what the scorer cannot."""

    settings: Settings
    evaluation: Evaluation
    history: History = field(default_factory=History)
    """What holds"""
    systems: tuple[str, ...] = field(init=False)
    items: tuple[str, ...] = field(init=False)
    """The messages, in order"""
    _sights: dict[str, dict[str, _Sight]] = field(default_factory=dict)
    """By message and system, of messages looked at since something was decided there"""
    _spellings: Spellings = field(default_factory=Spellings)
    _in_log: dict[str, dict[Fill, None]] = field(default_factory=dict)
    """By message what anybody ever decided about"""
    _keys: dict[tuple[str, str], Template] = field(init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    """Views and counts may be wanted while somebody decides"""

    def __post_init__(self) -> None:
        self.systems, self.items = tuple(self.evaluation.tasks), tuple(self.evaluation.key.messages)
        templates = (each for several in self.evaluation.key.messages.values() for each in several)
        self._keys = {(each.message, each.number): each for each in templates}

    # Questions

    def questions_at(self, item: str) -> list[Question]:
        """Return all questions at a message, those that are decided among them."""
        sights = self._sights_at(item)
        asked = chain(*(sight.asked for sight in sights.values()), self._in_log.get(item, {}))
        fills, found = dict.fromkeys(map(self._spellings.first, asked)), []
        position = self.evaluation.design.position
        for fill in sorted(fills, key=lambda fill: (fill.place[1], position[fill.place[2]])):
            systems = tuple(name for name in self.systems if self._having(name, fill))
            if systems:
                kind, subject = question_of(fill)
                answers = _fill_answers(fill, self.offered(fill))
                found.append(Question(kind, subject, item, fill.place[2], systems, answers))
        for name, sight in sights.items():
            if len(sight.ways) > 1 or Pairing(item, name) in self.history.pairings:
                found.append(self.pairing_question(item, name))
        return found

    def _having(self, system: str, fill: Fill) -> list[Template]:
        """Return the templates of a system that have a fill, at the message it is of."""
        message, _, slot = fill.place
        at = self.evaluation.design.position[slot]
        return [
            template
            for template in self.evaluation.tasks[system].response.sorted(message)
            if any(equal(each, fill.response) for each in template.fills[at])
        ]

    def scored_at(self, message: str) -> dict[str, tuple[ScoredPair, ...]]:
        """Return the scored templates of a message, by system."""
        return {name: sight.scored for name, sight in self._sights_at(message).items()}

    def offered(self, fill: Fill) -> tuple[Value, ...]:
        """Return the fills of the key that a response may be matched with."""
        message, number, slot = fill.place
        design = self.evaluation.design
        at = design.position[slot]
        return offered_fills(
            design.scored[at], self._keys[message, number].fills[at], fill.response
        )

    def pairing_question(self, message: str, system: str) -> Question:
        """Return the question how the templates of a message are paired for a system."""
        ways, sides = [*self._sights_at(message)[system].ways], sides_of(self.evaluation)
        held = self.history.pairings.get(Pairing(message, system))
        if held is not None:
            task = self.evaluation.tasks[system]
            held = completed(held, *task.sides(message))
            ways += [held] if held not in ways else []
        answers = [
            Answer(str(k) if k < 10 else "", pairs_words(way, sides), outcome_of(way))
            for k, way in enumerate(ways, 1)
        ]
        kind, subject = question_of(Pairing(message, system))
        return Question(kind, subject, message, "pairing", (system,), tuple(answers))

    # What holds

    def hold(self, kind: str, subject: str, outcome: str | None) -> str | None:
        """Let an outcome hold from now on, or nothing; return the message that it touches."""
        change = change_to(self.evaluation.design, (kind, subject), outcome, "the log")
        about = change.subject
        if isinstance(about, Pairing):
            message, known = about.message, about.system in (None, *self.systems)
            if not known or message not in self.evaluation.key.messages:
                return None
        else:
            message, number, _ = about.place
            if (message, number) not in self._keys:
                return None
            self._spellings.learn(about)
            self._in_log.setdefault(message, {})[about] = None
        with self._lock:
            self.history.carry_out(change)
            self._sights.pop(message, None)
        return message

    def accepts(self, question: Question, outcome: str) -> bool:
        """Return whether an outcome answers a question, though it may be none of its answers.

        A fill may be matched with some of several fills, and templates be paired by hand.
        """
        if Judging.accepts(self, question, outcome):
            return True
        try:
            change = change_to(self.evaluation.design, question.id, outcome, "")
        except DataError:
            return False
        if isinstance(change.subject, Fill) and isinstance(change.after, Entry):
            keys, fills = change.after.keys, self.offered(change.subject)
            known = all(key in fills for key in keys) and len(set(keys)) == len(keys)
            return known and (change.after.status == "fail") == (not keys)
        if isinstance(change.subject, Pairing) and isinstance(change.after, tuple):
            return self._may_be_paired(question.item, str(change.subject.system), change.after)
        return False

    def _may_be_paired(self, message: str, system: str, pairs: Pairs) -> bool:
        """Return whether each template is named once, and those paired have enough in common."""
        task = self.evaluation.tasks[system]
        keys, responses = task.sides(message)
        made = given_pairs(pairs, keys, responses)
        if made is None or len(made) != len(pairs) or pairs != completed(pairs, keys, responses):
            return False
        aligner, hopeful = Aligner(task.design, self.history), partial(_hopefully, self.history)
        return all(
            aligner.allowed(pair.key, pair.response, hopeful)
            for pair in made
            if pair.key and pair.response
        )

    def counts(self) -> Counts:
        """Return the scores of all systems by what holds now, as `score` has them."""
        metrics = [self.settings.metric] if self.settings.metric else []
        return evaluation_counts(self.evaluation, self.runs(), "message", metrics)

    @property
    def row(self) -> str:
        """What counts, as `score` has it."""
        return self.evaluation.row

    def runs(self) -> dict[str, Run]:
        """Return the scored templates of all systems."""
        design, sights = self.evaluation.design, [self._sights_at(item) for item in self.items]
        scored = {
            name: [each for at in sights for each in at[name].scored] for name in self.systems
        }
        return {
            name: Run(name, design, tuple(scored[name]), task.relevance())
            for name, task in self.evaluation.tasks.items()
        }

    def view(self, question: Question) -> View:
        """Return what to show beside a question."""
        about = change_of(self.evaluation.design, question.kind, question.subject, None).subject
        if isinstance(about, Pairing):
            return pairing_view(self.evaluation, about)
        pair = self._pair_of(about, question.systems)
        return fill_view(self.evaluation, about, self.offered(about), pair)

    def _pair_of(self, fill: Fill, systems: Sequence[str]) -> Pair:
        """Return the key template and one that has a fill, as they are paired if they are."""
        message, number, _ = fill.place
        key = self._keys[message, number]
        having = [template for name in systems for template in self._having(name, fill)]
        sights = self._sights_at(message)
        pairs = (pair for name in systems for pair in sights[name].pairs if pair.key is key)
        paired = next((pair for pair in pairs if pair.response in having), None)
        return paired or Pair(key, next(iter(having), None))

    # Scoring

    def _sights_at(self, message: str) -> dict[str, _Sight]:
        """Return the scored templates of all systems at a message."""
        with self._lock:
            if message not in self._sights:
                tasks = self.evaluation.tasks
                self._sights[message] = {name: self._look(tasks[name], message) for name in tasks}
            return self._sights[message]

    def _look(self, task: Task, message: str) -> _Sight:
        keys, responses = task.sides(message)
        history = self.history
        aligner, asked = Aligner(task.design, history), list[Fill]()
        candidates = aligner.candidates(keys, responses)
        pairs = aligner.align(keys, responses)
        ways = _ways(aligner, candidates, pairs, keys, responses)
        if history.pairing(message, task.system):
            pairs = task.align_message(message, history)
        listener = partial(noting, history, asked)
        scored = tuple(score_pair(task, pair, history, listener) for pair in pairs)
        return _Sight(tuple(pairs), scored, tuple(asked), ways)


def load_fills(settings: Settings, laid: Laid, options: TemplateOptions) -> Fills:
    """Return what the templates of a campaign leave to people; nothing is decided yet."""
    if len(laid.gold) != 1:
        raise UsageError("templates need one answer key: make the campaign with --gold FILE")
    systems = tuple(f"{name}={path}" for name, path in laid.systems.items())
    evaluation = read_evaluation(str(laid.gold[0]), systems, options)
    # What is odd about a file was told when it came; here it has no name that anybody knows.
    folder = str(laid.gold[0].parent)
    told = tuple(each for each in evaluation.notices if folder not in each.text)
    return Fills(settings, replace(evaluation, notices=told))


def _fill_answers(fill: Fill, offered: Sequence[Value]) -> tuple[Answer, ...]:
    """Return the answers about a fill; with several to choose from, they are numbered."""

    def answer(key: str, label: str, status: Status, keys: Iterable[Value] = ()) -> Answer:
        return Answer(key, label, outcome_of(Entry(fill.response, status, tuple(keys))))

    wrong = answer("x", "No match", "fail")
    if len(offered) == 1:
        return (
            answer("m", "Match", "match", offered),
            answer("p", "Partial match", "partial", offered),
            wrong,
        )
    if not offered:
        return (wrong,)
    words: tuple[tuple[str, Status], ...] = (("Match", "match"), ("Partly", "partial"))
    ways = [(word, status, each) for word, status in words for each in offered]
    numbered = [
        answer(str(k) if k < 10 else "", f"{word}: {shown(inner(each))}", status, [each])
        for k, (word, status, each) in enumerate(ways, 1)
    ]
    return (*numbered, answer("p", "Partly: all of them", "partial", offered), wrong)


def _ways(
    aligner: Aligner,
    candidates: Sequence[Candidate],
    pairs: Sequence[Pair],
    keys: Sequence[Template],
    responses: Sequence[Template],
) -> tuple[Pairs, ...]:
    """Return how templates could be paired if what is undecided were decided in favour of it.

    The first way is how they are paired now.
    """
    chosen = {(id(pair.key), id(pair.response)) for pair in pairs}
    taken: dict[int, int] = {}
    for score, key, response in candidates:
        if (id(key), id(response)) in chosen:
            taken[id(key)] = taken[id(response)] = score
    ways, hopefully = {_numbers(pairs): None}, partial(_hopefully, aligner.history)
    if any(len({each.number for each in side}) < len(side) for side in (keys, responses)):
        return tuple(ways)  # numbers that appear twice cannot name a pair
    for each in candidates:
        at = id(each.key), id(each.response)
        if at in chosen or not (each.key.relevant and each.response.relevant):
            continue
        to_beat = max(taken.get(one, 0) for one in at)
        hope = aligner.score(each.key, each.response, hopefully)
        if each.score == to_beat or hope > to_beat:
            ways[_numbers(best_pairs([each, *candidates], keys, responses))] = None
    return tuple(ways)[:MOST_PAIRINGS]


def _numbers(pairs: Iterable[Pair]) -> Pairs:
    return tuple(pair.numbers for pair in pairs)


# What is shown


def fill_view(evaluation: Evaluation, fill: Fill, offered: Sequence[Value], pair: Pair) -> View:
    """Return the evidence about a fill: `pair` is its key template and one with that fill."""
    message, number, name = fill.place
    design, sides = evaluation.design, sides_of(evaluation)
    slot = design.scored[design.position[name]]
    said, *others = map(_quoted, (fill.response, *offered))
    if len(others) == 1:
        title = f"Is {said} the same as {others[0]}?"
    else:
        title = f"Is {said} one of the {sides[0].lower()}'s {len(offered)} fills?"
    # The fills of closed sets are no words of the message; their tags are.
    values = [fill.response, *offered]
    passages = message_passages(evaluation, message, values, bare=not slot.is_set)
    details = {"Slot": slot.label, unit_of(evaluation): message, f"{sides[0]} template": number}
    rows = template_rows(design, pair.key, pair.response, name)
    return View(title, passages, rows, details, sides)


def sides_of(evaluation: Evaluation) -> tuple[str, str]:
    """Return what two templates side by side are: those of 1992 have words of their own."""
    return ("Gold", "Response") if evaluation.design.of_schema else SIDES


def unit_of(evaluation: Evaluation) -> str:
    """Return what templates are of: a message, or a document."""
    return evaluation.corpus.key.layout.unit.capitalize()


def _quoted(value: Value) -> str:
    """Return a fill in quotation marks, where those of 1992 have none of their own."""
    text = shown(inner(value))
    return text if '"' in text else f'"{text}"'


def template_rows(
    design: Design, key: Template | None, response: Template | None, asked: str
) -> tuple[Row, ...]:
    """Return the slots of two templates side by side, one of which may be asked about."""
    sides = (design.unfilled if side is None else side.fills for side in (key, response))
    return tuple(
        Row(slot.label, _shown(ours), _shown(theirs), asked=slot.name == asked)
        for slot, ours, theirs in zip(design.scored, *sides, strict=True)
        if ours or theirs
    )


def pairing_view(evaluation: Evaluation, pairing: Pairing) -> View:
    """Return the evidence about a pairing: all templates of a message, slot by slot."""
    task = evaluation.tasks[str(pairing.system)]
    keys, responses = task.sides(pairing.message)
    rows = []
    for at, slot in enumerate(task.design.scored):
        key, response = (_numbered(side, at) for side in (keys, responses))
        if key or response:
            rows.append(Row(slot.label, key, response))
    values = [value for each in keys for fills in each.fills for value in fills]
    passages = message_passages(evaluation, pairing.message, values, bare=False)
    title = "Which templates belong together?"
    details = {unit_of(evaluation): pairing.message}
    return View(title, passages, tuple(rows), details, sides_of(evaluation))


def message_passages(
    evaluation: Evaluation, message: str, values: Iterable[Value], *, bare: bool
) -> tuple[Passage, ...]:
    """Return the text of a message, if there is one, with the texts of values marked."""
    text = evaluation.corpus.texts().get(message)
    if text is None:
        return ()
    return (
        Passage(f"{unit_of(evaluation)} {message}", text, occurrences(text, values, bare=bare)),
    )


def _shown(fills: Iterable[Value]) -> tuple[str, ...]:
    return tuple(map(shown, fills))


def _numbered(templates: Sequence[Template], at: int) -> tuple[str, ...]:
    """Return the fills of a slot, a line for each template, after its number."""
    filled = [(each.number, each.fills[at]) for each in templates if each.fills[at]]
    return tuple(f"({number}) {'; '.join(map(shown, fills))}" for number, fills in filled)

"""Judging at a terminal: a desk gives the questions, a person types the answers.

The page and other terminals may be at work on the same questions: what they decide is looked at
before every question. No system is named.
"""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from tellapart.campaign.desk import Desk
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Answer, Passage, Question, Row, View, canonical
from tellapart.console import ask, say, show
from tellapart.errors import TellapartError, UsageError

if TYPE_CHECKING:
    from tellapart.formats.templates.format import TemplateOptions

COMMANDS: Final = {
    "skip": "decide another time",
    "back": "take your last decision back",
    "view": "show all of the texts and templates",
    "repair": "change how templates are paired: repair, or repair ITEM and the system's number",
    "quit": "stop; what was decided is kept",
}
"""By word; its first letter will do"""
ANYWHERE: Final = ("back", "repair", "quit")
"""What can be typed without a question, too"""
_LETTERS: Final = {"u": "back", **{word[0]: word for word in COMMANDS}}
_PAIR: Final = re.compile(r"([^\s-]*)-([^\s-]*)")
_LINES: Final = 12
"""What a text has at most to be shown without being asked for"""
_NAMES: Final = 20
"""How wide the names of slots stand beside two templates"""


def sit_down(folder: str, judge: str) -> Sitting:
    """Return a sitting of a person over the campaign in a folder."""
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.judging import desk_of

    campaign = Campaign.open(folder)
    roles = {each.name: each.role for each in campaign.people()}
    role = roles.get(judge, "judge")
    if role == "participant":
        raise UsageError(
            f"{judge} takes part in this campaign, and judges nothing in it; give --judge NAME"
        )
    # Where nobody has that role, whoever has the folder organises.
    rules = role == "organiser" or "organiser" not in roles.values()
    return Sitting(desk_of(campaign, spread=True), judge, rules)


def sit_down_with_files(
    gold: str, responses: Sequence[str], history: str, options: TemplateOptions
) -> Sitting:
    """Return a sitting over files of templates, whose decisions a history file keeps."""
    from tellapart.campaign.fills import Fills
    from tellapart.campaign.history import NOBODY, HistoryStore
    from tellapart.campaign.settings import Settings
    from tellapart.formats.templates.evaluation import read_evaluation
    from tellapart.formats.templates.history_files import HistoryFile

    evaluation = read_evaluation(gold, responses, options)
    file = HistoryFile(history, evaluation.design)
    for warning in (*(each.text for each in evaluation.notices), *file.warnings):
        say(f"warning: {warning}")
    settings = Settings("", form="muc", judging="fills", second_opinions=0.0)
    desk = Desk(settings, HistoryStore(file), lambda: Fills(settings, evaluation))
    return Sitting(desk, NOBODY)


@dataclass(slots=True)
class Sitting:
    """A person who judges at a terminal."""

    desk: Desk
    person: str
    rules: bool = False
    """Whether the person may decide where others differ"""
    decisions: int = 0
    """How many were made, and not taken back, in this sitting"""
    _skipped: set[QuestionId] = field(default_factory=set)
    """In this sitting"""
    _ruling: bool = False
    """Whether the person is going through what people differ about"""

    def run(self) -> bool:
        """Ask until nothing is left; return False if the person stopped before."""
        going_on: Question | bool | None = None
        while not isinstance(going_on, bool):
            question = going_on or self._next()
            going_on = self._at_the_end() if question is None else self._ask(question)
        return going_on

    def _next(self) -> Question | None:
        """Return the next question; None if only what was skipped in this sitting is left."""
        question = self.desk.next_for(self.person)
        if question is not None and question.id not in self._skipped:
            return question
        conflicts = self.desk.conflicts() if self._ruling else ()
        return next((each for each in conflicts if each.id not in self._skipped), None)

    def _ask(self, question: Question) -> Question | bool | None:
        """Ask; return the question to go on with, None for the next one, False to stop."""
        view = self.desk.judging.view(question)
        ruling = self.rules and self.desk.opinions.is_conflict(question.id)
        choices = {each.key or str(k): each for k, each in enumerate(question.answers, 1)}
        self._show(question, view, choices, ruling=ruling)
        while (typed := ask("[s]kip [b]ack [v]iew [r]epair [q]uit [?] > ")) is not None:
            command, rest = _command(typed)
            outcome = outcome_typed(typed, question.kind, choices)
            if outcome is not None:
                if self._answer(question, outcome, ruling=ruling):
                    return None
            elif command in ANYWHERE:
                going_on = self._go(command, rest, question)
                if going_on is not None:
                    return going_on
            elif command == "skip":
                self.desk.skip(self.person, question.id)
                self._skipped.add(question.id)
                return None
            elif command == "view":
                _lines(line for each in view.passages for line in _passage(each, whole=True))
                _lines(_rows(view.rows, view.sides))
            elif command in ("?", "help"):
                _lines(_offered(question, view.sides[0].lower(), choices))
                _lines(f"  {f'{word[0]}, {word}':<14}{does}" for word, does in COMMANDS.items())
            else:
                show(f"  {typed!r} is no answer; ? shows what can be typed\n")
        return False

    def _at_the_end(self) -> Question | bool | None:
        """Tell what is left, and return how to go on: as if a question had been answered."""
        progress = self.desk.progress(self.person)
        show(f"\n{self.state()}. {progress.left_words}\n")
        again = " [s]kipped ones" if self._skipped else ""
        rule = " [c]onflicts" if self.rules and self.desk.conflicts() else ""
        typed = ask(f"[enter] end{again}{rule} [b]ack [r]epair [q]uit > ")
        if not typed:
            return typed == ""
        command, rest = _command(typed)
        if command in ANYWHERE:
            return self._go(command, rest)
        if command in ("skip", "skipped"):
            self._skipped.clear()
        elif command in ("c", "conflicts") and rule:
            self._ruling = True
        else:
            show(f"  {typed!r} is nothing that can be typed here\n")
        return None

    def _show(
        self, question: Question, view: View, choices: Mapping[str, Answer], *, ruling: bool
    ) -> None:
        show(f"\n{self.state()}\n")
        show(f"{'  '.join(filter(None, (question.item, question.label)))}\n{view.title}\n")
        _lines(f"  {name}: {text}" for name, text in view.details.items() if text != question.item)
        for passage in view.passages:
            _lines(_passage(passage, whole=False))
        _lines(_rows([row for row in view.rows if row.asked] or view.rows, view.sides))
        if ruling:
            said = "; ".join(self.desk.said(question))
            show(f"  people differ: {said}. Your decision will hold.\n")
        _lines(_offered(question, view.sides[0].lower(), choices))

    def _answer(self, question: Question, outcome: str, *, ruling: bool) -> bool:
        """Keep an answer; return whether it was, and otherwise say why not."""
        try:
            self.desk.answer(self.person, question.id, outcome, ruling=ruling)
        except TellapartError as problem:  # a full disk, say: there may be room the next time
            show(f"  not done: {problem}\n")
            return self.desk.standing(question.id).decided
        self.decisions += 1
        return True

    def _go(
        self, command: str, rest: str, question: Question | None = None
    ) -> Question | bool | None:
        """Do what can be typed anywhere: return the question to go on with, False to stop."""
        if command == "quit":
            return False
        return self._back() if command == "back" else self._pairing(rest, question)

    def _back(self) -> Question | None:
        """Take the last decision back."""
        try:
            question = self.desk.undo(self.person)
        except TellapartError as problem:
            show(f"  not done: {problem}\n")
            return None
        self.decisions = max(0, self.decisions - 1)
        show("  taken back\n")
        return question

    def _pairing(self, named: str, question: Question | None = None) -> Question | None:
        """Return how the templates of a message, named or on the screen, are paired."""
        judging, (message, _, number) = self.desk.judging, named.partition(" ")
        items = [each for each in judging.items if each.upper().endswith(message.upper())]
        items = [message] if message in items else items
        system = judging.systems[0]
        if question is not None and not message:
            items, system = [question.item], question.systems[0]
        if number.isdecimal() and 0 < int(number) <= len(judging.systems):
            system = judging.systems[int(number) - 1]
        pairing = self.desk.pairing_of(items[0], system) if len(items) == 1 else None
        if pairing is None:
            show(f"  not done: {message!r} names {len(items)} items with templates\n")
        return pairing

    def state(self) -> str:
        """Return how far the campaign is, in words."""
        found = self.desk.progress(self.person)
        return f"{found.decided:,} of {found.total:,} decided; yours {found.yours:,}"


def _command(typed: str) -> tuple[str, str]:
    """Return the command that was typed, by its word or first letter, and what follows it."""
    word, _, rest = typed.partition(" ")
    return _LETTERS.get(word.lower(), word.lower()), rest


def outcome_typed(typed: str, kind: str, choices: Mapping[str, Answer]) -> str | None:
    """Return the outcome that was typed: an answer, or pairs of templates; None if it is neither.

    >>> outcome_typed("1", "rating", {"1": Answer("1", "right", '{"rating": "right"}')})
    '{"rating": "right"}'
    >>> now = Answer("1", "as now", '{"pairs": [["1", "1"], ["2", null]]}')
    >>> outcome_typed("2-1", "pairing", {"1": now})
    '{"pairs": [["1", null], ["2", "1"]]}'
    """
    if typed.lower() in choices:
        return choices[typed.lower()].outcome
    if kind == "fill":
        return _several_fills(typed, choices)
    pairs = [_PAIR.fullmatch(word) for word in typed.split()]
    if kind != "pairing" or not pairs or not all(pairs) or not choices:
        return None
    partner = {each[1]: each[2] for each in pairs if each and each[1] and each[2]}
    # Every way to pair them names all templates; what was not typed stays alone.
    named = json.loads(next(iter(choices.values())).outcome)["pairs"]
    keys, responses = ([n for n in side if n is not None] for side in zip(*named, strict=True))
    alone = sorted(number for number in responses if number not in partner.values())
    told = [(key, partner.pop(key, None)) for key in keys]
    if partner:  # of keys that are not there
        return None
    return canonical({"pairs": [*told, *((None, number) for number in alone)]})


def _several_fills(typed: str, choices: Mapping[str, Answer]) -> str | None:
    """Return the outcome typed as a match or partial match with fills of the key by number.

    >>> whole = Answer("3", "Partly: all", '{"keys": ["A", "B"], "status": "partial"}')
    >>> _several_fills("m 2", {"3": whole})
    '{"keys": ["B"], "status": "match"}'
    """
    word, *numbers = typed.lower().replace(",", " ").split() or [""]
    status = {"m": "match", "match": "match", "p": "partial", "partial": "partial"}.get(word)
    # The answer with most fills names all that are offered.
    fills = max((json.loads(each.outcome)["keys"] for each in choices.values()), key=len)
    known = {str(number): fill for number, fill in enumerate(fills, 1)}
    if status is None or not numbers or not set(numbers) <= known.keys():
        return None
    return canonical({"status": status, "keys": [known[n] for n in dict.fromkeys(numbers)]})


def _offered(question: Question, gold: str, choices: Mapping[str, Answer]) -> Iterator[str]:
    """Yield the answers, each with what is typed for it; `gold` is what that is called."""
    for key, each in choices.items():
        yield f"  {key:<5} {each.label}"
    if question.kind == "fill" and len(question.answers) > 3:
        yield f"  or m and p with numbers of the {gold}'s fills, as p 1 3"
    if question.kind == "pairing":
        yield f"  or pairs of {gold} and response templates, as 1-2 2-1; others stay alone"


# What is shown


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        show(f"{line}\n")


def _width() -> int:
    return max(20, min(shutil.get_terminal_size().columns, 100))


def _wrapped(text: str) -> list[str]:
    """Return a text in lines that fit, each marked as a quotation."""
    found = []
    for line in text.splitlines() or [""]:
        found += textwrap.wrap(line, _width(), initial_indent="  | ", subsequent_indent="  | ") or [
            "  |"
        ]
    return found


def _passage(passage: Passage, *, whole: bool) -> Iterator[str]:
    """Yield a text: all of it, or the lines with marks, or as much as fits."""
    text = passage.text
    if not whole and passage.marks:
        text = "\n".join(_marked(passage))
    lines = _wrapped(text)
    yield f"  {passage.title}"
    yield from lines if whole else lines[:_LINES]
    if not whole and (len(lines) > _LINES or text.split() != passage.text.split()):
        yield "  … (view: all of it)"


def _marked(passage: Passage) -> list[str]:
    """Return the lines of a text that have something marked."""
    found, begin = [], 0
    for line in passage.text.splitlines(keepends=True):
        end = begin + len(line)
        if any(first < end and begin < last for first, last in passage.marks):
            found.append(line.strip())
        begin = end
    return found


def _rows(rows: Sequence[Row], sides: tuple[str, str]) -> Iterator[str]:
    """Yield the slots of two templates side by side."""
    if not rows:
        return
    half = max(8, (_width() - _NAMES - 6) // 2)
    yield f"  {'':<{_NAMES}}  {sides[0]:<{half}}  {sides[1]}"
    for row in rows:
        key, response = (
            [line for fill in side or ("-",) for line in textwrap.wrap(fill, half) or [""]]
            for side in (row.key, row.response)
        )
        names = textwrap.wrap(row.name, _NAMES)
        for k, cells in enumerate(zip_longest(names, key, response, fillvalue="")):
            mark = ">" if row.asked and k == 0 else " "
            yield f"{mark} {cells[0]:<{_NAMES}}  {cells[1]:<{half}}  {cells[2]}".rstrip()

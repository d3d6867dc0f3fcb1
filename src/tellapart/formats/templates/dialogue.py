"""The dialogue of `adjudicate`: how mismatches are shown, and how decisions are typed."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tellapart.console import ask, show
from tellapart.errors import UsageError
from tellapart.formats.templates.alignment import Aligner
from tellapart.formats.templates.decisions import DecisionStore, decide, interrupts_wait
from tellapart.formats.templates.history import Change, Conflict, History, shown_pairs
from tellapart.formats.templates.history_store import OvertakenError
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.questions import Question, Reply
from tellapart.formats.templates.scoring import Task
from tellapart.formats.templates.sentences import Texts
from tellapart.formats.templates.session import Action, Back, Decide, Quit, Repair, Skip, State
from tellapart.formats.templates.values import shown

HELP: Final = """\
  m, m 2       a match, with the key fill of that number
  p, p 1 3     a partial match; with several numbers, with all of them
  p all        the same with all key fills that are shown
  x            a mismatch
  s            skip: decide another time
  b            back: take your last decision back, also one of an earlier sitting
  t            the text of the message
  v            view both templates
  r, r MESSAGE change how the templates of a message are paired
  q            stop; what was decided is kept"""

_STATUSES: Final = {"m": "match", "match": "match", "p": "partial", "partial": "partial"}
_PLAIN: Final[dict[str, Action]] = {
    "x": Decide(Reply("fail")), "mismatch": Decide(Reply("fail")),
    "s": Skip(), "skip": Skip(), "b": Back(), "back": Back(), "q": Quit(), "quit": Quit(),
}  # fmt: skip
_PAIR: Final = re.compile(r"([^\s-]+)-([^\s-]*)|-([^\s-]+)")


@dataclass(frozen=True, slots=True)
class Terminal:
    """A person at a terminal."""

    history: History
    texts: Texts | None = None

    def ask(self, task: Task, question: Question, state: State) -> Action:
        """Return the decision about a mismatch, which is shown; whose it is is not."""
        show(f"\n{state}\n")
        _show(self._shown(question))
        while True:
            typed = ask(
                "[m]atch [p]artial [x] mismatch [s]kip [b]ack [t]ext [v]iew [r]e-pair [q]uit [?] > "
            )
            if typed is None:
                return Quit()
            if typed in ("t", "text"):
                _show(self._message(question.message))
            elif typed in ("v", "view"):
                _show(_templates(task, question))
            else:
                action = self._general(typed, [task], question.message) or parse_decision(
                    typed, len(question.offered)
                )
                if not isinstance(action, str):
                    return action
                show(f"{action}\n")

    def finished(self, tasks: Sequence[Task], state: State) -> Action | None:
        """Tell what is still open, and give the chance to look at pairings again."""
        show(f"\n{state}{' (skipped)' if state.open else ''}\n")
        while True:
            typed = ask("[enter] end [b]ack [r MESSAGE] re-pair [q]uit > ")
            if not typed:
                return None if typed == "" else Quit()
            action = self._general(typed, tasks, None)
            if action is None:
                action = _PLAIN.get(typed) if typed in ("b", "back", "q", "quit") else HELP
            if action is not None and not isinstance(action, str):
                return action
            show(f"{action}\n")

    def refuse(self, reason: str) -> None:
        """Show why something could not be done."""
        show(f"  not done: {reason}\n")

    def _general(
        self, typed: str, tasks: Sequence[Task], message: str | None
    ) -> Action | str | None:
        """Return what was typed where that can be typed anywhere: help, and pairing by hand."""
        word, _, rest = typed.partition(" ")
        if word in ("?", "help"):
            return HELP
        if word not in ("r", "repair"):
            return None
        named = [each for each in tasks[0].key.messages if each.endswith(rest.upper())]
        if rest and len(named) != 1:
            return f"  {rest!r} names {len(named)} messages; type more of its id"
        wanted = named[0] if rest else message
        return "  name a message" if wanted is None else self._repair(tasks, wanted)

    def _repair(self, tasks: Sequence[Task], message: str) -> Action | str:
        """Return how templates are to be paired, of the first response that is to be changed."""
        for number, task in enumerate(tasks, 1):
            which = f", response {number} of {len(tasks)}" if len(tasks) > 1 else ""
            show(f"  {message}{which}\n")
            _show(self._pairing(task, message))
            typed = ask("pairs, as 1-2 2-1; what is not named stays alone; enter: as it is > ")
            if typed is None:
                return Quit()
            if not typed:
                continue
            pairs = [_PAIR.fullmatch(word) for word in typed.split()]
            if not all(pairs):
                return "  a pair is the number of a key template, a dash, that of a response: 1-2"
            named = tuple((p[1], p[2]) for p in pairs if p and p[1] and p[2])
            return Repair(task.system, message, named)
        return "  the pairing stays"

    def _pairing(self, task: Task, message: str) -> Iterator[str]:
        keys, responses = task.key.sorted(message), task.response.sorted(message)
        aligner = Aligner(task.design, self.history)
        allowed = [(k.number, r.number) for k in keys for r in responses if aligner.allowed(k, r)]
        now = [
            (p.key.number if p.key else None, p.response.number if p.response else None)
            for p in task.align_message(message, self.history)
        ]
        for side, templates in (("key", keys), ("response", responses)):
            for each in templates:
                yield f"  {side:8} {each.number:>3}  {_summary(each)}"
        yield f"  paired now:      {shown_pairs(tuple(now))}"
        yield f"  may be paired:   {shown_pairs(tuple(allowed))}"

    def _shown(self, question: Question) -> Iterator[str]:
        """Show the response beside the key fills it could be matched with."""
        yield (
            f"{question.message}  key {question.key}, response {question.response_template}  "
            f"{question.slot.name}"
        )
        offered = [f"{number}  {shown(fill)}" for number, fill in enumerate(question.offered, 1)]
        yield from _side_by_side([shown(question.response)], offered, ("response", "key"))
        if self.texts is not None:
            yield from self._sentence(question)

    def _message(self, message: str) -> Iterator[str]:
        """Show all of a message."""
        if self.texts is None:
            yield "  there is no text to show: give the messages with --texts FILE"
            return
        for line in self.texts.whole.get(message, "(there is no text of this message)").split("\n"):
            yield from _quoted(line) or ["  |"]

    def _sentence(self, question: Question) -> Iterator[str]:
        values = [question.response, *question.offered]
        sentence = None
        if self.texts is not None:
            bare = not question.slot.is_set  # the fills of sets are not words of the message
            sentence = self.texts.sentence_of(question.message, values, bare=bare)
        yield from _quoted(sentence or "(no sentence of the message has these words)")


def _templates(task: Task, question: Question) -> Iterator[str]:
    """Show all slots of the two templates that a question is about."""
    key, response = (
        next(each for each in side.sorted(question.message) if each.number == number)
        for side, number in (
            (task.key, question.key),
            (task.response, question.response_template),
        )
    )
    yield f"  {'':<16}  key {key.number:<{_width() // 2 - 16}}  response {response.number}"
    for slot, *sides in zip(task.design.scored, key.fills, response.fills, strict=True):
        ours, theirs = ([shown(fill) for fill in side] for side in sides)
        if ours or theirs:
            yield f"{'>' if slot is question.slot else ' '} {slot.name}"
            yield from _side_by_side(ours or ["-"], theirs or ["-"])


def _side_by_side(
    left: Sequence[str], right: Sequence[str], titles: tuple[str, str] | None = None
) -> Iterator[str]:
    half = (_width() - 8) // 2
    if titles is not None:
        yield f"  {titles[0]:<{half}}    {titles[1]}"
    sides = (
        [line for text in side for line in textwrap.wrap(text, half, subsequent_indent="   ")]
        for side in (left, right)
    )
    for ours, theirs in zip_longest(*sides, fillvalue=""):
        yield f"  {ours:<{half}}    {theirs}".rstrip()


def _quoted(text: str) -> list[str]:
    return textwrap.wrap(text, _width(), initial_indent="  | ", subsequent_indent="  | ")


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 100)


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        show(f"{line}\n")


def settle(store: DecisionStore, conflicts: Sequence[Conflict]) -> tuple[int, int]:
    """Ask about each conflict of two histories which decision is to hold.

    Returns how many decisions were taken over, and how many conflicts are left as they are.
    """
    taken = settled = 0
    for number, conflict in enumerate(conflicts, 1):
        show(f"\n{number} of {len(conflicts)}  {conflict}\n")
        typed = ""
        while typed[:1] not in ("k", "t", "s", "q"):
            found = ask("[k]ept [t]heirs [s]kip [q]uit > ")
            typed = "q" if found is None else found.lower()
        if typed.startswith("q"):
            break
        if typed.startswith("t") and _settled(store, conflict):
            taken += 1
        settled += not typed.startswith("s")
    return taken, len(conflicts) - settled


def _settled(store: DecisionStore, conflict: Conflict) -> bool:
    try:
        with interrupts_wait():
            return decide(store, Change(conflict.subject, conflict.kept, conflict.other))
    except OvertakenError:
        show("  not done: another sitting has decided it anew meanwhile; that is kept\n")
    except UsageError as problem:
        show(f"  not done: {problem}\n")
    return False


def parse_decision(typed: str, offered: int) -> Action | str:
    """Return the typed decision about a response for which some key fills are offered.

    Returns what is wrong with it where it cannot be understood.

    >>> parse_decision("p 1 3", 3)
    Decide(reply=Reply(status='partial', chosen=(0, 2)))
    >>> parse_decision("m", 2)
    '  say which of the 2 key fills: m 1'
    """
    word, *numbers = typed.lower().replace(",", " ").split() or [""]
    if word in _PLAIN and not numbers:
        return _PLAIN[word]
    status = _STATUSES.get(word)
    if status is None:
        return f"  {typed!r} is no decision; ? shows what can be typed"
    if numbers == ["all"] or (not numbers and offered == 1):
        return _decided(status, range(offered))
    if not numbers:
        return f"  say which of the {offered} key fills: {word} 1"
    # Looked up, and not made numbers of: there are digits such as ², and numbers without end.
    known = {str(i + 1): i for i in range(offered)}
    chosen = [known.get(number.lstrip("0")) for number in numbers]
    if None in chosen:
        return f"  key fills are numbered 1 to {offered}"
    return _decided(status, [i for i in dict.fromkeys(chosen) if i is not None])


def _decided(status: str, chosen: Sequence[int]) -> Decide:
    return Decide(Reply("match" if status == "match" else "partial", tuple(chosen)))


def _summary(template: Template) -> str:
    """Return a template in words, by its first few fills."""
    fills = [shown(each[0]) for each in template.fills if each]
    return textwrap.shorten("; ".join(fills), 60, placeholder=" ...") or "(empty)"

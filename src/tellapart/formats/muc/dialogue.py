"""The dialogue of `adjudicate`: how mismatches are shown, and how decisions are typed."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tellapart.console import ask, show
from tellapart.formats.muc.alignment import Aligner
from tellapart.formats.muc.history import History, shown_pairs
from tellapart.formats.muc.questions import Question, Reply
from tellapart.formats.muc.scoring import Run, Task
from tellapart.formats.muc.sentences import Texts
from tellapart.formats.muc.session import Action, Back, Decide, Quit, Repair, Skip
from tellapart.formats.muc.tally import rates
from tellapart.formats.muc.templates import Template
from tellapart.formats.muc.totals import add_up
from tellapart.formats.muc.values import shown
from tellapart.words import several

HELP: Final = """\
  m, m 2       a match, with the key fill of that number
  p, p 1 3     a partial match; with several numbers, with all of them
  p all        the same with all key fills that are shown
  x            a mismatch
  s            skip: decide another time
  b            back: take the last decision back
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

    def ask(self, task: Task, question: Question) -> Action:
        """Return the decision about a mismatch, which is shown."""
        show("\n")
        for line in self._shown(task, question):
            show(f"{line}\n")
        while True:
            typed = ask("[m]atch [p]artial [x] mismatch [s]kip [b]ack [r]e-pair [q]uit [?] > ")
            if typed is None:
                return Quit()
            action = self._general(typed, task, question.message) or parse_decision(
                typed, len(question.offered)
            )
            if not isinstance(action, str):
                return action
            show(f"{action}\n")

    def finished(self, task: Task, run: Run, skipped: int) -> Action | None:
        """Show the scores of a response, and give the chance to look at its pairings again."""
        found = rates(add_up(task.design, run.pairs).summary["all-templates"])
        recall, precision = ("*" if r is None else r for r in (found.recall, found.precision))
        left = f"{several(skipped, 'question')} skipped and still open"
        state = left if skipped else "nothing is open"
        show(f"\n{task.system}: {state}; recall {recall}, precision {precision}\n")
        while True:
            typed = ask("[enter] go on [b]ack [r MESSAGE] re-pair [q]uit > ")
            if not typed:
                return None
            action = self._general(typed, task, None)
            if action is None:
                action = _PLAIN.get(typed) if typed in ("b", "back", "q", "quit") else HELP
            if action is not None and not isinstance(action, str):
                return action
            show(f"{action}\n")

    def refuse(self, reason: str) -> None:
        """Show why something could not be done."""
        show(f"  not done: {reason}\n")

    def _general(self, typed: str, task: Task, message: str | None) -> Action | str | None:
        """Return what was typed where that can be typed anywhere: help, and pairing by hand."""
        word, _, rest = typed.partition(" ")
        if word in ("?", "help"):
            return HELP
        if word not in ("r", "repair"):
            return None
        named = [each for each in task.key.messages if each.endswith(rest.upper())]
        if rest and len(named) != 1:
            return f"  {rest!r} names {len(named)} messages; type more of its id"
        wanted = named[0] if rest else message
        return "  name a message" if wanted is None else self._repair(task, wanted)

    def _repair(self, task: Task, message: str) -> Action | str:
        for line in self._pairing(task, message):
            show(f"{line}\n")
        typed = ask("pairs, as 1-2 2-1; what is not named stays alone; enter: as it is > ")
        if not typed:
            return "  the pairing stays"
        words = typed.split()
        pairs = [_PAIR.fullmatch(word) for word in words]
        if not all(pairs):
            return "  a pair is the number of a key template, a dash, that of a response: 1-2"
        return Repair(message, tuple((p[1], p[2]) for p in pairs if p and p[1] and p[2]))

    def _pairing(self, task: Task, message: str) -> Iterator[str]:
        keys, responses = task.key.sorted(message), task.response.sorted(message)
        aligner = Aligner(task.design, self.history)
        allowed = [(k.number, r.number) for k in keys for r in responses if aligner.allowed(k, r)]
        now = [
            (p.key.number if p.key else None, p.response.number if p.response else None)
            for p in task.align_message(message, self.history)
        ]
        yield f"  {message}, {task.system}"
        for side, templates in (("key", keys), ("response", responses)):
            for each in templates:
                yield f"  {side:8} {each.number:>3}  {_summary(each)}"
        yield f"  paired now:      {shown_pairs(tuple(now))}"
        yield f"  may be paired:   {shown_pairs(tuple(allowed))}"

    def _shown(self, task: Task, question: Question) -> Iterator[str]:
        """Show the response beside the key fills it could be matched with."""
        width = min(shutil.get_terminal_size().columns, 100)
        half = (width - 8) // 2
        yield (
            f"{task.system}  {question.message}  key {question.key}, response "
            f"{question.response_template}  {question.slot.name}"
        )
        left = textwrap.wrap(shown(question.response), half)
        right = [
            line
            for number, fill in enumerate(question.offered, 1)
            for line in textwrap.wrap(f"{number}  {shown(fill)}", half, subsequent_indent="   ")
        ]
        yield f"  {'response':<{half}}    key"
        for ours, theirs in zip_longest(left, right, fillvalue=""):
            yield f"  {ours:<{half}}    {theirs}".rstrip()
        if self.texts is not None:
            yield from self._sentence(question, width)

    def _sentence(self, question: Question, width: int) -> Iterator[str]:
        values = [question.response, *question.offered]
        sentence = None
        if self.texts is not None:
            bare = not question.slot.is_set  # the fills of sets are not words of the message
            sentence = self.texts.sentence_of(question.message, values, bare=bare)
        text = sentence or "(no sentence of the message has these words)"
        yield from textwrap.wrap(text, width, initial_indent="  | ", subsequent_indent="  | ")


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

"""Questions about the outputs of systems: how good one is.

The same output to the same item is one question, however many systems gave it. Outputs are the same
if they differ only in how letters are encoded and in blanks around them.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Answer, Judging, Passage, Question, View, canonical
from tellapart.campaign.settings import Settings
from tellapart.counts import Counts, ItemTexts
from tellapart.counts.suites import TASK
from tellapart.errors import DataError, Notice
from tellapart.words import several

RATING: Final = "rating"
OUTCOME: Final = {RATING: "rating", "keys": "key"}
"""By what name the log keeps an answer"""
LONGEST: Final = 2_000
"""Characters of a subject"""
MOST_SHOWN: Final = 20_000
"""Characters of an input or output"""
_HASHED: Final = "sha256:"


def subject_of(item: str, output: str) -> str:
    """Return what a question is about; of an output that is too long for that, its hash.

    >>> subject_of("q1", "4")
    '{"item": "q1", "output": "4"}'
    >>> len(subject_of("q1", "4" * 5000))
    99
    """
    whole = canonical({"item": item, "output": output})
    if len(whole) <= LONGEST and _HASHED not in whole:
        return whole
    hashed = hashlib.sha256(output.encode("utf-8", "surrogatepass")).hexdigest()
    return canonical({"item": item, "output": _HASHED + hashed})


def _shown(title: str, text: str) -> Passage:
    """Return a text as pages show it, of which they show so much.

    >>> _shown("Output", "x" * 20_002).text[-20:]
    ' (2 more characters)'
    """
    more = len(text) - MOST_SHOWN
    cut = text if more <= 0 else f"{text[:MOST_SHOWN]}… ({several(more, 'more character')})"
    return Passage(title, cut)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What systems wrote for each item, and what is known of the items."""

    texts: Mapping[str, Mapping[str, str]]
    """By system and item; what a system lacks is not there"""
    items: tuple[str, ...]
    kind: str
    """What an item is called"""
    inputs: Mapping[str, str]
    golds: Mapping[str, str]
    """Inputs and gold answers by item, where there are any"""
    labels: Mapping[str, Mapping[str, str]]
    """By name and item"""

    @classmethod
    def joined(cls, read: Mapping[str, Counts], first: Counts) -> Outputs:
        """Return the outputs of systems, as they were read; all else is what the first says."""
        if not any(counts.texts and counts.texts.outputs for counts in read.values()):
            raise DataError(
                "there are no outputs to judge in these files, only scores; give files with outputs"
            )
        items = tuple(dict.fromkeys(i for counts in (first, *read.values()) for i in counts.items))
        texts = {system: dict(_written(system, counts)) for system, counts in read.items()}
        known = first.texts or ItemTexts()

        def by_item(values: Iterable[str]) -> dict[str, str]:
            return dict(zip(first.items, values, strict=False))  # of inputs, all or none

        labels = {name: by_item(values) for name, values in first.labels.items()}
        return cls(texts, items, first.kind, by_item(known.inputs), by_item(known.golds), labels)

    def passages(self, item: str) -> tuple[Passage, ...]:
        """Return input and gold answer, where they are known."""
        shown = (("Input", self.inputs), ("Gold answer", self.golds))
        return tuple(_shown(title, known[item]) for title, known in shown if known.get(item))

    def details(self, item: str) -> dict[str, str]:
        """Return the labels of an item."""
        labels = {name: label[item] for name, label in self.labels.items() if label.get(item)}
        return {self.kind: item} | labels

    def lacking(self) -> tuple[Notice, ...]:
        """Return which systems lack items."""
        lacks = {name: len(self.items) - len(texts) for name, texts in self.texts.items()}
        told = "{} has no output for {}, which count as the worst there is."
        return tuple(
            Notice("missing", told.format(name, several(number, self.kind)), (name,))
            for name, number in lacks.items()
            if number
        )


def _written(system: str, counts: Counts) -> Iterator[tuple[str, str]]:
    """Yield each item that a system has, and its output there."""
    row, there = counts.names.index(system), np.ones(len(counts.items), bool)
    if counts.present is not None:
        there = counts.present[row]
    elif counts.scored is not None:
        there = counts.scored[row].any(axis=1)
    outputs = counts.texts.outputs if counts.texts is not None else {}
    # A reader leaves out a system that wrote nothing at all.
    texts = outputs.get(system, ("",) * len(counts.items))
    for item, text, has in zip(counts.items, texts, there, strict=True):
        if has:
            yield item, unicodedata.normalize("NFC", text).strip()


class Ratings(Judging):
    """Outputs that people rate, one after the other.

    What is open counts as the lowest of the scale, and so does an item that a system lacks: a
    score is what people have found by now, and rises as they go on.
    """

    def __init__(self, settings: Settings, outputs: Outputs) -> None:
        self.settings = settings
        self.outputs = outputs
        self.systems, self.items = tuple(outputs.texts), outputs.items
        self.answers = tuple(
            Answer(str(k), name, canonical({OUTCOME[RATING]: name}))
            for k, name in enumerate(settings.scale, 1)
        )
        self.worth = {each.outcome: float(settings.scale[each.label]) for each in self.answers}
        """What an outcome is worth"""
        self.worst = min(self.worth.values())
        self._subjects: dict[tuple[str, str], str] = {}
        """By system and item"""
        self._at = {item: list(self._asked(item)) for item in outputs.items}
        self._item_of = {each.id: item for item, some in self._at.items() for each in some}
        self._held: dict[str, str] = {}
        """Outcomes by subject"""

    def _asked(self, item: str) -> Iterator[Question]:
        by_output: dict[str, list[str]] = {}
        for system in self.systems:
            output = self.outputs.texts[system].get(item)
            if output is not None:
                by_output.setdefault(output, []).append(system)
        label = self.outputs.labels.get(TASK, {}).get(item, "")
        for output, systems in by_output.items():
            subject = subject_of(item, output)
            self._subjects.update(((system, item), subject) for system in systems)
            yield Question(RATING, subject, item, label, tuple(systems), self.answers)

    def questions_at(self, item: str) -> list[Question]:
        """Return all questions at an item, those that are decided among them."""
        return self._at[item]

    def hold(self, kind: str, subject: str, outcome: str | None) -> str | None:
        """Let an outcome hold from now on, or nothing; return the item that it touches."""
        item = self._item_of.get((kind, subject))
        if item is None:
            return None
        if outcome is None:
            self._held.pop(subject, None)
            return item
        if outcome not in self.worth:
            known = ", ".join(each.label for each in self.answers)
            raise DataError(
                f"a decision about {self.outputs.kind} {item!r} says {outcome}, and the "
                f"answers of this campaign are {known}; put the scale back into campaign.toml"
            )
        self._held[subject] = outcome
        return item

    def asked(self, system: str, item: str) -> QuestionId | None:
        """Return the question that a system's value hangs on; None if it lacks the item."""
        subject = self._subjects.get((system, item))
        return None if subject is None else (RATING, subject)

    def value(self, system: str, item: str) -> float | None:
        """Return what a system has at an item by what holds now; None while that is open."""
        subject = self._subjects.get((system, item))
        if subject is None:
            return self.worst
        outcome = self._held.get(subject)
        return None if outcome is None else self.worth[outcome]

    def view(self, question: Question) -> View:
        """Return what to show beside a question."""
        item = question.item
        output = _shown("Output", self.outputs.texts[question.systems[0]].get(item, ""))
        passages = (*self.outputs.passages(item), output)
        return View("How good is this output?", passages, details=self.outputs.details(item))

    def counts(self) -> Counts:
        """Return the scores of all systems by what holds now: the mean of the ratings."""
        values = {}
        for system in self.systems:
            known = (self.value(system, item) for item in self.items)
            values[system] = np.array([self.worst if each is None else each for each in known])
        counts = Counts.from_arrays(values, columns=[RATING], items=self.items, form="items")
        outputs, total = self.outputs, len(self._item_of)
        notices = outputs.lacking()
        still = total - len(self._held)
        if still:
            lowest = min(self.settings.scale, key=self.settings.scale.__getitem__)
            are = "is open; it counts" if still == 1 else "are open; they count"
            text = f"{still:,} of {several(total, 'question')} {are} as {lowest!r}."
            notices += (Notice("open-questions", text),)
        labels = {
            name: tuple(label.get(item, "") for item in self.items)
            for name, label in outputs.labels.items()
        }
        return replace(counts, labels=labels, kind=outputs.kind, texts=None, notices=notices)

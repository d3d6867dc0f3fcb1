"""Questions about the outputs of systems: how good one is, and which of two is better.

The same output to the same item is one question, however many systems gave it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np

from tellapart.campaign.questions import Answer, Passage, Question, View, canonical
from tellapart.campaign.settings import Settings
from tellapart.counts import Counts
from tellapart.errors import DataError


@dataclass(slots=True)
class Ratings:
    """Outputs that people rate, one after the other."""

    settings: Settings
    read: Counts
    """What the submissions hold: items with their texts"""
    held: dict[str, str] = field(default_factory=dict)
    """Outcomes by subject"""
    _place: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        if self.read.texts is None or set(self.read.names) - self.read.texts.outputs.keys():
            raise DataError("there are no outputs to judge in these files, only scores")
        self._place = {item: k for k, item in enumerate(self.read.items)}

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(self.read.names)

    @property
    def items(self) -> tuple[str, ...]:
        """The items, in order."""
        return self.read.items

    def questions_at(self, item: str) -> list[Question]:
        """Return all questions at an item, those that are decided among them."""
        by_output: dict[str, list[str]] = {}
        for system in self.systems:
            by_output.setdefault(self._output(system, item), []).append(system)
        answers = tuple(
            Answer(str(k + 1), name, canonical({"rating": name}))
            for k, name in enumerate(self.settings.scale)
        )
        return [
            Question("rating", self._subject(item, output), item, "", tuple(systems), answers)
            for output, systems in by_output.items()
        ]

    def hold(self, kind: str, subject: str, outcome: str | None) -> str | None:
        """Let an outcome hold from now on, or nothing; return the item that it touches."""
        item = json.loads(subject).get("item") if kind == "rating" else None
        if item not in self._place:
            return None
        if outcome is None:
            self.held.pop(subject, None)
        else:
            self.held[subject] = outcome
        return str(item)

    def view(self, question: Question, left_first: bool = True) -> View:  # noqa: ARG002 (one output has no side)
        """Return what to show beside a question."""
        texts, place = self.read.texts, self._place[question.item]
        assert texts is not None
        shown = [("Input", texts.inputs), ("Gold answer", texts.golds)]
        passages = [Passage(title, each[place]) for title, each in shown if each]
        output = self._output(question.systems[0], question.item)
        return View("How good is this output?", (*passages, Passage("Output", output)))

    def counts(self) -> Counts:
        """Return the scores of all systems by what holds now; what is open counts 0."""
        values = {
            system: np.array([self._value(system, item) for item in self.items])
            for system in self.systems
        }
        return Counts.from_arrays(values, columns=["rating"], items=self.items)

    def _output(self, system: str, item: str) -> str:
        assert self.read.texts is not None
        return self.read.texts.outputs[system][self._place[item]]

    def _subject(self, item: str, output: str) -> str:
        return canonical({"item": item, "output": output})

    def _value(self, system: str, item: str) -> float:
        outcome = self.held.get(self._subject(item, self._output(system, item)))
        return 0.0 if outcome is None else self.settings.scale[json.loads(outcome)["rating"]]

"""Questions about two annotators' keys of the same messages: what belongs in the key.

The systems of such a campaign are the two annotators, who are scored by the key as it is settled so
far: that is how far well-trained people agree, and as much as any system can be expected to reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tellapart.campaign.fills import message_passages, template_rows, unit_of
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Answer, Judging, Question, View, canonical
from tellapart.errors import UsageError
from tellapart.formats.templates.counts import evaluation_counts
from tellapart.formats.templates.evaluation import Evaluation
from tellapart.formats.templates.history import History
from tellapart.formats.templates.keys import (
    FIRST,
    SECOND,
    Difference,
    Draft,
    drafts,
    key_content,
    read_keys,
    settled_key,
)
from tellapart.formats.templates.muc_reader import TemplateFile
from tellapart.formats.templates.scoring import Task, score_statically
from tellapart.formats.templates.values import inner, shown

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Laid
    from tellapart.campaign.settings import Settings
    from tellapart.counts import Counts
    from tellapart.formats.templates.format import TemplateOptions

_LABELS: Final = {
    "either": "Either: they are alternatives",
    "both": "Both",
    "required": "It is required",
    "optional": "It is optional: it may be left out",
    "neither": "Leave it out",
}


@dataclass(slots=True)
class Keys(Judging):
    """Two keys that become one."""

    settings: Settings
    evaluation: Evaluation
    """With the first annotator's key as the key, and the second's as the response"""
    systems: tuple[str, ...]
    """The annotators"""
    items: tuple[str, ...] = field(init=False)
    """The messages, in order"""
    _drafts: dict[str, list[Draft]] = field(init=False)
    _differences: dict[QuestionId, Difference] = field(default_factory=dict)
    _at: dict[str, list[Question]] = field(default_factory=dict)
    _decided: dict[QuestionId, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.items = tuple(self.evaluation.key.messages)
        (task,) = self.evaluation.tasks.values()
        self._drafts = {message: drafts(task, message) for message in self.items}
        for message, made in self._drafts.items():
            asked = {_question_of(each): each for draft in made for each in draft.differences()}
            self._differences |= asked
            self._at[message] = [
                Question(*id_, message, each.slot or "template", self.systems, _answers(each))
                for id_, each in asked.items()
            ]

    def questions_at(self, item: str) -> list[Question]:
        """Return all questions at a message, those that are decided among them."""
        return self._at[item]

    def hold(self, kind: str, subject: str, outcome: str | None) -> str | None:
        """Let an outcome hold from now on, or nothing; return the message that it touches."""
        difference = self._differences.get((kind, subject))
        if difference is None:
            return None
        choices = {canonical({"key": choice}): choice for choice in difference.choices}
        if outcome in choices:
            self._decided[kind, subject] = choices[outcome]
        else:
            self._decided.pop((kind, subject), None)
        return difference.message

    def view(self, question: Question) -> View:
        """Return what to show beside a question."""
        difference = self._differences[question.id]
        (task,) = self.evaluation.tasks.values()
        message, fills = difference.message, [f for f in difference.fills if f is not None]
        ours, theirs = (
            next((each for each in file.messages[message] if each.number == number), None)
            for file, number in zip((task.key, task.response), difference.templates, strict=True)
        )
        if not difference.slot:
            title = "Does this template belong in the key?"
            title = title if None in difference.templates else "Is this template optional?"
        elif len(fills) == 1:
            title = f"Does {shown(inner(fills[0]))} belong in the key?"
        else:
            title = f"Which does the key have: {' or '.join(map(shown, fills))}?"
        rows = template_rows(task.design, ours, theirs, difference.slot)
        sets = {slot.name for slot in task.design.scored if slot.is_set}
        passages = message_passages(
            self.evaluation, message, fills, bare=difference.slot not in sets
        )
        first, second = self.systems
        return View(title, passages, rows, {unit_of(self.evaluation): message}, (first, second))

    def key(self) -> TemplateFile:
        """Return the key by what is decided; what is not, counts as if both were right."""
        return settled_key(
            self.evaluation, self._drafts, lambda each: self._decided.get(_question_of(each))
        )

    def counts(self) -> Counts:
        """Return the scores of both annotators by the key as it is now."""
        key = self.key()
        (task,) = self.evaluation.tasks.values()
        tasks = {
            name: Task(task.design, key, file, name)
            for name, file in zip(self.systems, (task.key, task.response), strict=False)
        }
        guess = (each for each in self.evaluation.notices if each.code == "guessed-schema")
        corpus = replace(self.evaluation.corpus, runs_of={name: (name,) for name in tasks})
        made = replace(self.evaluation, corpus=corpus, key=key, tasks=tasks, notices=tuple(guess))
        runs = {name: score_statically(task, History()) for name, task in tasks.items()}
        metrics = [self.settings.metric] if self.settings.metric else []
        return evaluation_counts(made, runs, "message", metrics)

    def content(self) -> bytes:
        """Return the key, which is the gold of others from then on."""
        if len(self.systems) < 2:
            raise UsageError("a key is made of two: add the second annotator's")
        return key_content(self.evaluation, self.key())


def load_keys(settings: Settings, laid: Laid, options: TemplateOptions) -> Keys:
    """Return what two keys leave to people; one alone leaves nothing."""
    if len(laid.systems) > 2:
        raise UsageError(
            f"a key is made of two, and this campaign has {len(laid.systems)}: "
            f"{', '.join(laid.systems)}; remove others"
        )
    first, second = [*map(str, laid.systems.values())] * (3 - len(laid.systems))
    evaluation = read_keys(first, second, options)
    return Keys(settings, evaluation, tuple(laid.systems))


def _question_of(difference: Difference) -> QuestionId:
    """Return the kind and the subject by which a log knows a difference."""
    about: dict[str, object] = {"message": difference.message, "templates": difference.templates}
    if not difference.slot:
        return "template", canonical(about)
    fills = [None if fill is None else shown(fill) for fill in difference.fills]
    return "slot", canonical(about | {"slot": difference.slot, "fills": fills})


def _answers(difference: Difference) -> tuple[Answer, ...]:
    alone = None in difference.fills
    labels = dict(_LABELS)
    for choice, fill in zip((FIRST, SECOND), difference.fills, strict=True):
        labels[choice] = "It is right" if alone else shown(fill)
    return tuple(
        Answer(str(k), labels[choice], canonical({"key": choice}))
        for k, choice in enumerate(difference.choices, 1)
    )

"""Reading all files of an evaluation, scoring its systems, and documents of JSON as templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tellapart.errors import Notice, UsageError
from tellapart.files import shown
from tellapart.formats.templates.corpus import Corpus, read_corpus
from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history import History
from tellapart.formats.templates.history_files import read_history
from tellapart.formats.templates.layouts import DocumentFile
from tellapart.formats.templates.model import Document, Template, fill_of
from tellapart.formats.templates.muc_reader import (
    IRRELEVANT,
    TemplateFile,
)
from tellapart.formats.templates.muc_reader import Template as Filled
from tellapart.formats.templates.replay import ReplayData, read_replay, replay
from tellapart.formats.templates.schema import GUESSED, Schema, key_path, slot_at
from tellapart.formats.templates.scoring import Run, Task, score_statically
from tellapart.formats.templates.selections import (
    Selections,
    chooser,
    read_selections,
    selected,
    union,
)
from tellapart.formats.templates.values import Value
from tellapart.words import listed


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Key, responses and decisions, read and checked; a system may have several runs."""

    corpus: Corpus
    design: Design
    key: TemplateFile
    tasks: Mapping[str, Task]
    history: History
    replay: ReplayData | None = None
    selections: Selections | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def row(self) -> str:
        """The summary row that counts."""
        return self.corpus.reading.options.row or self.design.row

    def score(self) -> dict[str, Run]:
        """Return the scores of all runs, whole, statically or by replay."""
        if self.replay is None:
            return {name: score_statically(task, self.history) for name, task in self.tasks.items()}
        runs = replay(self.tasks, self.replay, self.history)
        return {name: runs[name] for name in self.tasks}

    def score_selected(self) -> dict[str, Run]:
        """Return the scores of all runs; where there are selections, of what any one chooses."""
        runs = self.score()
        if self.selections is None:
            return runs
        chosen = chooser(union(self.selections))
        return {name: selected(run, chosen) for name, run in runs.items()}


def read_evaluation(
    gold: str, systems: Sequence[str | Path], options: TemplateOptions
) -> Evaluation:
    """Read all files; what cannot be scored is one DataError that lists every problem."""
    return evaluated(read_corpus(gold, systems, options))


def evaluated(corpus: Corpus) -> Evaluation:
    """Return documents with what is decided about them."""
    options, problems = corpus.reading.options, corpus.reading.problems
    if options.replay and not options.history:
        raise UsageError("--replay needs the final history: give --history")
    design, key, tasks = tasks_of(corpus)
    path = options.history
    history = read_history(path, design, problems) if path else History()
    selections = None
    if options.only:
        with problems.of_file():
            selections = read_selections(options.only, design, key.messages, problems)
    data = None
    if options.replay:
        with problems.of_file():
            data = read_replay(options.replay, key, tasks)
    problems.raise_all()
    evaluation = Evaluation(corpus, design, key, tasks, history, data, selections)
    return replace(evaluation, notices=(*corpus.notices, *_notices(evaluation)))


def tasks_of(corpus: Corpus) -> tuple[Design, TemplateFile, dict[str, Task]]:
    """Return the design of gold, and all documents as key and responses of it."""
    of_1992, reading = corpus.key.filled is not None, corpus.reading
    design = reading.design
    if not of_1992:
        design = design_of(reading.schema or Schema(), corpus.gold, corpus.predicted.values())

    def filled(file: DocumentFile, documents: Sequence[Document]) -> TemplateFile:
        if file.filled is not None:
            return file.filled
        if of_1992 and file.documents:
            reading.problems.complain(
                f"{shown(file.path)}: this is JSON, and the key is of 1992; name a metric that "
                "scores both, such as ceaf-tf"
            )
        return TemplateFile({each.id: filled_templates(each, design) for each in documents})

    key = filled(corpus.key, corpus.gold)
    tasks = {
        name: Task(design, key, filled(corpus.files[name], documents), name)
        for name, documents in corpus.predicted.items()
    }
    return design, key, tasks


def _notices(evaluation: Evaluation) -> Iterator[Notice]:
    """Yield warnings of a schema that is guessed, and of decisions that do not fit the files."""
    history, tasks, key = evaluation.history, evaluation.tasks, evaluation.key
    if evaluation.design.name == GUESSED:
        slots = ", ".join(slot.name for slot in evaluation.design.scored)
        text = f"There is no --schema: the slots are those found, {slots}, compared as texts."
        yield Notice("guessed-schema", text)
    decided = {message for message, _, _ in history.entries}
    decided.update(pairing.message for pairing in history.pairings)
    if evaluation.corpus.reading.options.history and decided.isdisjoint(key.messages):
        text = "The history decides nothing about what is scored; is it of another test set?"
        yield Notice("muc-history-unfit", text)
    for pairing, pairs in history.pairings.items():
        message, system = pairing.message, pairing.system or ""
        task = tasks.get(system)
        if task and message in key.messages and not task.fits(message, pairs):
            text = f"The history's pairing of {system} in {message} names templates that are "
            text += "not there; the templates are paired automatically."
            yield Notice("muc-map-unfit", text, (system, message))
    order = () if evaluation.replay is None else evaluation.replay.order
    if absent := tuple(name for name in order if name not in tasks):
        text = f"The replay lacks {listed(absent)}: what was decided in these runs is not known to "
        text += "those after them, and scores may differ from the official ones."
        yield Notice("muc-replay-incomplete", text, absent)
    if order and (added := tuple(name for name in tasks if name not in order)):
        text = f"The replay does not know {listed(added)}, scored after all others."
        yield Notice("muc-replay-added", text, added)


_KINDS: Final = {"text": "string", "choice": "set", "boolean": "set"}


def design_of(
    schema: Schema, gold: Sequence[Document], predicted: Iterable[Sequence[Document]]
) -> Design:
    """Return the design of a schema, or of the roles of gold; what only systems have comes last.

    >>> sale = Template("sale", {"price": (fill_of("3"),)})
    >>> [slot.name for slot in design_of(Schema(), [Document("d", (sale,))], []).scored]
    ['type', 'price']
    """
    documents = [*gold, *(document for each in predicted for document in each)]
    templates = [template for document in documents for template in document.templates]
    slots = {slot.name: slot for slot in schema.slots}
    for template in templates:
        for role in template.roles:
            slots.setdefault(role, slot_at(key_path(role)))
    rows = [Slot(0, "", "document", "identifier"), Slot(1, "", "template-id", "template-number")]
    type_slot = None
    if any(template.type is not None for template in templates):
        told = schema.type_slot or slot_at(("type",), "choice")
        type_slot = told.name if told.name not in slots else "template-type"
        rows.append(replace(told, number=2, label=type_slot, name=type_slot, kind="set"))
    rows += [
        replace(slot, number=number, kind=_KINDS.get(slot.kind, slot.kind))
        for number, slot in enumerate(slots.values(), len(rows))
    ]
    return Design(schema.name, tuple(rows), (), (), None, type_slot=type_slot)


def filled_templates(document: Document, design: Design) -> list[Filled]:
    """Return the templates of a document; one that says so if there is nothing to be found.

    Fills stand in an order of their own, so that the order in the file decides nothing.
    """
    rows = [
        Filled(document.id, str(number), template.optional, _fills(template, design))
        for number, template in enumerate(document.templates, 1)
    ]
    return rows or [Filled(document.id, IRRELEVANT, False, design.unfilled)]


def _fills(template: Template, design: Design) -> tuple[tuple[Value, ...], ...]:
    roles = dict(template.roles)
    if design.type_slot is not None and template.type is not None:
        # As in keys of 1992, ` / ` stands between alternatives.
        roles[design.type_slot] = (fill_of(*template.type.split(" / ")),)
    return tuple(
        tuple(sorted(roles.get(slot.name, ()), key=lambda fill: repr(slot.prepared(fill))))
        for slot in design.scored
    )

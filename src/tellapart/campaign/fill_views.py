"""What is shown beside a question about templates: the message, and the templates side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tellapart.campaign.questions import Passage, Row, View
from tellapart.formats.templates.alignment import Pair
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.evaluation import Evaluation
from tellapart.formats.templates.history import Fill, Pairing
from tellapart.formats.templates.muc_reader import Fills, Template
from tellapart.formats.templates.texts import occurrences
from tellapart.formats.templates.values import Reference, Value, inner, mentions, shown


def fill_view(evaluation: Evaluation, fill: Fill, offered: Sequence[Value], pair: Pair) -> View:
    """Return the evidence about a fill: `pair` is its key template and one with that fill."""
    message, number, name = fill.place
    design = evaluation.design
    slot = design.scored[design.position[name]]
    # Texts of files of 1992 have quotation marks of their own.
    quoted = design.of_schema and slot.kind == "string"
    said = _asked(fill.response, quoted=quoted)
    if len(offered) == 1:
        title = f"Is {said} the same as {_asked(offered[0], quoted=quoted)}?"
    else:
        title = f"Is {said} one of the key's {len(offered)} fills?"
    # The fills of closed sets are no words of the message; their tags are.
    values = [fill.response, *offered]
    passages = message_passages(evaluation, message, values, bare=not slot.is_set)
    details = {"Slot": slot.label, "Message": message, "Key template": number}
    return View(title, passages, template_rows(design, pair.key, pair.response, name), details)


def template_rows(
    design: Design, key: Template | None, response: Template | None, asked: str
) -> tuple[Row, ...]:
    """Return the slots of two templates side by side, one of which may be asked about."""
    empty: tuple[Fills, ...] = ((),) * len(design.scored)
    sides = (empty if side is None else side.fills for side in (key, response))
    return tuple(
        Row(slot.label, _shown(ours), _shown(theirs), asked=slot.name == asked)
        for slot, ours, theirs in zip(design.scored, *sides, strict=True)
        if ours or theirs
    )


def pairing_view(evaluation: Evaluation, pairing: Pairing) -> View:
    """Return the evidence about a pairing: all templates of a message, slot by slot."""
    task = evaluation.tasks[str(pairing.system)]
    keys, responses = task.key.sorted(pairing.message), task.response.sorted(pairing.message)
    rows = []
    for at, slot in enumerate(task.design.scored):
        key, response = (_numbered(side, at) for side in (keys, responses))
        if key or response:
            rows.append(Row(slot.label, key, response))
    values = [value for each in keys for fills in each.fills for value in fills]
    passages = message_passages(evaluation, pairing.message, values, bare=False)
    title = "Which templates are about the same incident?"
    return View(title, passages, tuple(rows), {"Message": pairing.message})


def message_passages(
    evaluation: Evaluation, message: str, values: Iterable[Value], *, bare: bool
) -> tuple[Passage, ...]:
    """Return the text of a message, if there is one, with the texts of values marked."""
    text = evaluation.texts.get(message) if evaluation.texts else None
    if text is None:
        return ()
    return (Passage(f"Message {message}", text, occurrences(text, values, bare=bare)),)


def _asked(fill: Value, *, quoted: bool) -> str:
    """Return a fill as a question has it; of one that refers to another, that one, too."""
    value = inner(fill)
    if not quoted:
        return shown(value)
    text = " / ".join(f'"{mention.text}"' for mention in mentions(value))
    return f"{text}: {_asked(value.tag, quoted=True)}" if isinstance(value, Reference) else text


def _shown(fills: Iterable[Value]) -> tuple[str, ...]:
    return tuple(map(shown, fills))


def _numbered(templates: Sequence[Template], at: int) -> tuple[str, ...]:
    """Return the fills of a slot, a line for each template, after its number."""
    filled = [(each.number, each.fills[at]) for each in templates if each.fills[at]]
    return tuple(f"({number}) {'; '.join(map(shown, fills))}" for number, fills in filled)

"""TextEE's scores of triggers and arguments: sets of spans, compared as they are.

All six are of sets, so that what is said twice counts once. Without `+`, an argument may hang at
the wrong event of the same type.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from tellapart.formats.templates.events import arguments
from tellapart.formats.templates.families import Family, Row, f1_metrics
from tellapart.formats.templates.layouts import EVENTS
from tellapart.formats.templates.model import Document

SCORES: Final = ("tri-i", "tri-c", "arg-i", "arg-c", "arg-i+", "arg-c+")
COUNTED: Final = ("match", "pred", "gold")


def textee_sets(document: Document) -> dict[str, set[Hashable]]:
    """Return what counts in each of the six scores.

    >>> from tellapart.formats.templates.events import roles_of
    >>> from tellapart.formats.templates.model import Template
    >>> roles = roles_of([("Target", (3, 4))], [])
    >>> attack = Template("Attack", roles, trigger=(1, 2), window="d-0")
    >>> sets = textee_sets(Document("d", (attack, attack)))
    >>> sets["tri-c"], sets["arg-c"]
    ({('d-0', (1, 2), 'Attack')}, {('d-0', 'Attack', (3, 4), 'Target')})
    """
    sets: dict[str, set[Hashable]] = {name: set() for name in SCORES}
    for event in document.templates:
        window, trigger, kind = event.window, event.trigger, event.type
        sets["tri-i"].add((window, trigger))
        sets["tri-c"].add((window, trigger, kind))
        for role, span in arguments(event):
            sets["arg-i"].add((window, kind, span))
            sets["arg-c"].add((window, kind, span, role))
            sets["arg-i+"].add((window, trigger, kind, span))
            sets["arg-c+"].add((window, trigger, kind, span, role))
    return sets


def count(gold: Document, predicted: Document, _: Any) -> dict[str, Row]:
    """Return what matches, is predicted, and is gold, score by score."""
    wanted, found = textee_sets(gold), textee_sets(predicted)
    row: list[int] = []
    for name in SCORES:
        row += [len(wanted[name] & found[name]), len(found[name]), len(wanted[name])]
    return {"all": row}


def _family() -> Family:
    metrics = [
        f1_metrics(
            name,
            "exact spans",
            found=f"{name}_match",
            predicted=f"{name}_pred",
            hit=f"{name}_match",
            gold=f"{name}_gold",
            family="textee",
        )
        for name in SCORES
    ]
    return Family(
        "textee",
        frozenset((EVENTS,)),
        tuple(f"{name}_{counted}" for name in SCORES for counted in COUNTED),
        tuple(metric for part in zip(*metrics, strict=True) for metric in part),
        count,
        usual=len(SCORES),
    )


TEXTEE: Final = _family()

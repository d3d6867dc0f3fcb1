"""What stands behind a message: templates slot by slot, the key beside each system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tellapart.counts.views import Cell, ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.templates.muc_reader import Fills, Template
from tellapart.formats.templates.scoring import Run, ScoredPair, Task
from tellapart.formats.templates.selections import SPURIOUS
from tellapart.formats.templates.tally import ZERO
from tellapart.formats.templates.values import equal, inner, shown
from tellapart.words import listed

PAIR: Final = "template"
"""The row that says which templates are paired"""
_JUDGED = {"cor": "right", "par": "partial", "inc": "wrong", "spu": "spurious", "mis": "missing"}


@dataclass(frozen=True, slots=True)
class TemplateViews:
    """Templates of messages as they were paired and scored; an item may also be a part of one."""

    tasks: Mapping[str, Task]
    runs: Mapping[str, Run]
    cells: Mapping[str, Sequence[str]]
    """By the name of an item: message, then template, then slot, as far as the item has them"""

    def __call__(self, name: str) -> ItemView:
        """Return the templates of an item; of a slot, it alone and which templates are paired."""
        message, *part = self.cells[name]
        pairs = {
            system: [pair for pair in run.pairs if pair.message == message]
            for system, run in self.runs.items()
        }
        sections: list[ViewSection] = []
        for key in next(iter(self.tasks.values())).key.sorted(message):
            if part[:1] in ([], [key.number]):
                paired = {
                    system: next((pair for pair in some if pair.key == key.number), None)
                    for system, some in pairs.items()
                }
                sections += self._section(key, paired)
        if part[:1] in ([], [SPURIOUS]):
            for paired in _side_by_side(pairs):
                sections += self._section(None, paired)
        if shown_slot := part[1:]:
            sections = [
                replace(each, rows=tuple(r for r in each.rows if r.label in (PAIR, *shown_slot)))
                for each in sections
            ]
        return ItemView(tuple(sections))

    def _section(
        self, key: Template | None, pairs: Mapping[str, ScoredPair | None]
    ) -> Iterator[ViewSection]:
        """Yield a key template, or none, beside what each system has for it, if there is any."""
        responses = {system: self._response(system, pair) for system, pair in pairs.items()}
        paired = {system: _paired(pairs[system], responses[system]) for system in pairs}
        if key is not None and not key.relevant:
            if any(responses.values()):
                row = ViewRow(PAIR, (Piece("nothing is to be found here"),), paired)
                yield ViewSection((row,), "The key has no template")
            return
        rows = [ViewRow(PAIR, (Piece(key.number),) if key else (), paired)]
        for at, slot in enumerate(next(iter(self.tasks.values())).design.scored):
            wanted = () if key is None else key.fills[at]
            outputs = {
                system: _fills(wanted, responses[system], pair, at)
                for system, pair in pairs.items()
            }
            if wanted or any(outputs.values()):
                gold = _listed(Piece(shown(fill)) for fill in wanted)
                rows.append(ViewRow(slot.name, gold, outputs))
        if key is not None:
            optional = ", which may be left out" if key.optional else ""
            yield ViewSection(tuple(rows), f"Template {key.number} of the key{optional}")
        else:
            yield ViewSection(tuple(rows), "Not in the key")

    def _response(self, system: str, pair: ScoredPair | None) -> Template | None:
        if pair is None or pair.response is None:
            return None
        templates = self.tasks[system].response.sorted(pair.message)
        found = next((each for each in templates if each.number == pair.response), None)
        return found if found is not None and found.relevant else None


def _side_by_side(
    pairs: Mapping[str, Sequence[ScoredPair]],
) -> Iterator[dict[str, ScoredPair | None]]:
    """Yield what the key does not have: the first such template of each system, and so on."""
    alone = {
        system: [pair for pair in some if pair.key is None and pair.status != "irrelevant"]
        for system, some in pairs.items()
    }
    for k in range(max(map(len, alone.values()), default=0)):
        yield {system: some[k] for system, some in alone.items() if k < len(some)}


def _paired(pair: ScoredPair | None, response: Template | None) -> Cell:
    if pair is None:
        return ()
    if response is None:
        return (Piece("", "missing", "no template"),) if pair.status == "missing" else ()
    judged = {"matched": "right", "spurious": "spurious"}.get(pair.status, "")
    tag = pair.status if pair.status in ("optional", "irrelevant") else ""
    return (Piece(response.number, judged, tag),)


def _fills(keys: Fills, response: Template | None, pair: ScoredPair | None, at: int) -> Cell:
    """Return a template's fills of one slot with how they were judged beside the key's.

    Where they were judged differently, the key's own are right, and the counts tell the rest.
    """
    responses = () if response is None else response.fills[at]
    tally = pair.slots[at] if pair is not None and pair.slots else ZERO
    judged = {w: n for c, w in _JUDGED.items() if (n := getattr(tally, c))}
    if not responses:
        return (Piece("", "missing", "missing"),) if "missing" in judged else ()
    if len(judged) == 1:
        return _listed(Piece(shown(fill), *judged) for fill in responses)
    own = [any(equal(inner(key), inner(fill)) for key in keys) for fill in responses]
    pieces = [
        Piece(shown(fill), "right" if right and "right" in judged else "")
        for fill, right in zip(responses, own, strict=True)
    ]
    if judged:
        pieces.append(Piece("", tag=listed([f"{n} {word}" for word, n in judged.items()])))
    return _listed(pieces)


def _listed(pieces: Iterable[Piece]) -> Cell:
    """Return pieces with commas between them.

    >>> [piece.text for piece in _listed([Piece("one"), Piece("two")])]
    ['one', ', ', 'two']
    """
    cell: list[Piece] = []
    for piece in pieces:
        cell += [Piece(", "), piece] if cell else [piece]
    return tuple(cell)

"""The scoring categories of the Message Understanding Conferences over any schema.

Templates of a document are paired so that they earn most, and so are the fills of each slot of a
pair. A fill is correct, partially correct (half), incorrect, missing or spurious; a slot that is
empty on both sides is noncommittal. The type is a slot like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Final

from tellapart.errors import Notice
from tellapart.formats.templates.design import Condition, Design, Slot, Summing
from tellapart.formats.templates.families import Corpus, Family
from tellapart.formats.templates.layouts import TEMPLATES
from tellapart.formats.templates.matchers import Matcher, Prepared, Signs, signs
from tellapart.formats.templates.model import Document, Entity, Template
from tellapart.formats.templates.pairing import Fit, PairValue, best_fit, best_pairs
from tellapart.formats.templates.report import tables
from tellapart.formats.templates.schema import Schema, SchemaSlot, guessed_slots, read_schema
from tellapart.formats.templates.scoring import Relevance, Run, ScoredPair, TemplateStatus
from tellapart.formats.templates.tally import Tally
from tellapart.metrics import Metric, Ratio, metric

COLUMNS: Final = ("pos", "act", "cor", "par", "inc", "spu", "mis", "non")
NAME: Final = "muc"
METRICS: Final = (
    "precision", "recall", "f0.5", "f2", "undergeneration", "overgeneration", "substitution",
    "error-rate", "slot-error-rate",
)  # fmt: skip
"""What there is beside F1, which is called by the family's name"""
TYPE: Final = "type"
_SIGNATURE: Final = "templates and fills paired to earn most, one to one; partial counts half"
_PLACES: Final = tuple(map(Tally._fields.index, COLUMNS))
_KINDS: Final = {"text": "string", "choice": "set", "boolean": "set"}
_TEMPLATE_TALLIES: Final[Mapping[TemplateStatus, Tally]] = {
    "matched": Tally(pos=1, act=1, cor=1),
    "missing": Tally(pos=1, mis=1),
    "spurious": Tally(act=1, spu=1),
    "irrelevant": Tally(non=1),
}
_REMEMBERED: Final = 1 << 16

Fills = tuple[Prepared, ...]
"""All fills of a slot, ready to be compared"""


@dataclass(frozen=True, slots=True)
class SlotFit:
    """How the fills of one slot fit best, one to one; what was found is kept.

    >>> SlotFit(Matcher())((("bank",), ("shop", "store")), (("store",), ("mill",)))
    Fit(correct=1, partial=0, pairs=((1, 0),))
    """

    matcher: Matcher
    _known: dict[tuple[Fills, Fills], Fit] = field(default_factory=dict)

    def __call__(self, gold: Fills, system: Fills) -> Fit:
        """Return the pairs that are worth most."""
        found = self._known.get((gold, system))
        if found is None:
            level = self.matcher.level
            found = best_fit([[level(a, b) for b in system] for a in gold])
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[gold, system] = found
        return found


@dataclass(frozen=True, slots=True)
class Paired:
    """Two templates that were paired, or one without a partner, by their places in the document."""

    gold: int | None
    system: int | None

    @property
    def status(self) -> TemplateStatus:
        """What became of them."""
        if self.gold is None:
            return "irrelevant" if self.system is None else "spurious"
        return "missing" if self.system is None else "matched"


@dataclass(frozen=True)
class Categories:
    """The slots that templates are scored by, the type among them where templates have types."""

    slots: tuple[SchemaSlot, ...]
    typed: bool
    name: str = "guessed schema"
    guessed: bool = False

    @classmethod
    def of(cls, corpus: Corpus) -> Categories:
        """Return the slots of a schema, or those of gold; what only systems have comes last."""
        path = corpus.options.schema
        schema = Schema("guessed schema") if path is None else read_schema(path)
        slots = {slot.name: slot for slot in schema.slots or guessed_slots(corpus.gold)}
        for slot in guessed_slots(chain.from_iterable(corpus.predicted)):
            slots.setdefault(slot.name, replace(slot, kind="text", matcher=Matcher()))
        everything = chain(corpus.gold, *corpus.predicted)
        typed = any(t.type is not None for each in everything for t in each.templates)
        return cls(tuple(slots.values()), typed, schema.name, path is None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each slot, that of the type first if there are types."""
        names = [slot.name for slot in self.slots]
        return (*([TYPE if TYPE not in names else "template-type"] if self.typed else []), *names)

    @cached_property
    def fits(self) -> tuple[SlotFit, ...]:
        """What compares the fills of each slot."""
        types = [Matcher("exact")] if self.typed else []
        return tuple(map(SlotFit, [*types, *(slot.matcher for slot in self.slots)]))

    def entities(self, template: Template) -> list[tuple[Entity, ...]]:
        """Return the fills of each slot of a template, the type first if there are types."""
        fills = [template.roles.get(slot.name, ()) for slot in self.slots]
        if not self.typed:
            return fills
        return [() if template.type is None else (_type(template.type),), *fills]

    @cached_property
    def _prepared(self) -> dict[int, tuple[Template, tuple[Fills, ...]]]:
        return {}

    def fills(self, template: Template) -> tuple[Fills, ...]:
        """Return the fills of each slot, ready to be compared; those of gold serve all systems."""
        known = self._prepared.get(id(template))
        if known is None:
            # The template is kept with its fills, so that no other can get its id.
            known = self._prepared[id(template)] = template, self._prepare(template)
        return known[1]

    def _prepare(self, template: Template) -> tuple[Fills, ...]:
        return tuple(
            fit.matcher.prepared_slot(entities) if entities else ()
            for fit, entities in zip(self.fits, self.entities(template), strict=True)
        )

    @cached_property
    def scored(self) -> dict[tuple[int, int], tuple[Document, Document, tuple[ScoredPair, ...]]]:
        """The documents that were scored, for counts and reports alike."""
        return {}

    @cached_property
    def tallies(self) -> dict[Tally, Tally]:
        """One of each kind: there are many slots, and few outcomes."""
        return {}

    @cached_property
    def _needs(self) -> tuple[str, ...]:
        return tuple(fit.matcher.needs for fit in self.fits)

    def signs(self, fills: Sequence[Fills]) -> tuple[Signs, ...]:
        """Return, slot by slot, what fills must share to be worth anything."""
        return tuple(map(signs, self._needs, fills))

    def design(self) -> Design:
        """Return the design of templates that the report of a conference is laid out by."""
        slots = [
            Slot(0, "", "document", "identifier"),
            Slot(1, "", "template-id", "template-number"),
        ]
        slots += [Slot(2, "", self.names[0], "set")] if self.typed else []
        for slot in self.slots:
            kind = _KINDS.get(slot.kind, slot.kind)
            slots.append(Slot(len(slots), "", slot.name, kind, size=len(slot.values)))
        rows = ["matched-missing", "matched-spurious", "matched-only", "all-templates"]
        rows += ["set-fills"] if any(slot.is_set for slot in slots) else []
        rows += ["string-fills"] if any(slot.kind == "string" for slot in slots) else []
        return Design(
            self.name,
            tuple(slots),
            (),
            tuple(_groups(self.slots)),
            Condition(True, ()),
            Summing(rows=tuple(rows)),
        )


def _type(text: str) -> Entity:
    """Return a type as a fill; ` / ` stands between alternatives, as in keys of 1992."""
    return Entity.of(*text.split(" / "))


def _groups(slots: Sequence[SchemaSlot]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the slots that stand in one object, with a name for their total."""
    groups: dict[str, list[str]] = {}
    for slot in slots:
        if len(slot.key) > 1:
            groups.setdefault(slot.key[0], []).append(slot.name)
    for name, members in groups.items():
        if len(members) > 1:
            yield f"{name}-total", tuple(members)


def pair_templates(
    scored: Categories, gold: Sequence[Template], system: Sequence[Template]
) -> list[Paired]:
    """Return the pairs of templates that earn most, in the order of gold, then of the system.

    Templates that have nothing in common are no pair, but for two that are alone and have no
    types: these are two answers to the same question.
    """
    partner: dict[int, int] = {}
    if not scored.typed and len(gold) == len(system) == 1:
        partner = {0: 0}
    elif gold and system:
        rows, columns = (_sorted(scored, each) for each in (gold, system))
        signs = [scored.signs(each) for _, each in columns]
        values = []
        for _, a in rows:
            x = scored.signs(a)
            values.append(
                [_value(scored.fits, a, b, x, y) for (_, b), y in zip(columns, signs, strict=True)]
            )
        partner = {rows[i][0]: columns[j][0] for i, j in best_pairs(values)}
    found = [Paired(i, partner.get(i)) for i in range(len(gold))]
    taken = set(partner.values())
    return found + [Paired(None, j) for j in range(len(system)) if j not in taken]


def _sorted(
    scored: Categories, templates: Sequence[Template]
) -> list[tuple[int, tuple[Fills, ...]]]:
    """Return templates by what is in them, so that their order in the file decides nothing."""
    found = list(enumerate(map(scored.fills, templates)))
    return sorted(found, key=lambda each: repr(each[1])) if len(found) > 1 else found


def _value(
    fits: Sequence[SlotFit],
    gold: Sequence[Fills],
    system: Sequence[Fills],
    gold_signs: Sequence[Signs],
    system_signs: Sequence[Signs],
) -> PairValue | None:
    credit = correct = compared = 0
    for fit, a, b, x, y in zip(fits, gold, system, gold_signs, system_signs, strict=True):
        if a and b:
            compared += len(a) if len(a) < len(b) else len(b)  # min() would take longer
            if x is not None and y is not None and x.isdisjoint(y):
                continue
            found = fit(a, b)
            credit += 2 * found.correct + found.partial
            correct += found.correct
    return PairValue(credit, correct, compared) if credit else None


def score_document(scored: Categories, gold: Document, system: Document) -> Iterable[ScoredPair]:
    """Return the pairs of a document with what is counted of each slot; they are found once.

    >>> price = Categories((SchemaSlot.of(("price",), "number"),), typed=False)
    >>> wanted = Document("d", (Template(roles={"price": (Entity.of("3"),)}),))
    >>> [pair.slots[0].cor for pair in score_document(price, wanted, wanted)]
    [1]
    """
    key = id(gold), id(system)
    if key not in scored.scored:
        scored.scored[key] = gold, system, tuple(_scored_pairs(scored, gold, system))
    return scored.scored[key][2]


def _scored_pairs(scored: Categories, gold: Document, system: Document) -> Iterator[ScoredPair]:
    pairs = pair_templates(scored, gold.templates, system.templates)
    for pair in pairs or [Paired(None, None)]:
        tallies: tuple[Tally, ...] = ()
        if pairs:
            a = scored.fills(Template() if pair.gold is None else gold.templates[pair.gold])
            b = scored.fills(Template() if pair.system is None else system.templates[pair.system])
            tallies = tuple(
                scored.tallies.setdefault(each, each) for each in _tallies(scored, a, b)
            )
        yield ScoredPair(
            gold.id,
            None if pair.gold is None else str(pair.gold + 1),
            None if pair.system is None else str(pair.system + 1),
            pair.status,
            _TEMPLATE_TALLIES[pair.status],
            tallies,
        )


def _tallies(scored: Categories, gold: Sequence[Fills], system: Sequence[Fills]) -> Iterator[Tally]:
    sizes = [0] * scored.typed + [len(slot.values) for slot in scored.slots]
    for fit, size, a, b in zip(scored.fits, sizes, gold, system, strict=True):
        # As in 1992: what a set has beside the right fills could have been given wrongly.
        wrong = sum(max(0, size - len(fill)) for fill in a) if a else size
        if not a and not b:
            yield Tally(non=1, pie=wrong)
            continue
        found = fit(a, b) if a and b else Fit(0, 0, ())
        compared = min(len(a), len(b))
        yield Tally(
            pos=len(a),
            act=len(b),
            cor=found.correct,
            par=found.partial,
            inc=compared - found.correct - found.partial,
            spu=len(b) - compared,
            mis=len(a) - compared,
            pie=wrong,
        )


def score_run(
    scored: Categories, system: str, gold: Sequence[Document], documents: Sequence[Document]
) -> Run:
    """Return all pairs of a system, as the report of a conference takes them."""
    pairs: list[ScoredPair] = []
    relevance = {}
    for wanted, given in zip(gold, documents, strict=True):
        pairs += score_document(scored, wanted, given)
        relevance[wanted.id] = Relevance(bool(wanted.templates), False, bool(given.templates))
    return Run(system, scored.design(), tuple(pairs), relevance)


def _count(gold: Document, predicted: Document, scored: Categories) -> dict[str, list[int]]:
    rows = [[0] * len(COLUMNS) for _ in scored.names]
    for pair in score_document(scored, gold, predicted):
        for row, tally in zip(rows, pair.slots, strict=False):
            for c, place in enumerate(_PLACES):
                row[c] += tally[place]
    return dict(zip(scored.names, rows, strict=True))


def schema_report(run: Run, level: str) -> str:
    """Return the report of a run in the layout of the conferences."""
    head = (f"Schema: {run.design.name}", "")
    return "".join(f"{line}\n" for line in (*head, *tables(run, level)))


def _notices(scored: Categories) -> Iterator[Notice]:
    if scored.guessed:
        kinds = ["type"] * scored.typed + [f"{each.name} ({each.kind})" for each in scored.slots]
        yield Notice(
            "guessed-schema",
            f"There is no --schema: the slots are those of gold, {', '.join(kinds)}; "
            "`tellapart score --write-schema FILE` writes them down, to be changed.",
        )


def _metric(name: str, known: str) -> Metric:
    """Return a metric of the conferences over the columns of this family."""
    found = metric(known, COLUMNS)
    if not isinstance(found, Ratio):
        raise TypeError(known)
    numerator, denominator = (
        tuple((f"{NAME}.{column}", weight) for column, weight in form)
        for form in (found.numerator, found.denominator)
    )
    return replace(
        found, name=name, numerator=numerator, denominator=denominator, signature=_SIGNATURE
    )


MUC: Final = Family(
    NAME,
    frozenset({TEMPLATES}),
    COLUMNS,
    (_metric(NAME, "f1"), *(_metric(f"{NAME}.{known}", known) for known in METRICS)),
    _count,
    Categories.of,
    _notices,
    normalised=False,
    usual=3,
)

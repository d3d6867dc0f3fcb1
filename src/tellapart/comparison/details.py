"""What stands behind the figures of a comparison: for the HTML report and for plots.

Plain data, worked out from a comparison's evidence by `describe`; reports only draw it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tellapart.comparison.record import Ends, Slice


@dataclass(frozen=True, slots=True)
class Histogram:
    """Differences under the null hypothesis, counted in bins of equal width."""

    start: float
    """The left edge of the first bin"""
    width: float
    counts: tuple[int, ...]
    extreme: tuple[int, ...]
    """Per bin: how many differ at least as much as the measured difference, on the tested side"""
    shuffles: int

    def mirrored(self) -> Histogram:
        """Return the same seen from the second system."""
        start = 0.0 - (self.start + self.width * len(self.counts))
        return replace(self, start=start, counts=self.counts[::-1], extreme=self.extreme[::-1])


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """One item on which two systems differ, with the score of each."""

    item: int
    """Position in `Details.items`"""
    a: float
    b: float
    difference: float
    """First minus second, of the item's own scores"""
    contribution: float = 0.0
    """The item's part in the systems' difference; all parts add up to it times the items"""

    def mirrored(self) -> ItemDifference:
        """Return the same seen from the second system."""
        turned = 0.0 - self.difference, 0.0 - self.contribution
        return ItemDifference(self.item, self.b, self.a, *turned)


@dataclass(frozen=True, slots=True)
class PairDetails:
    """One pair under one metric, in the order of the comparison's pair: first minus second."""

    a: str
    b: str
    metric: str
    null: Histogram | None
    """None where the test exchanges nothing, or there is nothing to exchange"""
    ladder: tuple[float, ...]
    """Per-item (or per-cluster) differences from the best for `a` to the worst: at most 400"""
    ladder_items: int
    """How many items the ladder stands for"""
    slices: tuple[Slice, ...]
    items: tuple[ItemDifference, ...]
    """The items that differ most, largest first: at most 500"""
    differing: int
    """How many items differ in all"""

    def mirrored(self) -> PairDetails:
        """Return the same seen from the second system: second minus first."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            null=None if self.null is None else self.null.mirrored(),
            ladder=tuple(0.0 - value for value in reversed(self.ladder)),
            slices=tuple(each.mirrored() for each in self.slices),
            items=tuple(item.mirrored() for item in self.items),
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """A system in a plane of two scores, with the ellipse that holds it at the level of intervals.

    The ellipse is centred on the mark: half axes, and the angle of the first in degrees.
    """

    system: str
    x: float
    y: float
    ellipse: tuple[float, float, float] | None = None
    region: tuple[Ends, Ends] | None = None
    """The region of performance of MUC scores: the ends of x and of y"""


@dataclass(frozen=True, slots=True)
class Plane:
    """Systems in a plane of two scores, such as recall and precision."""

    x_name: str
    y_name: str
    marks: tuple[Mark, ...]
    region: tuple[Ends, Ends] | None = None
    """The region of performance of the best system, where MUC scores tell it"""
    groups: tuple[tuple[str, ...], ...] = ()
    """Significance groups that the figure encloses"""
    metric: str | None = None
    """By which metric these systems are not shown to differ"""


@dataclass(frozen=True, slots=True)
class Power:
    """What this test set can show for one metric, for the pair that the headline is about."""

    metric: str
    a: str
    b: str
    detectable: float
    """The difference that would be found four times out of five, all tests counted"""
    items: int
    items_for_half: int
    """How many items would be needed for half of that difference"""
    curve: tuple[tuple[float, float], ...] = ()
    """Difference and power, from no difference to one that is always found"""


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item that some pair differs on: its name, texts and labels."""

    name: str
    input: str = ""
    gold: str = ""
    outputs: tuple[str, ...] = ()
    """Per system, in the order of the comparison; empty where no outputs are known"""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Details:
    """All that a full report shows beside the record of the comparison."""

    headline: tuple[str, str, str]
    """The pair that the verdict speaks of: two systems and the metric"""
    pairs: tuple[PairDetails, ...]
    items: tuple[ShownItem, ...]
    planes: tuple[Plane, ...] = ()
    power: tuple[Power, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What was left out, in sentences"""

"""The region of performance: a system's corners in the plane of recall and precision."""

from __future__ import annotations

from typing import Final

from tellapart.formats.muc.scoring import Tally
from tellapart.formats.muc.totals import Filtering, Totals

CORNERS: Final = ("matched-missing", "matched-only", "matched-spurious", "all-templates")
"""In the order of a walk around the region"""


def region(totals: Totals) -> dict[str, dict[str, float]]:
    """Return recall and precision of the four corners, 0 to 1, unrounded.

    Whether missing or spurious templates cost anything moves recall or precision alone, so that
    the corners span a rectangle.
    """
    return {row: _point(totals.summary[row]) for row in CORNERS}


def spans(totals: Totals) -> dict[str, tuple[float, float]]:
    """Return the ends of recall, precision and overgeneration in the region, the lower first.

    One end counts all templates, the other those that are matched.
    """
    strict, lenient = (totals.summary[row] for row in ("all-templates", "matched-only"))
    ends = {
        "recall": (_point(strict)["recall"], _point(lenient)["recall"]),
        "precision": (_point(strict)["precision"], _point(lenient)["precision"]),
        "overgeneration": (_ratio(lenient.spu, lenient.act), _ratio(strict.spu, strict.act)),
    }
    return {name: (min(pair), max(pair)) for name, pair in ends.items()}


def filtering_figures(found: Filtering) -> dict[str, float]:
    """Return the counts of text filtering, and its measures, 0 to 1, unrounded.

    >>> filtering_figures(Filtering(3, 1, 1, 5))["recall"]
    0.75
    """
    a, b, c, d = found.both, found.response_only, found.key_only, found.neither
    return {
        "both": a,
        "response_only": b,
        "key_only": c,
        "neither": d,
        "recall": _ratio(a, a + c),
        "precision": _ratio(a, a + b),
        "overgeneration": _ratio(b, a + b),
        "fallout": _ratio(b, b + d),
    }


def _point(tally: Tally) -> dict[str, float]:
    matched = tally.cor + tally.par / 2
    return {"recall": _ratio(matched, tally.pos), "precision": _ratio(matched, tally.act)}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0

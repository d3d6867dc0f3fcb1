"""`compare --as muc --by selection`: how systems do on phenomena, and whether that is special.

The test asks whether a system's score on a selection differs from its score on all other slots.
Which slots of a message are the selected ones is drawn anew within each message, so that easy and
hard messages stay what they are; of a selection of whole messages, which messages are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.files import write_text
from tellapart.formats.muc.counts import counted
from tellapart.formats.muc.evaluation import Evaluation
from tellapart.formats.muc.scoring import Run
from tellapart.formats.muc.selections import Chooser, chooser, key_number
from tellapart.report.numbers import p_text
from tellapart.significance.multiplicity import adjust
from tellapart.significance.unpaired import LinearRatio
from tellapart.significance.within import Statistic, part_test

SHUFFLES = 9_999
METRICS = ("recall", "precision", "product", "f1")
ADJUSTMENTS = ("bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by")

Counted = NDArray[np.int64]  # slots × (twice the matched, twice possible, twice actual)


def _product(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply recall and precision; 0 where either is undefined."""
    matched, possible, actual = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    area = possible * actual
    result: NDArray[np.float64] = np.divide(
        matched * matched, area, out=np.zeros_like(area), where=area != 0
    )
    return result


_STATISTICS: dict[str, Statistic] = {
    "recall": LinearRatio((1, 0, 0), (0, 1, 0)),
    "precision": LinearRatio((1, 0, 0), (0, 0, 1)),
    "product": _product,
    "f1": LinearRatio((2, 0, 0), (0, 1, 1)),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Recall, precision, their product, and F on some slots, 0 to 1."""

    slots: int
    recall: float
    precision: float
    product: float
    f1: float


@dataclass(slots=True)
class Special:
    """One system on one selection, on all other slots, and how surely they differ."""

    selection: str
    system: str
    figures: Figures
    rest: Figures
    p: dict[str, float | None] = field(default_factory=dict)
    p_adjusted: dict[str, float | None] = field(default_factory=dict)
    method: str = ""
    shuffles: int | None = None


@dataclass(frozen=True, slots=True)
class _Slots:
    """The slots that a system filled or should have filled, and which of them are selected."""

    values: Counted
    selected: NDArray[np.bool_]
    messages: tuple[str, ...]

    def exchangeable(self) -> _Slots:
        """Join the slots of each message where messages are selected as a whole."""
        members: dict[str, list[int]] = {}
        for i, message in enumerate(self.messages):
            members.setdefault(message, []).append(i)
        rows = list(members.values())
        if any(len(set(self.selected[each].tolist())) > 1 for each in rows):
            return self
        return _Slots(
            np.array([self.values[each].sum(axis=0) for each in rows]),
            np.array([self.selected[each[0]] for each in rows]),
            ("",) * len(rows),
        )


def run(args: argparse.Namespace, evaluation: Evaluation) -> int:
    """Score all selections, test each against the rest, and print."""
    if args.tail != "two":
        raise UsageError("whether a selection is special is asked both ways: drop --tail")
    found = compare_selections(
        evaluation, args.row, args.shuffles or SHUFFLES, args.seed, args.correction
    )
    if args.json:
        write_text(args.json, _json(found, args))
    if args.json != "-":
        sys.stdout.write(_text(found, args))
    return 0


def compare_selections(
    evaluation: Evaluation, row: str, shuffles: int, seed: int, correction: str
) -> list[Special]:
    """Score every system on every selection and on the rest, and test the difference."""
    if correction != "none" and correction not in ADJUSTMENTS:
        raise UsageError(
            f"--by selection corrects by none, {', '.join(ADJUSTMENTS)}, not by {correction}"
        )
    runs = evaluation.score()
    found = []
    for name, rules in (evaluation.selections or {}).items():
        for system, scored in runs.items():
            slots = _slots(scored, row, chooser(rules))
            found.append(_special(name, system, slots, (shuffles, seed)))
    _adjust(found, correction)
    return found


def _slots(scored: Run, row: str, chosen: Chooser) -> _Slots:
    """Collect the slots that count anything."""
    cells = [
        (pair.message, chosen(pair.message, key_number(pair), slot.name), tally)
        for pair, slot, tally in counted(scored, row)
        if tally.pos or tally.act
    ]
    values = [[2 * t.cor + t.par, 2 * t.pos, 2 * t.act] for _, _, t in cells]
    return _Slots(
        np.array(values, dtype=np.int64).reshape(-1, 3),
        np.array([inside for _, inside, _ in cells], dtype=bool),
        tuple(message for message, _, _ in cells),
    )


def _figures(values: Counted) -> Figures:
    matched, possible, actual = (int(x) for x in values.sum(axis=0))
    recall = matched / possible if possible else 0.0
    precision = matched / actual if actual else 0.0
    f1 = 2 * matched / (possible + actual) if possible + actual else 0.0
    return Figures(len(values), recall, precision, recall * precision, f1)


def _special(selection: str, system: str, slots: _Slots, drawing: tuple[int, int]) -> Special:
    inside = slots.selected
    special = Special(
        selection, system, _figures(slots.values[inside]), _figures(slots.values[~inside])
    )
    if not inside.any() or inside.all():
        special.p = dict.fromkeys(METRICS)
        return special
    shuffles, seed = drawing
    items = slots.exchangeable()
    test = part_test(
        items.values,
        items.selected.tolist(),
        items.messages,
        _STATISTICS,
        shuffles=shuffles,
        seed=seed,
    )
    special.p.update(test.p)
    special.method = test.method
    special.shuffles = test.total if test.method == "shuffles" else None
    return special


def _adjust(found: Sequence[Special], correction: str) -> None:
    """Correct over all systems and selections of a metric."""
    for metric in METRICS:
        tested = [(each, p) for each in found if (p := each.p[metric]) is not None]
        raw = [p for _, p in tested]
        adjusted = raw if correction == "none" or not raw else adjust(raw, correction).tolist()
        for each in found:
            each.p_adjusted[metric] = None
        for (each, _), p in zip(tested, adjusted, strict=True):
            each.p_adjusted[metric] = p


def _json(found: Sequence[Special], args: argparse.Namespace) -> str:
    record = {
        "by": "selection",
        "row": args.row,
        "alpha": args.alpha,
        "correction": args.correction,
        "seed": args.seed,
        "selections": [asdict(each) for each in found],
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _text(found: Sequence[Special], args: argparse.Namespace) -> str:
    """Print recall, precision and product per selection side by side, then the tests."""
    table: dict[str, dict[str, Special]] = {}
    for each in found:
        table.setdefault(each.system, {})[each.selection] = each
    names = list(dict.fromkeys(each.selection for each in found))
    width = max(6, *(len(system) for system in table))
    lines = ["Recall, precision and their product on each selection, and p that the product is"]
    lines += [f"the same on all other slots ({args.row}, correction: {args.correction})", ""]
    lines.append(" " * width + "".join(f"  {name[:30]:^30}" for name in names))
    lines.append("system".ljust(width) + "    recall   prec.    R x P       p" * len(names))
    lines += [_line(system, width, table[system], names) for system in table]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(system: str, width: int, row: Mapping[str, Special], names: Sequence[str]) -> str:
    cells = [
        f"  {100 * f.recall:8.1f}{100 * f.precision:8.1f}{1e4 * f.product:9.0f}"
        f"{p_text(row[name].p_adjusted['product']):>8}"
        for name in names
        for f in [row[name].figures]
    ]
    return system.ljust(width) + "".join(cells)

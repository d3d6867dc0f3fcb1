"""Definitions of recall, precision, F1 and F-beta, accuracy, error rates, WER and others.

Each name stands for a ratio of two sums of columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

_HALF = Fraction(1, 2)

# Each column family says what plays the part of: matched, what the gold has, what the system gave.
_TP, _GOLD_TP, _SYS_TP = {"tp": 1}, {"tp": 1, "fn": 1}, {"tp": 1, "fp": 1}
_COR, _POS, _ACT = {"cor": 1, "par": _HALF}, {"pos": 1}, {"act": 1}
_WRONG = {"inc": 1, "par": _HALF}

Forms: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]

# Per name: the alternatives, in order of preference; the first whose columns are there counts.
DEFINITIONS: dict[str, tuple[Forms, ...]] = {
    "recall": ((_TP, _GOLD_TP), (_COR, _POS), ({"match": 1}, {"gold": 1})),
    "precision": ((_TP, _SYS_TP), (_COR, _ACT), ({"match": 1}, {"sys": 1})),
    "accuracy": (({"tp": 1, "tn": 1}, {"tp": 1, "tn": 1, "fp": 1, "fn": 1}),),
    "error-rate": (
        ({"fp": 1, "fn": 1}, {"tp": 1, "tn": 1, "fp": 1, "fn": 1}),
        (_WRONG | {"mis": 1, "spu": 1}, {"cor": 1, "par": 1, "inc": 1, "mis": 1, "spu": 1}),
    ),
    "slot-error-rate": (
        (_WRONG | {"mis": 1, "spu": 1}, _POS),
        ({"fp": 1, "fn": 1}, _GOLD_TP),
    ),
    "substitution": ((_WRONG, {"cor": 1, "par": 1, "inc": 1}),),
    "overgeneration": (({"spu": 1}, _ACT), ({"fp": 1}, _SYS_TP)),
    "undergeneration": (({"mis": 1}, _POS), ({"fn": 1}, _GOLD_TP)),
    "fallout": (({"inc": 1, "spu": 1}, {"pie": 1}), ({"fp": 1}, {"fp": 1, "tn": 1})),
    "wer": (({"sub": 1, "del": 1, "ins": 1}, {"ref": 1}),),
}
LOWER_IS_BETTER = {
    "error-rate", "slot-error-rate", "substitution", "overgeneration", "undergeneration",
    "fallout", "wer",
}  # fmt: skip
PROPORTIONS = {
    "recall", "precision", "accuracy", "error-rate", "substitution", "overgeneration",
    "undergeneration", "fallout",
}  # fmt: skip
OPTIONAL = {"par"}
_F_BETA = re.compile(r"f([0-9]{1,9}(?:\.[0-9]{1,9})?)")
"""F1, F2, F0.5: the name has the weight of recall in it"""


def _f_beta(beta: str) -> tuple[Forms, ...]:
    """Return F-beta from the parts of recall and precision: (1+b²) c / (b² possible + actual)."""
    b2 = Fraction(beta) ** 2
    forms = []
    for (matched, gold), (_, given) in zip(
        DEFINITIONS["recall"], DEFINITIONS["precision"], strict=True
    ):
        denominator: dict[str, Fraction] = {}
        for part, weight in ((gold, b2), (given, Fraction(1))):
            for column, value in part.items():
                denominator[column] = denominator.get(column, Fraction(0)) + weight * value
        forms.append(({column: (1 + b2) * w for column, w in matched.items()}, denominator))
    return tuple(forms)


FILTERING = "filtering-"
"""How metrics of text filtering begin: of messages that are taken for relevant, right or wrong"""
FILTER_COLUMNS = ("filter_tp", "filter_fp", "filter_fn", "filter_tn")
_DECISIONS = {column.removeprefix("filter_"): column for column in FILTER_COLUMNS}


def decided(name: str) -> str:
    """Return a metric's name without its beginning for text filtering.

    >>> decided("filtering-recall"), decided("recall")
    ('recall', 'recall')
    """
    return name.removeprefix(FILTERING)


def _filtering(forms: tuple[Forms, ...] | None) -> tuple[Forms, ...] | None:
    """Return the forms of a metric of decisions, of the columns of text filtering."""
    found = tuple(
        (
            {_DECISIONS[column]: weight for column, weight in numerator.items()},
            {_DECISIONS[column]: weight for column, weight in denominator.items()},
        )
        for numerator, denominator in forms or ()
        if {*numerator, *denominator} <= _DECISIONS.keys()
    )
    return found or None


def alternatives(name: str) -> tuple[Forms, ...] | None:
    """Return the forms that a name stands for, in order of preference; None if it is unknown.

    >>> alternatives("filtering-recall")
    (({'filter_tp': 1}, {'filter_tp': 1, 'filter_fn': 1}),)
    """
    if name.startswith(FILTERING):
        return _filtering(alternatives(decided(name)))
    match = _F_BETA.fullmatch(name)
    return _f_beta(match[1]) if match else DEFINITIONS.get(name)

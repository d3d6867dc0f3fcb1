"""Scores as functions of summed columns.

A metric is a value that prints as it is typed: ``f0.5``, ``recall``, ``overgeneration``. Most are
ratios of two linear forms of the columns; saying so makes their tests exact and fast.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError

UNITS = "#units"
"""The name by which a form refers to the number of units, as in a mean."""

Weights: TypeAlias = tuple[tuple[str, Fraction], ...]


def _fraction(value: Fraction | int | float | str) -> Fraction:
    # A float stands for the decimal that it prints as: 0.1 is one tenth.
    return Fraction(str(float(value)) if isinstance(value, float) else value)


def _weights(form: Mapping[str, Fraction | int | float | str]) -> Weights:
    weights = {column: _fraction(weight) for column, weight in form.items()}
    return tuple(sorted((column, weight) for column, weight in weights.items() if weight))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A score that is one linear form of the summed columns over another.

    >>> ratio("ser", {"sub": 1, "del": 1, "ins": 1}, {"ref": 1}, higher_is_better=False)
    ser
    """

    name: str
    numerator: Weights
    denominator: Weights
    higher_is_better: bool = True
    undefined: Fraction = Fraction(0)
    """The score where the denominator is zero."""
    proportion: bool = False
    """Whether the numerator counts some of what the denominator counts."""
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""

    def __repr__(self) -> str:
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the metric reads."""
        used = dict.fromkeys(column for column, _ in self.numerator + self.denominator)
        return tuple(column for column in used if column != UNITS)

    @property
    def is_mean(self) -> bool:
        """Whether the score is a sum over the number of units."""
        return [column for column, _ in self.denominator] == [UNITS]


@dataclass(frozen=True, slots=True)
class Function:
    """A score that is any vectorised function of the summed columns.

    The function gets an array whose last axis runs over `columns` and returns one score for each
    of the others.

    >>> Function("harm", ("tp", "fp"), lambda sums: sums[..., 0] - sums[..., 1])
    harm
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    higher_is_better: bool = True
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""
    undefined: float = 0.0
    """The score where the function gives no finite number"""

    def __repr__(self) -> str:
        return self.name

    def scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Score sums that run along the last axis, and check that the function is vectorised."""
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.function(sums), np.float64)
        except (IndexError, TypeError, ValueError) as problem:
            raise UsageError(
                f"the function of metric {self.name!r} fails on sums of the columns "
                f"{' '.join(self.columns)}: {problem}"
            ) from None
        if found.shape != sums.shape[:-1]:
            raise UsageError(
                f"the function of metric {self.name!r} is not vectorised: for sums of shape "
                f"{sums.shape} it returned shape {found.shape}; write sums[..., 0] for the first "
                "column, not sums[0]"
            )
        return np.where(np.isfinite(found), found, self.undefined)


@dataclass(frozen=True, slots=True)
class UnitFunction:
    """A score of the rows themselves, for what sums cannot tell (a median, say): the slow path.

    The function gets the rows of one system, units × `columns`, and returns its score.

    >>> UnitFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))
    median
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[NDArray[np.float64]], float]
    higher_is_better: bool = True

    def __repr__(self) -> str:
        return self.name


Metric: TypeAlias = Ratio | Function | UnitFunction


def ratio(
    name: str,
    numerator: Mapping[str, Fraction | int | float | str],
    denominator: Mapping[str, Fraction | int | float | str],
    *,
    higher_is_better: bool = True,
    undefined: Fraction | int | float | str = 0,
) -> Ratio:
    """Make a ratio metric from the weights of its columns.

    >>> ratio("exact-match", {"cor": 1}, {"pos": 1}).columns
    ('cor', 'pos')
    """
    if not _weights(denominator):
        raise UsageError(f"metric {name!r} needs a denominator: give at least one column a weight")
    return Ratio(
        name, _weights(numerator), _weights(denominator), higher_is_better, _fraction(undefined)
    )


def mean(column: str, name: str | None = None, *, higher_is_better: bool = True) -> Ratio:
    """Make the metric that is the mean of a column over units.

    >>> mean("score")
    mean
    >>> mean("rouge", name="rouge")
    rouge
    """
    found = ratio(name or "mean", {column: 1}, {UNITS: 1}, higher_is_better=higher_is_better)
    return replace(found, proportion=True)


_HALF = Fraction(1, 2)

# Each column family says what plays the part of: matched, what the gold has, what the system gave.
_TP, _GOLD_TP, _SYS_TP = {"tp": 1}, {"tp": 1, "fn": 1}, {"tp": 1, "fp": 1}
_COR, _POS, _ACT = {"cor": 1, "par": _HALF}, {"pos": 1}, {"act": 1}
_WRONG = {"inc": 1, "par": _HALF}

_Forms: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]

# Per name: the alternatives, in order of preference; the first whose columns are there counts.
_DEFINITIONS: dict[str, tuple[_Forms, ...]] = {
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
_LOWER_IS_BETTER = {
    "error-rate", "slot-error-rate", "substitution", "overgeneration", "undergeneration",
    "fallout", "wer",
}  # fmt: skip
_PROPORTIONS = {
    "recall", "precision", "accuracy", "error-rate", "substitution", "overgeneration",
    "undergeneration", "fallout",
}  # fmt: skip
_OPTIONAL = {"par"}
TEXT_NAMES = ("bleu", "nist", "chrf", "chrf+", "chrf++", "ter")
"""Functions of the counts that the scorer of texts makes"""
_F = re.compile(r"f(\d+(?:\.\d+)?)")


def _f_forms(beta: str) -> tuple[_Forms, ...]:
    """F-beta from the parts of recall and precision: (1+b²) c / (b² possible + actual)."""
    b2 = Fraction(beta) ** 2
    forms = []
    for (matched, gold), (_, given) in zip(
        _DEFINITIONS["recall"], _DEFINITIONS["precision"], strict=True
    ):
        denominator: dict[str, Fraction] = {}
        for part, weight in ((gold, b2), (given, Fraction(1))):
            for column, value in part.items():
                denominator[column] = denominator.get(column, Fraction(0)) + weight * value
        forms.append(({column: (1 + b2) * w for column, w in matched.items()}, denominator))
    return tuple(forms)


def names() -> list[str]:
    """Return the names of the built-in metrics; any F-beta is written like the ones shown."""
    return [
        "recall", "precision", "f1", "f0.5", "f2", *list(_DEFINITIONS)[2:], "mean", *TEXT_NAMES
    ]  # fmt: skip


def _text_metric(name: str, columns: Sequence[str]) -> Ratio | Function:
    """Find a text metric; its scorer, which knows the columns, is imported only then."""
    from tellapart.scorers.translation import catalogue

    found = catalogue.found(name, columns)
    if found is None:
        needs = " ".join(catalogue.DEFAULTS[name].columns)
        raise UsageError(
            f"metric {name!r} needs the columns {needs}; there are {' '.join(columns)}"
        )
    return found


def _alternatives(name: str) -> tuple[_Forms, ...] | None:
    match = _F.fullmatch(name)
    return _f_forms(match[1]) if match else _DEFINITIONS.get(name)


def metric(name: str, columns: Sequence[str], *, items: bool = False) -> Ratio | Function:
    """Find the metric of a name for a table that has these columns.

    With `items` the columns are ready values: a metric's name is a value's name, and its score the
    mean; ``mean`` is the mean of an only value.

    >>> metric("f1", ["tp", "fp", "fn"]).denominator
    (('fn', Fraction(1, 1)), ('fp', Fraction(1, 1)), ('tp', Fraction(2, 1)))
    >>> metric("rouge", ["rouge", "length"], items=True)
    rouge
    """
    if items:
        return _item_metric(name, columns)
    if name in TEXT_NAMES:
        return _text_metric(name, columns)
    alternatives = _alternatives(name)
    if alternatives is None:
        if name == "mean":
            raise UsageError(
                f"metric 'mean' is of ready scores, and these are counts: {' '.join(columns)}; "
                f"in Python, ta.mean({columns[0]!r}) is the mean of a column"
            )
        near = difflib.get_close_matches(name.lower(), names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names())}"
        raise UsageError(f"unknown metric {name!r}; {hint}")
    for numerator, denominator in alternatives:
        needed = {*numerator, *denominator} - _OPTIONAL
        if needed <= set(columns):
            present = {c: w for c, w in numerator.items() if c in columns}
            bottom = {c: w for c, w in denominator.items() if c in columns}
            found = ratio(name, present, bottom, higher_is_better=name not in _LOWER_IS_BETTER)
            return replace(found, proportion=name in _PROPORTIONS)
    needs = " or ".join(" ".join(dict.fromkeys([*n, *d])) for n, d in alternatives)
    hint = ""
    if any({c.lower() for c in columns} >= {*n, *d} - _OPTIONAL for n, d in alternatives):
        hint = " (write them in small letters)"
    raise UsageError(
        f"metric {name!r} needs the columns {needs}{hint}; there are {' '.join(columns)}"
    )


# Names under which people write down errors; parts of names such as task/wer/filter.
_ERRORS = {
    "wer", "cer", "ter", "mer", "der", "eer", "distance", "edit_distance",
    "levenshtein_distance", "error", "errors", "error_rate", "word_error_rate",
    "character_error_rate", "loss", "log_loss", "cross_entropy", "nll", "perplexity", "ppl",
    "word_perplexity", "byte_perplexity", "bits_per_byte", "mae", "mse", "rmse", "mape", "brier",
    "brier_score", "ece", "latency", "latency_s", "latency_ms", "runtime", "runtime_s",
    "toxicity", "cost",
}  # fmt: skip


def counts_errors(name: str) -> bool:
    """Tell whether a value's name says that less of it is better.

    >>> counts_errors("asr/WER"), counts_errors("word error rate"), counts_errors("accuracy")
    (True, True, False)
    """
    spelled = re.sub(r"[ -]", "_", name.lower())
    return not _ERRORS.isdisjoint(re.split(r"[/.,:]", spelled))


def _item_metric(name: str, columns: Sequence[str]) -> Ratio:
    if name in columns:
        return mean(name, name, higher_is_better=not counts_errors(name))
    if name == "mean" and len(columns) == 1:
        return mean(columns[0], higher_is_better=not counts_errors(columns[0]))
    near = difflib.get_close_matches(name, columns, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(columns)}"
    raise UsageError(f"no value is named {name!r}; {hint}")


def default_metrics(columns: Sequence[str], *, items: bool = False) -> list[str]:
    """Return the metrics to compute when none is named.

    >>> default_metrics(["pos", "act", "cor", "par"])
    ['recall', 'precision', 'f1']
    >>> default_metrics(["score"], items=True)
    ['mean']
    >>> default_metrics(["ter_edits", "ter_ref_len"])
    ['ter']
    """
    if items:
        return ["mean"] if list(columns) == ["score"] else list(columns)
    if not {"ref_len", "nist_ref_len", "ter_ref_len"}.isdisjoint(columns) or any(
        column.startswith("chrf") for column in columns
    ):
        from tellapart.scorers.translation import catalogue

        return catalogue.default_names(columns)
    return ["recall", "precision", "f1"]

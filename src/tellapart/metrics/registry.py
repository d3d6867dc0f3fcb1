"""Metrics by name: what each is, what a table's columns allow, and which way is better.

Recall, precision, F-beta, accuracy, error rates and others are ratios of two sums of columns.

Other packages add a metric by an entry point of the group ``tellapart.metrics``: a `Ratio`, a
`Function` or an `ItemFunction`, or a function that makes one from the names of the columns.

```toml
[project.entry-points."tellapart.metrics"]
hit-rate = "my_package.metrics:HIT_RATE"
```
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from tellapart import plugins
from tellapart.errors import TellapartError, UsageError
from tellapart.metrics.directions import LOWER, direction
from tellapart.metrics.kinds import Function, ItemFunction, Metric, Ratio, mean, ratio
from tellapart.metrics.text import NAMES as TEXT_NAMES
from tellapart.words import nearest

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


PASS = re.compile(r"pass([@^])([0-9]{1,9})")


def is_pass(name: object) -> bool:
    """Return whether a metric is called pass@k or pass^k.

    >>> is_pass("pass@4"), is_pass("pass^2"), is_pass("passed")
    (True, True, False)
    """
    return isinstance(name, str) and PASS.fullmatch(name) is not None


def names() -> list[str]:
    """Return the names of the built-in metrics; any F-beta is written like the ones shown."""
    return [
        "recall", "precision", "f1", "f0.5", "f2", *list(DEFINITIONS)[2:], "mean", *TEXT_NAMES,
        *(f"{FILTERING}{name}" for name in ("recall", "precision", "f1", "overgeneration")),
    ]  # fmt: skip


def _text_metric(name: str, columns: Sequence[str]) -> Ratio | Function:
    """Return a text metric; its scorer, which knows the columns, is imported only now."""
    from tellapart.metrics.text import scoring

    found = scoring.metric_for_columns(name, columns)
    if found is None:
        needs = " ".join(scoring.DEFAULTS[name].columns)
        raise UsageError(
            f"metric {name!r} needs the columns {needs}; there are {' '.join(columns)}"
        )
    return found


def _added_metric(name: str, columns: Sequence[str]) -> Metric | None:
    """Return the metric that another package adds under a name, if one does."""
    found = plugins.find(plugins.METRICS, name)
    if callable(found):
        try:
            found = found(columns)
        except TellapartError:
            raise
        except Exception as problem:  # whatever a stranger's function raises
            raise UsageError(
                f"the plug-in {name!r} ({plugins.METRICS}) makes no metric of the columns "
                f"{' '.join(columns)}: {type(problem).__name__}: {problem}"
            ) from problem
    if found is None or isinstance(found, Ratio | Function | ItemFunction):
        return found
    raise UsageError(
        f"the plug-in {name!r} ({plugins.METRICS}) is no metric but a {type(found).__name__}; "
        "update or uninstall its package"
    )


def metric(name: str, columns: Sequence[str], *, items: bool = False) -> Metric:
    """Return the metric of a name for a table that has these columns.

    With `items` the columns are ready values: a metric's name is a value's name, and its score the
    mean; ``mean`` is the mean of an only value. Other packages' metrics are for both.

    >>> metric("f1", ["tp", "fp", "fn"]).denominator
    (('fn', Fraction(1, 1)), ('fp', Fraction(1, 1)), ('tp', Fraction(2, 1)))
    >>> metric("rouge", ["rouge", "length"], items=True)
    rouge
    """
    if items:
        return _item_metric(name, columns)
    name = _as_known(name)
    if name in TEXT_NAMES:
        return _text_metric(name, columns)
    forms = alternatives(name)
    if forms is None and (added := _added_metric(name, columns)) is not None:
        return added
    if forms is None:
        if name == "mean":
            raise UsageError(
                f"metric 'mean' is of ready scores, and these are counts: {' '.join(columns)}; "
                f"in Python, ta.mean({columns[0]!r}) is the mean of a column"
            )
        known = [*plugins.Names(names(), plugins.METRICS)]
        raise UsageError(f"unknown metric {name!r}; {nearest(name, known)}")
    for numerator, denominator in forms:
        needed = {*numerator, *denominator} - OPTIONAL
        if needed <= set(columns):
            present = {c: w for c, w in numerator.items() if c in columns}
            bottom = {c: w for c, w in denominator.items() if c in columns}
            kind = decided(name)
            found = ratio(name, present, bottom, higher_is_better=kind not in LOWER_IS_BETTER)
            return replace(found, proportion=kind in PROPORTIONS)
    needs = " or ".join(" ".join(dict.fromkeys([*n, *d])) for n, d in forms)
    hint = ""
    if any({c.lower() for c in columns} >= {*n, *d} - OPTIONAL for n, d in forms):
        hint = " (write them in small letters)"
    raise UsageError(
        f"metric {name!r} needs the columns {needs}{hint}; there are {' '.join(columns)}"
    )


def counts_errors(name: str) -> bool:
    """Return whether a value's name says that less of it is better.

    >>> counts_errors("asr/WER"), counts_errors("word error rate"), counts_errors("accuracy")
    (True, True, False)
    """
    return direction(name) == LOWER


def _as_known(name: str) -> str:
    """Return the name of a metric of counts in the letters in which it is known."""
    small = name.lower()
    known = small in TEXT_NAMES or alternatives(small) is not None
    return small if known and alternatives(name) is None else name


def _as_written(name: str, columns: Sequence[str]) -> str:
    """Return the only value that a name means: in other letters, or by its last part.

    >>> _as_written("F1", ["f1", "bleu"]), _as_written("exact", ["scores.exact", "scores.f1"])
    ('f1', 'scores.exact')
    """
    if name in columns:
        return name
    small = name.lower()
    for spelled in (str.lower, lambda column: column.lower().rpartition(".")[2]):
        fitting = [column for column in columns if spelled(column) == small]
        if len(fitting) == 1:
            return fitting[0]
    return name


def _item_metric(name: str, columns: Sequence[str]) -> Metric:
    name = _as_written(name, columns)
    if name in columns:
        return mean(name, name, higher_is_better=not counts_errors(name))
    values = [column for column in columns if not is_pass(column)]
    if name == "mean" and len(values) == 1:
        return mean(values[0], higher_is_better=not counts_errors(values[0]))
    if (added := _added_metric(name, columns)) is not None:
        return added
    known = [*columns, *plugins.names(plugins.METRICS)]
    raise UsageError(f"no value is named {name!r}; {nearest(name, known)}")


def default_metrics(columns: Sequence[str], *, items: bool = False) -> list[str]:
    """Return the metrics to compute when none is named.

    >>> default_metrics(["pos", "act", "cor", "par"])
    ['f1', 'recall', 'precision']
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
        from tellapart.metrics.text.scoring import names_for_columns

        return names_for_columns(columns)
    return ["f1", "recall", "precision"]

"""Metrics by name: which there are, what a table's columns allow, and which way is better.

Other packages add a metric by an entry point of the group ``tellapart.metrics``: a `Ratio`, a
`Function` or an `ItemFunction`, or a function that makes one from the names of the columns.

```toml
[project.entry-points."tellapart.metrics"]
hit-rate = "my_package.metrics:HIT_RATE"
```
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from tellapart import plugins
from tellapart.errors import TellapartError, UsageError
from tellapart.metrics.definitions import (
    DEFINITIONS,
    FILTERING,
    LOWER_IS_BETTER,
    OPTIONAL,
    PROPORTIONS,
    alternatives,
    decided,
)
from tellapart.metrics.directions import LOWER, direction
from tellapart.metrics.kinds import Function, ItemFunction, Metric, Ratio, mean, ratio
from tellapart.metrics.passes import is_pass
from tellapart.metrics.text import NAMES as TEXT_NAMES


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
        near = difflib.get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise UsageError(f"unknown metric {name!r}; {hint}")
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
    near = difflib.get_close_matches(name, [*columns, *plugins.names(plugins.METRICS)], n=1)
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
        from tellapart.metrics.text.scoring import names_for_columns

        return names_for_columns(columns)
    return ["recall", "precision", "f1"]

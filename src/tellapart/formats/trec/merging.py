"""Files of scores per query brought together: the same measures and queries for all systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.tables.alignment import find_missing
from tellapart.formats.trec.measures import find_measure
from tellapart.formats.trec.query_scores import QueryScores, common_name
from tellapart.words import listed, nearest

_ROUNDING: Final = 1.01e-4  # values and their mean are printed with four decimals
_NO_MEASURE: Final = "num"  # num_ret and its like count documents


def merge_scores(
    names: Sequence[str], files: Sequence[QueryScores], metrics: Sequence[str] | None, missing: str
) -> tuple[Counts, list[Notice]]:
    """Make counts of one system per file; `missing` is a policy of `read_retrieval`."""
    notices = [note for name, file in zip(names, files, strict=True) for note in _sums(name, file)]
    chosen, ignored = _chosen(files, metrics)
    notices += ignored
    queries = list(dict.fromkeys(q for file in files for key in chosen for q in file.values[key]))
    position = {query: k for k, query in enumerate(queries)}
    table = np.zeros((len(files), len(queries), len(chosen)))
    there = np.zeros(table.shape, np.bool_)
    for f, file in enumerate(files):
        for m, key in enumerate(chosen):
            at = [position[query] for query in file.values[key]]
            table[f, at, m] = list(file.values[key].values())
            there[f, at, m] = True
    kept, present = np.arange(len(queries)), None
    if not there.all():
        lacks = find_missing(np.flatnonzero(there), len(files), len(queries), len(chosen))
        if missing == "own":
            present = lacks.present()
        else:
            notices += lacks.settle(missing, "", "query", names, queries)
        kept = lacks.common if missing == "drop" else kept
    columns: dict[str, Sequence[NDArray[Any]]] = {
        name: list(table[:, kept, m]) for m, name in enumerate(chosen.values())
    }
    items = [queries[k] for k in kept]
    counts = Counts.from_columns(names, items, columns, {}, "query", "items")
    return replace(counts, present=present), notices


def _chosen(
    files: Sequence[QueryScores], metrics: Sequence[str] | None
) -> tuple[dict[str, str], list[Notice]]:
    """Choose measures: what they are called in common, and what they are called here."""
    spelled = files[0].spelled
    if metrics is not None:
        for file in files:
            for name in metrics:
                if common_name(name) not in file.values:
                    known = nearest(name, list(file.spelled.values()))
                    raise UsageError(f"{shown(file.path)} has no measure {name!r}; {known}")
        return {common_name(name): name for name in metrics}, []
    every = dict.fromkeys(key for file in files for key in file.values)
    common = [key for key in every if all(key in file.values for file in files)]
    chosen = {key: spelled[key] for key in common if not key.startswith(_NO_MEASURE)}
    if not chosen:
        told = "; ".join(
            f"{shown(file.path)} has {listed(list(file.spelled.values()), 4)}" for file in files[:3]
        )
        raise DataError(f"the files have no measure in common: {told}")
    ignored = [key for key in every if key not in common]
    if not ignored:
        return chosen, []
    text = f"Left out, since not every file has them: {listed(ignored, 5)}."
    return chosen, [Notice("ignored", text, tuple(ignored))]


def _sums(name: str, file: QueryScores) -> list[Notice]:
    """Say where a file's own mean is not that of its queries: some may be lost."""
    odd = []
    for key, told in file.summary.items():
        values = file.values.get(key)
        if values and find_measure(key) is not None:
            mean = sum(values.values()) / len(values)
            if abs(mean - told) > _ROUNDING:
                odd.append(f"{file.spelled[key]} {told:.4f}, not {mean:.4f}")
    if not odd:
        return []
    text = f"The file of {name} gives other means than its queries have: {listed(odd, 3)}."
    return [Notice("summary-differs", text, (name,))]

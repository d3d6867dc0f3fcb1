"""Ready values that cannot be what their names say: a negative perplexity, an accuracy of 700."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice

_NEVER_NEGATIVE: Final = frozenset({
    "perplexity", "ppl", "wer", "cer", "latency", "runtime", "duration", "tokens", "mae", "mse",
    "rmse", "brier",
})  # fmt: skip
_SHARES: Final = frozenset({"acc", "accuracy", "precision", "recall", "exact_match", "em"})
_OTHER_THINGS: Final = frozenset({
    "log", "neg", "negative", "minus", "delta", "diff", "difference", "change", "gain", "loss",
    "improvement", "reduction", "relative", "score", "reward", "z",
})  # fmt: skip
"""What stands in names of something else, such as the change of a perplexity"""


def with_possible_values(counts: Counts) -> Counts:
    """Return counts whose ready values may be what they are called; refuse those that cannot.

    Shares above 1 may be percentages, or something else: a notice says so.

    >>> counts = Counts.from_arrays({"A": [-1.5, 0.5]}, columns=["perplexity"], form="items")
    >>> try:
    ...     with_possible_values(counts)
    ... except DataError as error:
    ...     print(error)
    item '1' of A has -1.5 as 'perplexity', which cannot be below 0; check what the files hold \
under that name
    """
    if counts.form != "items":
        return counts
    own = {each.name for each in counts.metrics}
    notices = []
    for c, column in enumerate(counts.columns):
        if own and column not in own:  # what a metric is made of
            continue
        words = _words(column)
        values = counts.values[:, :, c] / counts.scales[c]
        if words & (_NEVER_NEGATIVE | _SHARES) and not words & _OTHER_THINGS:
            _refuse(counts, column, values, values < 0, "below 0")
        if words & _SHARES and not words & _OTHER_THINGS:
            _refuse(counts, column, values, values > 100, "above 100, even as a percentage")
            if values.max() > 1:
                text = (
                    f"Values of {column!r} go up to {values.max():g}: they were taken as they are, "
                    "though such scores are between 0 and 1, or percentages."
                )
                notices.append(Notice("unlikely-values", text, (column,)))
    return replace(counts, notices=(*counts.notices, *notices)) if notices else counts


def _words(column: str) -> set[str]:
    """Return the words of a name, as tasks, filters and spellings leave them.

    >>> sorted(_words("lambada/word_perplexity")), sorted(_words("exactMatch"))
    (['lambada', 'perplexity', 'word'], ['exact', 'exact_match', 'match'])
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).lower())
    return {*words, *(f"{a}_{b}" for a, b in pairwise(words) if a == "exact")}


def _refuse(
    counts: Counts,
    column: str,
    values: NDArray[np.float64],
    wrong: NDArray[np.bool_],
    finding: str,
) -> None:
    places = np.argwhere(wrong)
    if len(places):
        system, item = places[0]
        raise DataError(
            f"{counts.kind} {counts.items[item]!r} of {counts.names[system]} has "
            f"{values[system, item]:g} as {column!r}, which cannot be {finding}; check what the "
            "files hold under that name"
        )

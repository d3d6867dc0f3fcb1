"""The results file of lm-eval that stands beside samples: whether these are all, and the same."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.formats.logs.log import Sample, parse_log
from tellapart.words import several

_ROUNDING: Final = 1e-6


def contradictions(path: str, task: str, time: str, samples: Sequence[Sample]) -> Iterator[str]:
    """Yield where the results of the same time have another number of documents, or other means.

    >>> list(contradictions("samples_sums.jsonl", "sums", "", []))
    []
    """
    place = Path(path).with_name(f"results_{time}.json")
    if not task or not time or not os.path.isfile(place):
        return
    try:
        results = _object(parse_log(place.read_bytes(), str(place)))
    except (DataError, OSError):
        yield f"{place.name} beside it cannot be read, so that nothing tells whether it is whole"
        return
    number = _object(_object(results.get("n-samples")).get(task)).get("effective")
    if isinstance(number, int) and number != len(samples):
        verb = "is" if len(samples) == 1 else "are"
        yield (
            f"{place.name} says {several(number, 'document')}, and {len(samples)} {verb} here; "
            "some may be lost, and those here were taken"
        )
    scores = _object(_object(results.get("results")).get(task))
    for metric in _means(_object(_object(results.get("configs")).get(task))):
        for name, stated in scores.items():
            if name.partition(",")[0] == metric and isinstance(stated, int | float):
                yield from _other_mean(place.name, name, float(stated), samples)


def _means(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield the metrics whose scores are means over documents."""
    listed = config.get("metric_list")
    for each in listed if isinstance(listed, list) else ():
        metric = _object(each).get("metric")
        if isinstance(metric, str) and _object(each).get("aggregation") == "mean":
            yield metric


def _other_mean(place: str, name: str, stated: float, samples: Sequence[Sample]) -> Iterator[str]:
    metric, _, filtered = name.partition(",")
    values = [
        value
        for sample in samples
        for (_, own, by), value in sample.values.items()
        if (own, by) == (metric, filtered)
    ]
    if len(values) != len(samples) or not values:  # which has a warning of its own
        return
    mean = math.fsum(values) / len(values)
    if abs(mean - stated) > _ROUNDING:
        yield (
            f"{place} gives {stated:.4g} as {name!r}, and the documents have {mean:.4g}; the "
            "documents were taken"
        )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

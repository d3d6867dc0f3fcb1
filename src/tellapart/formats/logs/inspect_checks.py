"""Whether a log of Inspect is whole: what its header says of the samples, against the samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tellapart.formats.logs.log import Sample
from tellapart.words import listed, several

_SHOWN: Final = 5
_ROUNDING: Final = 1e-6
_MEANS: Final = ("accuracy", "mean")


def contradictions(
    header: Mapping[str, Any], spec: Mapping[str, Any], samples: Sequence[Sample]
) -> Iterator[str]:
    """Yield where the header disagrees with the samples: their number, their ids, their means.

    >>> header = {"results": {"total_samples": 3}}
    >>> list(contradictions(header, {}, [Sample("q1", {}, "quiz.eval")]))
    ['the header says 3 samples, and 1 is there; some may be lost, and those there were taken']
    """
    results = _object(header.get("results"))
    total = results.get("total_samples")
    if isinstance(total, int) and total != len(samples):
        verb = "is" if len(samples) == 1 else "are"
        yield (
            f"the header says {several(total, 'sample')}, and {len(samples)} {verb} there; some "
            "may be lost, and those there were taken"
        )
    yield from _ids(spec, samples)
    for score in results.get("scores") or () if isinstance(results.get("scores"), list) else ():
        yield from _means(_object(score), samples)


def unmatched(members: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Yield where the samples of an archive and their summaries are not of the same runs.

    >>> list(unmatched(["samples/1_epoch_1.json"], ["samples/2_epoch_1.json"]))[0]
    'samples/1_epoch_1.json has no summary; it was left out'
    """
    # Names that a writer made in another way tell nothing.
    if not set(members) & set(wanted) and len(members) == len(wanted) > 1:
        return
    there, summed = dict.fromkeys(members), dict.fromkeys(wanted)
    for name in there:
        if name not in summed:
            yield f"{name} has no summary; it was left out"
    lacking = [name for name in summed if name not in there]
    if lacking and members:
        have = "has" if len(lacking) == 1 else "have"
        yield (
            f"{several(len(lacking), 'summary')} {have} no sample ({listed(lacking, _SHOWN)}); the "
            "summaries were taken"
        )


def _ids(spec: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[str]:
    """Yield items that the data set does not have, and those that have no sample."""
    config, dataset = _object(spec.get("config")), _object(spec.get("dataset"))
    ids = dataset.get("sample_ids")
    if not isinstance(ids, list) or not ids:
        return
    known, items = dict.fromkeys(map(str, ids)), dict.fromkeys(s.item for s in samples)
    extra = [item for item in items if item not in known]
    if extra:
        verb = "is" if len(extra) == 1 else "are"
        yield (
            f"{several(len(extra), 'item')} {verb} not among those that the header names: "
            f"{listed(extra, _SHOWN)}; {'it was' if len(extra) == 1 else 'they were'} taken all "
            "the same"
        )
    lacking = [item for item in known if item not in items]
    # A run of a part of the data set may name all of it.
    if lacking and config.get("limit") is None and config.get("sample_id") is None:
        have = "has" if len(lacking) == 1 else "have"
        yield (
            f"{several(len(lacking), 'item')} of the header {have} no sample: "
            f"{listed(lacking, _SHOWN)}; the others were taken"
        )


def _means(score: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[str]:
    """Yield the means of a scorer that are not those of its values, if all samples have one."""
    key, reducer = (str(score.get("name")),), score.get("reducer")
    if reducer not in (None, "mean") or not samples:
        return
    of_item: dict[str, list[float]] = {}
    for sample in samples:
        if key not in sample.values:
            return
        of_item.setdefault(sample.item, []).append(sample.values[key])
    if score.get("scored_samples") not in (None, len(of_item), len(samples)):
        return
    mean = math.fsum(math.fsum(some) / len(some) for some in of_item.values()) / len(of_item)
    for metric, found in _object(score.get("metrics")).items():
        stated = _object(found).get("value")
        plain = metric in _MEANS and not _object(found).get("params")
        if plain and isinstance(stated, int | float) and abs(stated - mean) > _ROUNDING:
            yield (
                f"the header gives {stated:.4g} as the {metric} of {key[0]!r}, and the samples "
                f"have {mean:.4g}; the samples were taken"
            )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

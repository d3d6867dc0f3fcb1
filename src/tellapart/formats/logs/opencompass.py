"""`--as opencompass`: results of OpenCompass with details, `results/MODEL/DATASET.json`.

The scores of items are there where it ran with `--dump-eval-details`. Details are a list or an
object by number; values of several replicas of the data set are lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import Gathered, first_object, plain_text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.rows import as_object, names_in, read_json
from tellapart.formats.logs.totals import TotalsError, totals_sentence
from tellapart.formats.problems import Findings

ACCURACY: Final[Key] = ("accuracy",)
_CORRECT: Final = ("correct", "is_correct", "cascade_correct")
_TEXTS: Final = frozenset({
    "prompt", "origin_prompt", "origin_prediction", "prediction", "predictions", "pred",
    "references", "reference", "answer", "answers", "gold", "example_abbr", "idx", "type",
    "model_extract_predictions", "model_extract_correct", *_CORRECT,
})  # fmt: skip
_DETAILS: Final = re.compile(r'"details"\s*:\s*[\[{]')
_MARKS: Final = ('"correct"', '"is_correct"', '"cascade_correct"', '"predictions"', '"pred"')
_ROUNDING: Final = 0.01  # of figures between 0 and 100
_FLAG: Final = "--dump-eval-details"


def _recognises(head: Head) -> bool:
    if "details" not in names_in(head) or not head.text.lstrip().startswith("{"):
        return False
    return _DETAILS.search(head.text) is not None and any(mark in head.text for mark in _MARKS)


def _refuses(head: Head) -> DataError | None:
    """Refuse predictions, and results without details, by where OpenCompass keeps them."""
    place = PurePath(head.path)
    kind = place.parent.parent.name
    tree = first_object(head)
    if kind == "results" and tree and all(isinstance(v, int | float) for v in tree.values()):
        remedy = f"run OpenCompass again with {_FLAG}, and give the same file"
        return TotalsError(totals_sentence(head, list(tree), remedy))
    first = tree.get("0")
    if isinstance(first, dict) and {"origin_prompt", "prediction"} <= first.keys():
        return DataError(
            f"{shown(head.path)}: these are predictions of OpenCompass without scores; run it with "
            f"{_FLAG}, and give results/{place.parent.name or 'MODEL'}/{place.name}"
        )
    return None


def _read_file(path: str, problems: Findings) -> list[Log]:
    tree = as_object(read_json(path), shown(path))
    details = tree.get("details")
    rows = details.items() if isinstance(details, dict) else enumerate(_listed(details, path))
    found = Gathered(path, problems)
    model, dataset, time = _whereabouts(path)
    stated = tree.get("accuracy")
    equal = None if _has_scores(details) else _equality(stated, details, path, problems)
    for name, row in rows:
        if name == "type":
            continue
        place = f"{shown(path)}, details {name}"
        with problems.of_file():
            for sample in _samples(str(name), as_object(row, place), place, found, equal):
                found.add(sample, model, dataset)
    _compare_totals(stated, found)
    return found.logs(main=ACCURACY, time=time, identity=f"{model}/{dataset}" if time else "")


def _listed(details: Any, path: str) -> list[Any]:
    if not isinstance(details, list):
        raise DataError(
            f"{shown(path)}: the results have no details; run OpenCompass again with {_FLAG}"
        )
    return details


def _whereabouts(path: str) -> tuple[str, str, str]:
    """Return the model, the data set and the time that the folders of OpenCompass tell.

    >>> _whereabouts("outputs/default/20260101_120000/results/alder/gsm8k.json")
    ('alder', 'gsm8k', '20260101_120000')
    >>> _whereabouts("alder.json")
    ('', '', '')
    """
    place = PurePath(path)
    if path == STANDARD or place.parent.parent.name != "results":
        return "", "", ""
    return place.parent.name, unpacked_name(place.name).removesuffix(".json"), (
        place.parent.parent.parent.name
    )  # fmt: skip


def _rows(details: Any) -> list[Mapping[str, Any]]:
    rows = details.values() if isinstance(details, dict) else details or ()
    return [row for row in rows if isinstance(row, dict)]


def _has_scores(details: Any) -> bool:
    return any(key in row for row in _rows(details) for key in (*_CORRECT, "score"))


def _equality(stated: Any, details: Any, path: str, problems: Findings) -> bool:
    """Return that predictions are right where they equal the reference, if that gives the score."""
    rows = _rows(details)
    right = [_same(row) for row in rows]
    if not isinstance(stated, int | float) or not right:
        stated = math.nan
    mean = 100 * sum(right) / max(len(right), 1)
    if not abs(mean - stated) <= _ROUNDING:
        raise DataError(
            f"{shown(path)}: the details do not say which predictions are right, and taking those "
            "that equal their reference does not give the accuracy of the file; score them again "
            "with an evaluator that writes `correct`"
        )
    problems.warn(
        f"{shown(path)}: the details do not say which predictions are right; those were taken that "
        "equal their reference, which gives the accuracy of the file"
    )
    return True


def _same(row: Mapping[str, Any]) -> bool:
    return "references" in row and row.get("predictions") == row["references"]


def _samples(
    name: str, row: Mapping[str, Any], place: str, found: Gathered, equal: bool | None
) -> Iterator[Sample]:
    """Yield the attempts at an item: one, or one for each replica of the data set."""
    fields: dict[Key, Any] = {
        (key,): value
        for key, value in row.items()
        if key not in _TEXTS and isinstance(_first(value), int | float)
    }
    correct = next((row[key] for key in _CORRECT if row.get(key) is not None), None)
    if equal:
        correct = _same(row)
    if correct is not None:
        fields = {ACCURACY: correct, **fields}
    replicas = max((len(v) for v in fields.values() if isinstance(v, list)), default=1)
    item = str(row.get("example_abbr") or name)
    for k in range(replicas):
        values = {
            key: v[k] if isinstance(v, list) and k < len(v) else v for key, v in fields.items()
        }
        yield Sample(
            item,
            found.values(values, place),
            place,
            input=plain_text(row.get("prompt") or row.get("origin_prompt")),
            gold=plain_text(_of(row, k, "references", "reference", "answer", "answers", "gold")),
            output=plain_text(
                _of(row, k, "origin_prediction", "prediction", "predictions", "pred")
            ),
        )


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _of(row: Mapping[str, Any], replica: int, *names: str) -> Any:
    """Return the first of some fields that is there, of one replica."""
    value = next((row[name] for name in names if row.get(name) is not None), None)
    if isinstance(value, list) and replica < len(value):
        return value[replica]
    return value


def _compare_totals(stated: Any, found: Gathered) -> None:
    """Warn where the items do not have the mean that the file gives."""
    samples: Sequence[Sample] = [each for some in found.samples.values() for each in some]
    values = [sample.values[ACCURACY] for sample in samples if ACCURACY in sample.values]
    if not values or not isinstance(stated, int | float) or isinstance(stated, bool):
        return
    mean = 100 * math.fsum(values) / len(values)
    if abs(mean - stated) > _ROUNDING:
        found.problems.warn(
            f"{shown(found.path)}: the file gives {stated:.4g} as the accuracy, and its details "
            f"have {mean:.4g}; the details were taken"
        )


FORMAT = log_format(
    "opencompass",
    "results of OpenCompass with details, JSON",
    files="results of OpenCompass",
    recognises=_recognises,
    read_file=_read_file,
    refuses=_refuses,
)

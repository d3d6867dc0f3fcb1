"""MTEB: rankings of its retrieval tasks are runs, its results are totals, its judgements qrels.

`TASK_predictions.json` has the rankings where MTEB ran with a prediction folder; judgements are
those of the data set, with the columns `query-id`, `corpus-id` and `score`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.json_text import glance

META: Final = "mteb_model_meta"
JUDGED: Final = ("query-id", "corpus-id", "score")
"""The columns of judgements"""
_RESULTS: Final = frozenset({"task_name", "mteb_version", "scores"})
_TASK: Final = ("task_name", "mteb_dataset_name")
_OLD_RESULTS: Final = frozenset({"mteb_dataset_name", "mteb_version"})


def looks_like_predictions(head: Head) -> bool:
    """Return whether these are predictions of MTEB.

    >>> looks_like_predictions(Head("x", b'{"mteb_model_meta": {"model_name": "a"}, "def', False))
    True
    """
    return head.text.lstrip().startswith("{") and META in head.keys()  # noqa: SIM118  (no dict)


def refuse_totals(head: Head) -> DataError | None:
    """Return why results of MTEB cannot be tested, if these are results."""
    if not head.text.lstrip().startswith("{"):
        return None
    keys = set(head.keys())
    if not (keys >= _RESULTS or keys >= _OLD_RESULTS):
        return None
    from tellapart.formats.logs.totals import TotalsError, totals_sentence

    tree = glance(head.text)
    named = [tree[key] for key in _TASK if tree and isinstance(tree.get(key), str)]
    remedy = (
        "run MTEB again with prediction_folder=FOLDER, and give the TASK_predictions.json of a "
        "retrieval task with its judgements, --gold qrels.tsv"
    )
    return TotalsError(totals_sentence(head, named, remedy))


def rankings(content: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Return the documents of each query, of the only subset and split of a file."""
    found = {
        (subset, split): ranked
        for subset, splits in content.items()
        if subset != META and isinstance(splits, dict)
        for split, ranked in splits.items()
    }
    if len(found) != 1:
        names = ", ".join("/".join(place) for place in found) or "none"
        raise DataError(
            f"{shown(path)}: this has {len(found)} subsets or splits ({names}); give a file with "
            "one, whose queries the judgements are about"
        )
    (ranked,) = found.values()
    if not isinstance(ranked, dict) or not all(isinstance(each, dict) for each in ranked.values()):
        raise DataError(
            f"{shown(path)}: these predictions are no rankings of documents, and hold no gold "
            "answers; give those of a retrieval task, or a table with a score per item"
        )
    return ranked

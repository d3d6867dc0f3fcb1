"""`--as mt-bench-pair`: pairwise judgments of MT-bench, each pair of answers in both orders."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from tellapart.formats.contract import Sources
from tellapart.formats.head import Head
from tellapart.formats.preferences.judgment import (
    Collected,
    Judgment,
    glanced_rows,
    is_name,
    is_nothing,
    preference_format,
    preference_rows,
    refuse_same,
)
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.formats.sources import paths_of
from tellapart.options import NoOptions

_KEYS: Final = frozenset({"model_1", "model_2", "g1_winner", "g2_winner"})
_POINTS: Final = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def _recognises(head: Head) -> bool:
    """Return whether these are pairwise judgments of MT-bench.

    >>> row = b'{"model_1": "a", "model_2": "b", "g1_winner": "tie", "g2_winner": "model_1"}'
    >>> _recognises(Head("x", row, True))
    True
    """
    return _KEYS.issubset(next(iter(glanced_rows(head)), {}))


def _collect(sources: Sources, _: NoOptions, problems: Findings) -> Collected:
    found: list[Judgment] = []
    rows: list[tuple[str, Collection[str]]] = []
    for path in paths_of(sources.systems):
        for place, row in preference_rows(path, problems):
            if not _is_judgment(row):
                problems.complain(
                    f"{place}: a judgment has question_id, the names model_1 and model_2, "
                    "g1_winner, g2_winner and, if any, the number of the turn; write the row again"
                )
                continue
            rows.append((place, [key for key in row if row[key] is not None]))
            question, turn = str(row["question_id"]), row.get("turn")
            labels = {"question": question} | ({} if turn is None else {"turn": str(turn)})
            item = question if turn is None else f"{question}/turn {turn}"
            one, other = str(row["model_1"]), str(row["model_2"])
            for key, (first, second) in (
                ("g1_winner", (one, other)),
                ("g2_winner", (other, one)),
            ):
                word = str(row[key])
                if word not in _POINTS:
                    if is_nothing(word):
                        problems.warn(f"{place}: {key} is {word!r}; that order was left out")
                    else:
                        problems.complain(
                            f"{place}: {key} is {word!r}, and should be model_1, model_2 or tie"
                        )
                    continue
                points = _POINTS[word] if first == one else 1 - _POINTS[word]
                judgment = Judgment(item, first, second, points, place, labels=labels)
                if not refuse_same(judgment, problems):
                    found.append(judgment)
    warn_of_lacking(rows, "key", problems, "the question was taken for one without turns")
    return Collected(found, ordered=True, agreement=True)


def _is_judgment(row: Mapping[str, Any]) -> bool:
    """Return whether a row has what a judgment needs, of the right kinds."""
    named = all(isinstance(row.get(key), str) and row[key] for key in ("model_1", "model_2"))
    turn = row.get("turn")
    is_turn = turn is None or (isinstance(turn, int) and not isinstance(turn, bool))
    return named and is_turn and is_name(row.get("question_id")) and _KEYS.issubset(row)


FORMAT = preference_format(
    "mt-bench-pair",
    "pairwise judgments of MT-bench, JSONL",
    recognises=_recognises,
    collect=_collect,
)

"""`--as arena-hard`: judgments of arena-hard, each model against a baseline in both orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tellapart.formats.contract import Sources
from tellapart.formats.head import Head
from tellapart.formats.preferences.judgment import (
    Collected,
    Judgment,
    glanced_rows,
    is_name,
    points_of,
    preference_format,
    preference_rows,
)
from tellapart.formats.problems import Findings
from tellapart.formats.sources import parse_source
from tellapart.options import NoOptions

BASELINE: Final = "baseline"
"""What the baseline is called by older files, which do not name it"""
_CLEAR: Final = 3  # how often arena-hard itself counts a verdict such as A>>B
_GAMES: Final = 2


def _recognises(head: Head) -> bool:
    """Return whether these are judgments of arena-hard: games with scores such as A>B.

    >>> row = b'{"model": "m", "games": [{"score": "A>B"}, {"score": "B>A"}]}'
    >>> _recognises(Head("x", row, True))
    True
    """
    row = next(iter(glanced_rows(head)), {})
    games = row.get("games")
    return (
        "model" in row
        and isinstance(games, list)
        and bool(games)
        and all(game is None or (isinstance(game, dict) and "score" in game) for game in games)
    )


def _collect(sources: Sources, _: NoOptions, problems: Findings) -> Collected:
    found: list[Judgment] = []
    baselines: dict[str, None] = {}
    for each in sources.systems:
        source = parse_source(each)
        for path in source.paths:
            for place, row in preference_rows(path, problems):
                baselines.setdefault(str(row.get("baseline") or BASELINE))
                found += _judgments(place, row, source.name, problems)
    reference = next(iter(baselines)) if len(baselines) == 1 else None
    return Collected(found, ordered=True, reference=reference)


def _judgments(
    place: str, row: Mapping[str, Any], name: str | None, problems: Findings
) -> Iterator[Judgment]:
    """Yield the games of one question: in the first, the baseline is A, in the second, B."""
    item = row.get("question_id", row.get("uid"))
    model, games = name or row.get("model"), row.get("games")
    if not is_name(item) or not isinstance(model, str) or not isinstance(games, list):
        problems.complain(
            f"{place}: a judgment has question_id (or uid), model and a list of games; write the "
            "row again"
        )
        return
    baseline = str(row.get("baseline") or BASELINE)
    labels = {key: str(row[key]) for key in ("category", "cluster") if row.get(key)}
    if len(games) > _GAMES:
        problems.warn(f"{place}: {len(games)} games, of which the first two were taken")
    for number, game in enumerate(games[:_GAMES]):
        word = game.get("score") if isinstance(game, dict) else None
        points = points_of(word, "A", "B") if isinstance(word, str) else None
        if points is None:
            problems.warn(
                f"{place}: game {number + 1} has no verdict such as A>B but {_shown(word)}; it was "
                "left out"
            )
            continue
        clear = ">>" in str(word) or "<<" in str(word)
        pair = (baseline, str(model)) if number == 0 else (str(model), baseline)
        yield Judgment(
            str(item), *pair, float(points), place, _CLEAR if clear else 1, labels=labels
        )


def _shown(word: Any) -> str:
    return "none" if word is None else repr(word)


FORMAT = preference_format(
    "arena-hard",
    "judgments of arena-hard, JSONL",
    recognises=_recognises,
    collect=_collect,
)

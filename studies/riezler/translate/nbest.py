"""Files of n-best lists, one translation a line: `id ||| text ||| features ||| score`.

Features are names, ending in `=` or `:`, each before one or more numbers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from studies.riezler.translate.decoder import COMPONENTS, Candidate
from tellapart.errors import DataError
from tellapart.formats.texts import read_lines

_BAR: Final = " ||| "


def write_nbest(path: Path, lists: Sequence[Sequence[Candidate]]) -> None:
    """Write the lists of all sentences, numbered from 0."""
    lines = [_line(number, candidate) for number, best in enumerate(lists) for candidate in best]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _line(number: int, candidate: Candidate) -> str:
    pairs = zip(COMPONENTS, candidate.features, strict=True)
    features = " ".join(f"{name}= {value:.6g}" for name, value in pairs)
    return _BAR.join((str(number), " ".join(candidate.words), features, f"{candidate.score:.6g}"))


def read_nbest(path: Path) -> tuple[list[list[Candidate]], tuple[str, ...]]:
    """Return the lists by sentence, and the names of their features."""
    lists: dict[int, list[Candidate]] = {}
    names: tuple[str, ...] | None = None
    for number, line in enumerate(read_lines(path), 1):
        try:
            key, text, features, score = (part.strip() for part in line.split("|||")[:4])
            values = _features(features)
            candidate = Candidate(
                tuple(map(sys.intern, text.split())), tuple(values.values()), _number(score)
            )
            sentence = int(key)
        except ValueError:
            raise DataError(
                f"{path}, line {number}: not `id ||| text ||| features ||| score`, with a whole "
                f"number, numbers of distinct names and a number: {line[:60]!r}"
            ) from None
        names = names or tuple(values)
        if tuple(values) != names:
            raise DataError(
                f"{path}, line {number}: the features are {', '.join(values) or 'none'}, before "
                f"they were {', '.join(names)}; give every line the same"
            )
        lists.setdefault(sentence, []).append(candidate)
    if sorted(lists) != list(range(len(lists))):
        raise DataError(f"{path}: sentences must be numbered 0, 1, 2 … without gaps")
    return [lists[number] for number in range(len(lists))], names or ()


def _features(text: str) -> Mapping[str, float]:
    """Return values by name; of several values of one name the later ones have a number.

    >>> _features("lm= -2.5 tm: -1 -3")
    {'lm': -2.5, 'tm': -1.0, 'tm.2': -3.0}
    """
    values: dict[str, float] = {}
    name, place = "", 0
    for part in text.split():
        if part[-1] in "=:":
            name, place = part[:-1], 0
            continue
        place += 1
        key = name if place == 1 else f"{name}.{place}"
        if key in values:
            raise ValueError(f"{key} comes twice")
        values[key] = _number(part)
    return values


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no finite number")
    return number

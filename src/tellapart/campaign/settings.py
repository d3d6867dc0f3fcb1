"""The settings of a campaign, `campaign.toml`: what is judged, how, and within which limits."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError, UsageError
from tellapart.files import write_together

FILE: Final = "campaign.toml"
JUDGINGS: Final = ("fills", "keys", "rating")
MOST_ANSWERS: Final = 9
"""Of a scale: each has a digit for its key"""
RIGHT_PARTLY_WRONG: Final = {"right": 1.0, "partly": 0.5, "wrong": 0.0}


@dataclass(frozen=True, slots=True)
class Settings:
    """What an organiser has chosen; the file says it in the same words.

    >>> settings = Settings("Short answers", form="items", seed="7")
    >>> settings.opinions_needed("rating", '{"item": "q1", "output": "4"}')
    1
    """

    title: str
    form: str
    """The format of the submissions, as `--as` names it"""
    judging: str = "rating"
    """What people are asked: fills (of templates), keys (of annotators), rating (of an output)"""
    metric: str = ""
    """What systems are compared by; none: the default of what is judged"""
    alpha: float = 0.05
    """The level at which systems are told apart"""
    second_opinions: float = 0.2
    """The share of the questions that two people answer, neither knowing of the other"""
    scale: Mapping[str, float] = field(default_factory=lambda: dict(RIGHT_PARTLY_WRONG))
    """What a rating is worth, the answers in the order in which they are shown"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the format, such as slots; those that are files are in the database"""
    megabytes: float = 20.0
    """The largest submission"""
    per_day: int = 5
    """How many submissions a participant may make in 24 hours"""
    database: str = field(default="", repr=False)
    """The address of a PostgreSQL database, or env:NAME; none: SQLite in the folder"""
    seed: str = ""
    """Chooses which questions two people answer"""

    def draw(self, *about: str) -> float:
        """Return a number from 0 to 1 that is always the same for the same thing.

        >>> Settings("T", "items", seed="1").draw("x") == Settings("T", "items", seed="1").draw("x")
        True
        """
        told = json.dumps([self.seed, *about]).encode()
        return int.from_bytes(hashlib.sha256(told).digest()[:7], "big") / 256**7

    @property
    def verdict_metric(self) -> str | None:
        """The metric that systems are told apart by: the one set, or F of templates; else any.

        >>> Settings("T", "muc", judging="fills").verdict_metric
        'f1'
        """
        return self.metric or (None if self.judging == "rating" else "f1")

    def opinions_needed(self, kind: str, subject: str) -> int:
        """Return how many people are to answer a question."""
        return 2 if self.draw("second", kind, subject) < self.second_opinions else 1


def read_settings(folder: str) -> Settings:
    """Return the settings of the campaign in a folder."""
    path = Path(folder, FILE)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{folder}: there is no campaign in this folder (no {FILE}); make one with `tellapart "
            "campaign new`"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise DataError(f"{path}: the settings cannot be read ({problem})") from None
    return checked_settings(told, str(path))


def checked_settings(told: Mapping[str, Any], path: str) -> Settings:
    """Return settings as a file has them; what cannot be is a DataError that names the file."""
    kinds: dict[object, Any] = {"str": str, "int": int, "float": float | int}
    types = {each.name: kinds.get(each.type, dict) for each in fields(Settings)}
    for name, value in told.items():
        if name not in types:
            known = ", ".join(types)
            raise DataError(f"{path}: there is no setting {name!r}; there are {known}")
        if not isinstance(value, types[name]) or isinstance(value, bool):
            raise DataError(f"{path}: {name} cannot be {value!r}")
    for name in ("title", "form"):
        if not told.get(name):
            raise DataError(f"{path}: the setting {name} is missing")
    settings = Settings(**told)
    worth = list(settings.scale.values())
    rules = {
        f"judging is {', '.join(JUDGINGS)}, not {settings.judging!r}": settings.judging in JUDGINGS,
        "alpha is from 0 to 1": 0 <= settings.alpha <= 1,
        "second_opinions is from 0 to 1": 0 <= settings.second_opinions <= 1,
        f"a scale has from two to {MOST_ANSWERS} answers, each with a number, not all the same": (
            len(worth) <= MOST_ANSWERS and all(map(_is_number, worth)) and len(set(worth)) > 1
        ),
        "megabytes and per_day are above 0": settings.megabytes > 0 and settings.per_day > 0,
    }
    for sentence, holds in rules.items():
        if not holds:
            raise DataError(f"{path}: {sentence}")
    return settings


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def settings_text(settings: Settings) -> str:
    """Return the settings as the file has them.

    >>> print(settings_text(Settings("Short answers", "items", seed="7")).splitlines()[0])
    title = "Short answers"
    """
    plain, tables = [], []
    for each in fields(settings):
        value = getattr(settings, each.name)
        if isinstance(value, Mapping):
            rows = [f"{_quoted(name)} = {_quoted(of)}\n" for name, of in value.items()]
            if rows and (each.name != "scale" or settings.judging == "rating"):
                tables.append(f"\n[{each.name}]\n{''.join(rows)}")
        else:
            plain.append(f"{each.name} = {_quoted(value)}\n")
    return "".join(plain + tables)


def _quoted(value: object) -> str:
    """Return a text or a number as TOML has it: as JSON, but nothing beyond ASCII is spelled."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_settings(folder: str, settings: Settings) -> None:
    """Write the settings of a campaign, for nobody else to read."""
    path = str(Path(folder, FILE))
    write_together({path: settings_text(settings)}, private=[path])

"""Numbers that users give: each has a meaning, or is refused in one sentence by its one rule."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart.cli import main
from tellapart.comparison.options import OPTIONS, Options
from tellapart.options import options_of

HOSTILE = (
    "nan",
    "inf",
    "-inf",
    "1e400",
    "9" * 5000,
    "x",
    "",
    "²",
    "-1",
    "\udcff",
    "1e-400",
    "0x10",
)
PLAN = ("plan", "--scores", "0.7", "0.75", "--items", "500")
NUMBERS = {
    ("compare", "TABLE"): [each.flag for each in OPTIONS.values() if each.number],
    PLAN: ["--alpha", "--difference", "--power", "--pairs", "--seed", "--items", "--scores"],
    ("diff", "TABLE"): ["--most"],
    ("watch", "TABLE", "--once"): ["--alpha", "--margin", "--interval", "--timeout"],
    ("score", "TABLE", "--as", "text", "--gold", "TABLE"): ["--order", "--smooth-value"],
    ("score", "TABLE", "--as", "nuggets"): ["--coref-mapping", "--coref-threshold"],
}  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> str:
    place = tmp_path / "table.csv"
    place.write_text(
        "item,A,B\n" + "".join(f"{k},{k % 4 > 0:d},{k % 3 > 1:d}\n" for k in range(40))
    )
    return str(place)


def attempt(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    return main(words), capsys.readouterr().err


@pytest.mark.parametrize("verb", NUMBERS, ids=lambda verb: verb[0])
def test_no_number_is_too_odd_for_one_sentence(
    verb: tuple[str, ...], table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [table if word == "TABLE" else word for word in verb]
    for flag in NUMBERS[verb]:
        for value in HOSTILE:
            # What cannot be a number of this kind at all; others may have a meaning.
            if value == "1e-400" and flag not in ("--pairs", "--seed", "--shuffles", "--workers"):
                continue
            if value in ("9" * 5000, "-1") and flag == "--most":
                continue
            if value == "-1" and flag == "--at-least":  # scores may be negative
                continue
            status, errors = attempt([*words, f"{flag}={value}"], capsys)
            last = errors.splitlines()[-1]
            assert status == 2, (flag, value)
            assert flag in last, (flag, value, last)
            assert len(last) < 250, (flag, last)


@pytest.mark.parametrize("name", [each for each, known in OPTIONS.items() if known.number])
def test_python_keeps_the_rules_of_the_command_line(name: str) -> None:
    values: list[object] = [math.nan, "0.1", True, np.True_, [0.1], 10**5000, 1j]
    values += [-0.1] if name != "at_least" else []  # scores may be negative
    values += [None] if getattr(Options(), name) is not None else []
    for value in values:
        with pytest.raises(ta.UsageError, match=f"^{name} must ") as refused:
            Options(**{name: value})  # type: ignore[arg-type]
        assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"cluster": 3}, "cluster is a text, not 3"),
        ({"by": 3}, "by is a label, or a list of labels, not 3"),
        ({"by": [3]}, "by is a label, or a list of labels"),
        ({"by": np.array(0.05)}, "by is a label, or a list of labels"),
        ({"metrics": 5}, "metrics is a metric, or a list of metrics, not 5"),
        ({"metrics": np.array(5)}, "metrics is a metric, or a list of metrics"),
        ({"progress": 5}, "progress is a function, not 5"),
        ({"test": 5}, "test is a text, not 5"),
        ({"tail": "left"}, "there is no tail 'left'"),
    ],
)
def test_python_refuses_other_kinds(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ta.UsageError, match=re.escape(sentence)):
        ta.compare(ta.example(), **given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sources": None}, "there is nothing to read"),
        ({"sources": 5}, "sources is a path, or a list of paths, not 5"),
        ({"sources": [5]}, "give two arrays"),
        ({"sources": ["a.csv", 5]}, "sources is a path, or a list of paths"),
        ({"sources": b"a.csv"}, "sources is a path, or a list of paths"),
        ({"sources": "\ud800"}, "no file can have this name"),
        ({"sources": "A=\ud800,b"}, "no file can have this name"),
        ({"sources": "a.csv", "gold": 5}, "gold is a path, or a list of paths"),
        ({"sources": "a.csv", "gold": "\ud800"}, "no file can have this name"),
        ({"sources": "a.csv", "form": 5}, "form is a text, not 5"),
        ({"sources": "a.csv", "missing": [5]}, "missing is a text"),
    ],
)
def test_reading_refuses_other_kinds(given: dict[str, Any], sentence: str) -> None:
    """What is no path, no name and no text is one sentence, before anything is read."""
    with pytest.raises(ta.TellapartError, match=sentence):
        ta.read(**given)


def test_every_number_of_every_format_has_a_rule() -> None:
    from tellapart.formats.registry import formats

    for each in formats():
        for declared in options_of(each.options):
            default = declared.default
            is_number = isinstance(default, int | float) and not isinstance(default, bool)
            assert not is_number or declared.number is not None, declared.flag


@pytest.mark.parametrize("name", ["f" + "9" * 5000, "f" + "9" * 400, "f0." + "0" * 400 + "1"])
def test_weights_of_recall_with_too_many_digits_are_no_metrics(name: str) -> None:
    counts = ta.example("muc4").systems["GE", "SRI"]
    with pytest.raises(ta.UsageError, match="unknown metric"):
        ta.compare(counts, metrics=[name])
    assert ta.compare(counts, metrics=["f0"], intervals=False, test="shuffle").pairs

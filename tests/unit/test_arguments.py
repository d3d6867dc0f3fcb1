"""What users give: options in Python, two files, two series, and numbers, or one sentence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tellapart as ta
from table_files import Capture
from tellapart.cli import main
from tellapart.comparison.options import OPTIONS, Options

OLD, NEW = [1, 0, 1, 1, 0], [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        ({"alhpa": 0.1}, "there is no option 'alhpa' here; did you mean 'alpha'"),
        ({"metric": "f1"}, "there is no option 'metric' here; did you mean 'metrics'"),
        ({"missing": "drop"}, "missing: arrays have no such thing; give a table: {'item': "),
    ],
)
def test_an_unknown_option_is_one_sentence(options: dict[str, Any], remark: str) -> None:
    with pytest.raises(ta.UsageError, match=remark):
        ta.compare(OLD, NEW, **options)


@pytest.mark.parametrize("named", [False, True])
def test_arrays_take_what_counts_are_made_with(named: bool) -> None:
    two: dict[str, Any] = {
        "columns": ["tp", "fp"],
        "kind": "word",
        "labels": {"doc": list("aabbc")},
    }
    rows = [np.column_stack([own, OLD]) for own in (OLD, NEW)]
    data = (dict(zip("ab", rows, strict=True)),) if named else rows
    result = ta.compare(*data, cluster="doc", metrics="precision", **two)
    assert (result.items.kind, result.items.clusters) == ("word", 3)
    beside = ta.compare(pd.DataFrame({"acc": OLD}), NEW, items=list("vwxyz"))
    assert beside.scored[0].scores.counts.items == tuple("vwxyz")


def test_arrays_that_are_not_two_are_one_sentence() -> None:
    scores = np.array(OLD)
    for data in (scores, pd.Series(OLD), (scores, scores), [OLD, NEW], OLD):
        with pytest.raises(ta.UsageError, match=r"^give two arrays: ta\.compare\(a, b\), or \D+$"):
            ta.compare(data)
    with pytest.raises(ta.UsageError, match=r"more than two go in one: \{name: array"):
        ta.compare(OLD, NEW, OLD)
    with pytest.raises(AttributeError, match=r"'to_latex'; reports are str, for_paper"):
        ta.compare(OLD, NEW).to_latex()


def test_gaps_in_arrays_lead_to_a_table() -> None:
    gaps = [1, 0, float("nan"), 1, 0]
    with pytest.raises(ta.DataError, match=r"item '3'.*; to leave it out, give a table: \{'item'"):
        ta.compare(gaps, NEW)
    with pytest.raises(ta.DataError, match=r"inf is not a finite number$"):
        ta.compare([float("inf"), 0], [1, 0])
    table = {"item": [1, 2, 3, 4, 5], "a": gaps, "b": NEW}
    assert "mean, 4 items" in str(ta.compare(table, missing="drop"))


def test_systems_may_be_one_text() -> None:
    data = {"old": OLD, "new": NEW, "more, or less": OLD}
    assert [each.name for each in ta.compare(data, systems="new,old").systems] == ["new", "old"]
    chosen = ta.compare(data, systems=["more, or less", "old"])
    assert [each.name for each in chosen.systems] == ["more, or less", "old"]
    with pytest.raises(ta.UsageError, match="no system 'nwe'; did you mean 'new'"):
        ta.compare(data, systems="old,nwe")
    with pytest.raises(ta.UsageError, match="progress is a function, not 5"):
        ta.compare(data, progress=5)  # type: ignore[arg-type]


def _write(path: Path, scores: list[int]) -> str:
    rows = "".join(f"q{k},{score}\n" for k, score in enumerate(scores))
    path.write_text(f"item,score\n{rows}")
    return str(path)


def test_two_files_are_two_systems(tmp_path: Path) -> None:
    old, new = _write(tmp_path / "old.csv", OLD), _write(tmp_path / "new.csv", NEW)
    assert ta.compare(old, new) == ta.compare([old, new])
    with pytest.raises(ta.UsageError, match=r"files compare\(\[…\]\)"):
        ta.compare(old, "none.csv")
    with pytest.raises(ta.UsageError, match=r"no option 'mising'; did you mean 'missing'\?"):
        ta.read(old, mising="drop")
    with pytest.raises(ta.UsageError, match="no option 'alhpa' here; did you mean 'alpha'"):
        ta.compare([old, new], alhpa=0.1)


def test_two_series_are_matched_by_their_index() -> None:
    old = pd.Series(OLD, index=list("vwxyz"))
    turned = pd.Series(OLD[::-1], index=list("zyxwv"))
    assert ta.compare(old, turned).pair("a", "b").differing == 0
    with pytest.raises(ta.DataError, match="missing in a: "):
        ta.compare(pd.Series(OLD), pd.Series(NEW, index=range(1, 6)))


# Numbers: each has a meaning, or is refused in one sentence by its one rule


HOSTILE = (
    "nan", "inf", "-inf", "1e400", "9" * 5000, "x", "", "²", "-1", "\udcff", "1e-400", "0x10",
)  # fmt: skip
PLAN = ("plan", "--scores", "0.7", "0.75", "--items", "500")
NUMBERS = {
    ("compare", "TABLE"): [each.flag for each in OPTIONS.values() if each.number],
    PLAN: ["--alpha", "--difference", "--power", "--pairs", "--seed", "--items", "--scores"],
    ("diff", "TABLE"): ["--most"],
    ("watch", "TABLE", "--once"): ["--alpha", "--margin", "--interval", "--timeout"],
    ("score", "TABLE", "--as", "text", "--gold", "TABLE"): ["--order", "--smooth-value"],
    ("score", "TABLE", "--as", "nuggets"): ["--coref-mapping", "--coref-threshold"],
}  # fmt: skip
WHOLE = ("--pairs", "--seed", "--shuffles", "--workers")
MEANINGFUL = {("--most", "9" * 5000), ("--most", "-1"), ("--at-least", "-1")}
"""Scores may be negative, and as many items be shown as there are"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    place = tmp_path / "table.csv"
    place.write_text(
        "item,A,B\n" + "".join(f"{k},{k % 4 > 0:d},{k % 3 > 1:d}\n" for k in range(40))
    )
    return str(place)


def attempt(words: list[str], capsys: Capture) -> tuple[int, str]:
    return main(words), capsys.readouterr().err


@pytest.mark.parametrize("verb", NUMBERS, ids=lambda verb: verb[0])
def test_no_number_is_too_odd_for_one_sentence(
    verb: tuple[str, ...], table: str, capsys: Capture
) -> None:
    words = [table if word == "TABLE" else word for word in verb]
    for flag in NUMBERS[verb]:
        for value in HOSTILE:
            if (value == "1e-400" and flag not in WHOLE) or (flag, value) in MEANINGFUL:
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
        ({"sources": None}, "name at least one file"),
        ({"sources": 5}, "sources is a path, or a list of paths, not 5"),
        ({"sources": [5]}, "give two arrays"),
        ({"sources": ["a.csv", 5]}, "sources is a path, or a list of paths"),
        ({"sources": "A=a\0,b"}, "no file can have this name"),
        ({"sources": "\ud800"}, "no file can have this name"),
        ({"sources": "a.csv", "gold": 5}, "gold is a path, or a list of paths"),
        ({"sources": "a.csv", "gold": "\0"}, "no file can have this name"),
        ({"sources": "a.csv", "form": 5}, "form is a text, not 5"),
        ({"sources": "a.csv", "missing": [5]}, "missing is a text"),
    ],
)
def test_reading_refuses_other_kinds(given: dict[str, Any], sentence: str) -> None:
    """What is no path, no name and no text is one sentence, before anything is read."""
    with pytest.raises(ta.TellapartError, match=sentence):
        ta.read(**given)

"""`compare --missing bounds`: whether the answer holds whatever the missing items scored."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from table_files import Capture
from tellapart.cli import main


def _table(tmp_path: Path, first: str, second: str) -> str:
    """Write right (1), wrong (0) and missing (.) answers of two systems."""
    rows = [f"q{k},{a},{b}" for k, (a, b) in enumerate(zip(first, second, strict=True))]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["item,A,B", *rows]).replace(".", "") + "\n")
    return str(path)


def _record(capsys: Capture, *words: str) -> Any:
    assert main(["compare", *words, "--missing", "bounds", "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def _completions(first: str, second: str) -> list[tuple[float, int]]:
    """Return p and the sign of the difference of every completion."""
    found = []
    places = [(row, k) for row in (0, 1) for k, x in enumerate((first, second)[row]) if x == "."]
    for filled in itertools.product("01", repeat=len(places)):
        rows = [list(first), list(second)]
        for (row, k), value in zip(places, filled, strict=True):
            rows[row][k] = value
        won = sum(a > b for a, b in zip(*rows, strict=True))
        lost = sum(a < b for a, b in zip(*rows, strict=True))
        p = binomtest(won, won + lost).pvalue if won + lost else 1.0
        found.append((p, (won > lost) - (won < lost)))
    return found


@pytest.mark.parametrize(
    ("first", "second", "answer", "holds"),
    [
        ("1111111111111..0", "000000000001.0..", "Yes", True),
        ("11111111100...1.", "000000000010.00.", "Yes", False),
        ("1010..10", "1100110.", "Cannot tell", True),
        ("11111...", "00000000", "Cannot tell", False),
    ],
)
def test_as_by_all_completions(
    first: str, second: str, answer: str, holds: bool, tmp_path: Path, capsys: Capture
) -> None:
    record = _record(capsys, _table(tmp_path, first, second))
    found = record["answers"]["mean"]
    p_values, signs = zip(*_completions(first, second), strict=True)
    all_alike = all((p <= 0.05) == (answer == "Yes") for p in p_values)
    assert (found["answer"], all_alike) == (answer, holds)
    assert found["conditions"][-1] == ("whatever-missing" if holds else "unless-missing")
    notice = next(n for n in record["notices"] if n["code"] == "missing-bounds")
    low, high = notice["numbers"]["p"]
    assert low == pytest.approx(min(p_values))
    assert high == pytest.approx(max(p_values) if len(set(signs)) == 1 else 1.0)


@pytest.mark.parametrize(
    ("first", "second", "condition"),
    [
        ("1111111111111..0", "000000000001.0..", "whatever the 4 missing items scored"),
        ("111111...", "000000111", "unless the 3 missing items would change that"),
        ("111111111", "000000000", None),
    ],
)
def test_sentences_for_papers_have_the_condition(
    tmp_path: Path, capsys: Capture, first: str, second: str, condition: str | None
) -> None:
    path = _table(tmp_path, first, second)
    for output in ("paper", "latex", "junit"):
        assert main(["compare", path, "--missing", "bounds", "--format", output]) == 0
        said = capsys.readouterr().out.lower()
        assert ("missing" in said) == (condition is not None)
        assert condition is None or condition in said


def test_without_bounds_nothing_is_claimed(tmp_path: Path, capsys: Capture) -> None:
    path = _table(tmp_path, "5432.454", "33323112")
    record = _record(capsys, path)
    assert "whatever-missing" not in record["answers"]["mean"]["conditions"]
    assert [n["code"] for n in record["notices"]].count("no-bounds") == 1


def test_complete_files_need_no_condition(tmp_path: Path, capsys: Capture) -> None:
    record = _record(capsys, _table(tmp_path, "11111111", "00000000"))
    assert record["answers"]["mean"]["conditions"] == []
    assert all(n["code"] not in ("missing-bounds", "no-bounds") for n in record["notices"])

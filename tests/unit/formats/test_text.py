"""Texts from files, by the command line: what is read, what is said about it, what is refused."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import compared
from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.texts import read_lines

REFERENCE = "the cat sat on the mat\nit is raining in Bern today\nhe said so , twice\n"
GOOD = "the cat sat on the mat\nit is raining in Bern now\nhe said so , twice\n"
BAD = "a cat sits on a mat\nit rains at Bern today\nhe said it two times\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a reference and two systems."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref.txt", REFERENCE), ("good.txt", GOOD), ("bad.txt", BAD)):
        Path(name).write_text(text)
    return tmp_path


def scored(capsys: Capture, *arguments: str) -> dict[str, Any]:
    """Run `tellapart score --as text` and return the systems by name."""
    assert main(["score", "--as", "text", "--json", "-", *arguments]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    return {system["name"]: system for system in systems}


@pytest.mark.usefixtures("folder")
def test_options_reach_the_metrics(capsys: Capture) -> None:
    options = ["--tokenize", "none", "--lowercase", "--smooth", "add-k", "--smooth-value", "2",
               "--order", "3"]  # fmt: skip
    found = scored(capsys, "--gold", "ref.txt", *options, "bad.txt")["bad"]
    signature = found["report"]["signatures"]["bleu"]
    wanted = "nrefs:1|case:lc|eff:no|tok:none|smooth:add-k[2.00]|order:3|version:tellapart-"
    assert signature.startswith(wanted)
    assert "match_4" not in found["counts"]
    assert len(found["report"]["bleu"]["precisions"]) == 3
    assert found["report"]["bleu"]["brevity_penalty"] == pytest.approx(math.exp(-1 / 16))


@pytest.mark.usefixtures("folder")
def test_several_references_and_documents(capsys: Capture) -> None:
    found = scored(capsys, "--gold", "ref.txt", "--gold", "good.txt", "good.txt")["good"]
    assert found["scores"]["bleu"] == pytest.approx(100)
    assert found["report"]["signatures"]["bleu"].startswith("nrefs:2|")
    Path("docs.txt").write_text("one\none\ntwo\n")
    files = ["--as", "text", "--gold", "ref.txt", "good.txt", "bad.txt", "--docids", "docs.txt"]
    items = compared(capsys, *files, "--cluster", "document")["items"]
    assert (items["cluster"], items["clusters"]) == ("document", 2)


@pytest.mark.usefixtures("folder")
def test_compare_and_read_back(capsys: Capture) -> None:
    """Saved counts give the same comparison, with the metrics found from their columns."""
    metrics = [f"--metric={name}" for name in ("bleu", "nist", "chrf++", "ter")]
    files = ["--gold", "ref.txt", "good.txt", "bad.txt"]
    command = ["compare", "--as", "text", *files, *metrics, "--save-counts", "counts.csv"]
    assert main([*command, "--json", "-"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["metrics"]["ter"]["higher_is_better"] is False
    assert "smooth:exp" in first["signature"]
    assert "tok:tercom" in first["metrics"]["ter"]["signature"]
    assert main(["compare", "counts.csv", "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert list(again["metrics"]) == ["bleu", "nist", "chrf++", "ter"]
    assert [pair["p"] for pair in again["pairs"]] == [pair["p"] for pair in first["pairs"]]
    assert [s["scores"] for s in again["systems"]] == [s["scores"] for s in first["systems"]]


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    """No other character ends a line; one carriage return goes with the line feed."""
    path = tmp_path / "odd.txt.gz"
    path.write_bytes(gzip.compress("a\u2028b\x0bc\x85d\r\n\re\r\r\nlast".encode()))
    assert read_lines(path) == ["a\u2028b\x0bc\x85d", "\re\r", "last"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("metric", ["bleu", "nist", "chrf", "ter"])
def test_blank_files(capsys: Capture, metric: str) -> None:
    """A blank system scores."""
    Path("blank.txt").write_text("\n\n\n")
    arguments = ["score", "--as", "text", "--gold", "ref.txt", "blank.txt", "--metric", metric]
    assert main([*arguments, "--json", "-"]) == 0
    shown = capsys.readouterr()
    value = json.loads(shown.out)["systems"][0]["scores"][metric]
    assert value == (100 if metric == "ter" else 0)


def test_texts_without_blanks_need_another_tokenizer(tmp_path: Path, capsys: Capture) -> None:
    for name in ("ref", "out"):
        (tmp_path / name).write_text("ベルンは今日も雨が降っている。\n彼はそう言った。\n")
    files = ["--gold", str(tmp_path / "ref"), str(tmp_path / "out")]
    for tokenizer, told in (("13a", True), ("char", False)):
        assert main(["score", "--as", "text", *files, "--tokenize", tokenizer]) == 0
        assert ("use --tokenize char, zh" in capsys.readouterr().err) == told


@pytest.mark.usefixtures("folder")
def test_a_segment_without_a_document_is_named() -> None:
    Path("docs.txt").write_text("a\n\nb\n")
    with pytest.raises(DataError, match=r"docs.txt:2: no document id"):
        ta.read("good.txt", "ref.txt", form="text", docids="docs.txt")

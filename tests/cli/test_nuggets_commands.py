"""`score` and `compare --as nuggets`: options, counts, comparison file, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tellapart.cli import main


def corpus(seed: int, gold_seed: int = 0, share: float = 0.8, documents: int = 12) -> str:
    """Make a file whose mentions are partly those of the gold one, the same for a gold seed."""
    base, rng = np.random.default_rng(gold_seed), np.random.default_rng(seed)
    lines = []
    for d in range(documents):
        lines.append(f"#BeginOfDocument doc{d}")
        for i in range(8):
            begin, length = int(base.integers(0, 300)), int(base.integers(2, 13))
            kind, realis = f"T{base.integers(0, 3)}", f"R{base.integers(0, 2)}"
            if seed and rng.random() > share:
                length, kind = length + int(rng.integers(1, 4)), f"T{rng.integers(0, 3)}"
            lines.append(f"x\td\tE{i}\t{begin},{begin + length}\tw\t{kind}\t{realis}")
        lines += ["@Coreference\tC\tE0,E1,E2", "#EndOfDocument"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Write gold, two systems, and a copy of the first; give the arguments that name them."""
    texts = {"gold": corpus(0), "A": corpus(1), "B": corpus(2, share=0.4), "copy": corpus(1)}
    for name, text in texts.items():
        (tmp_path / f"{name}.tbf").write_text(text)
    systems = [str(tmp_path / f"{name}.tbf") for name in ("A", "B", "copy")]
    return ["--as", "nuggets", "--gold", str(tmp_path / "gold.tbf"), *systems]


def record(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*arguments, "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_compare_finds_what_differs(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """All four scores are compared; a copy has p = 1 exactly."""
    result = record(["compare", *files, "--correction", "none"], capsys)
    assert result["items"] == {
        "count": 12, "kind": "document", "cluster": None, "clusters": None,
        "apart": None,
    }  # fmt: skip
    metrics = ("span-f1", "type-f1", "realis-f1", "type+realis-f1")
    assert tuple(result["systems"][0]["scores"]) == metrics
    for pair in result["pairs"]:
        if (pair["a"], pair["b"]) == ("A", "copy"):
            assert pair["p"] == 1
        else:
            assert 0 < pair["p"] < 0.05
            assert pair["different"]
            assert pair["method"] in ("exact", "enumeration")


def test_compare_and_score_agree(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Also by coreference, and in every profile."""
    for options in (["--coref", "--coref-threshold", "0.5"], ["--profile", "fixed"],
                    ["--profile", "pilot"]):  # fmt: skip
        compared = record(["compare", *files, *options, "--no-intervals"], capsys)
        scored = record(["score", *files, *options], capsys)
        for one, other in zip(compared["systems"], scored["systems"], strict=True):
            assert one["scores"] == pytest.approx(other["scores"])
        report = scored["systems"][1]["report"]
        scores = scored["systems"][1]["scores"]
        if "pilot" in options:
            assert scores["span-f1"] == pytest.approx(report["micro"]["f1"])
            assert scores["type-accuracy"] == pytest.approx(report["micro"]["type_accuracy"])
        else:
            micro = report["averages"]["mention_type"]["micro"]
            assert scores["type-f1"] == pytest.approx(micro["f1"] / 100)
        if "--coref" in options:
            assert scores["bcub-f1"] == pytest.approx(report["coref"]["scores"]["bcub"]["f1"])


DOCUMENT = "#BeginOfDocument d\nx\td\tE1\t0,4\tdied, all\tLife_Die\tActual\n{}#EndOfDocument\n"


def test_comparison_file(tmp_path: Path) -> None:
    """Commas leave the texts of clusters; members that are no mentions are ignored."""
    gold, own, out = tmp_path / "gold.tbf", tmp_path / "own.tbf", tmp_path / "comparison"
    gold.write_text(DOCUMENT.format("@Coreference\tC\tE1,E9\n"))
    own.write_text(DOCUMENT.format("x\td\tE2\t6,8\tx\tA\tB\n"))
    files = ["--as", "nuggets", "--gold", str(gold), str(own)]
    assert main(["score", *files, "--coref", "--comparison", str(out)]) == 0
    fields = "E1\t0,1,2,3\tlifedie\tactual\tdied, all"
    assert out.read_text() == (
        "#BeginOfDocument d\n"
        f"own.tbf\t{fields}\t|\t{fields}\t1.00\n"
        "own.tbf\t-\t|\tE2\t6,7\ta\tb\tx\t-\n"
        "@coref\tgold\tE1:died all\n"
        "#EndOfDocument \n"
    )


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        (["--coref-mapping", "4"], "--coref-mapping: must lie between 0 and 3"),
        (["--coref", "--profile", "pilot"], "profile kbp"),
        (["--doc", "nope"], "no document 'nope'"),
        (["--tokens", "nowhere"], "no such folder"),
        (["--types", "nowhere"], "no such file"),
        (["--item", "sentence"], "the document"),
        (["--metric", "typ-f1"], "'type-f1'"),
        (["--gold", "again"], "need one file of gold"),
    ],
)
def test_bad_options(
    options: list[str], finding: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in ("score", "compare"):
        assert main([verb, *files, *options]) == 2
        error = capsys.readouterr().err
        assert finding in error
        assert error.count("\n") == 1


def test_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty system file scores zero, an empty gold file nothing; both with a warning."""
    gold, empty = tmp_path / "gold.tbf", tmp_path / "empty.tbf"
    gold.write_text(DOCUMENT.format(""))
    empty.write_text("")
    assert main(["score", "--as", "nuggets", "--gold", str(gold), str(empty)]) == 0
    assert "none of the gold documents" in capsys.readouterr().err
    assert main(["score", "--as", "nuggets", "--gold", str(empty), str(gold)]) == 0
    assert "no document" in capsys.readouterr().err
    assert main(["compare", "--as", "nuggets", "--gold", str(empty), str(gold), f"b={gold}"]) == 2
    assert "nothing to test" in capsys.readouterr().err
    assert main(["score", "--as", "nuggets", "--gold", str(gold), "nowhere.tbf"]) == 2
    assert "nowhere.tbf: there is no such file" in capsys.readouterr().err
    assert main(["score", "--as", "nuggets", "--gold", str(gold), str(gold), str(gold)]) == 2
    assert "a system called 'gold' is already there" in capsys.readouterr().err

"""Riezler and Maxwell (2005): how often tests go wrong, and what tells systems apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from pages import shows_study
from studies.__main__ import main
from studies.riezler import generated, material, parametric
from studies.riezler.null_pairs import folded_p, folded_rate
from study_runs import Run, check_verdicts, run_study
from table_files import Capture, Write

# The claims that do not simply hold, by how they begin.
OTHERWISE = {
    "The difference in NIST is significant": "not checked",
    "The bootstrap decides the same": "not checked",
    "NIST is more sensitive": "not checked",
    "A difference of .3% in BLEU": "so on these",
    "Shuffles are numbered 0 to R": "does not come out",
    "For systems that differ in redundant features": "not checked",
    "Assuming that the systems are equivalent": "not checked",
    "Type-I errors are failures": "does not come out",
    "The bootstrap is less accurate": "does not come out",
    "At the restrictive level of 0.15": "does not come out",
    "The chance of a spurious difference": "does not come out",
    "Where so strict a level": "does not come out",
}


@pytest.fixture(scope="module")
def smaller() -> Iterator[None]:
    """Make everything smaller, so that the tests are quick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generated, "SENTENCES", 400)
        patch.setattr(parametric, "SETS", 400)
        patch.setitem(material.PAIRS, "generated", 400)
        patch.setitem(material.PAIRS, "MUC-4", 1_000)
        patch.setitem(material.PAIRS, "folder", 200)
        yield


@pytest.fixture(scope="module")
def run(smaller: None, tmp_path_factory: pytest.TempPathFactory) -> Run:  # noqa: ARG001
    return run_study("riezler", tmp_path_factory.mktemp("riezler"), svg=False)


@pytest.mark.slow
def test_every_statement_has_its_verdict_and_the_page_shows_them(run: Run) -> None:
    """All statements hold, except for those known not to, or not checked without real data."""
    check_verdicts(run.record, OTHERWISE)
    assert shows_study("riezler", run.shown)  # lines of theory, the same on fewer sentences


def test_rejection_rate_of_figure_2_in_theory() -> None:
    """Normal resamples folded before they are shifted, by scipy's folded normal distribution."""

    def p_value(d: float) -> float:
        return float(stats.foldnorm.sf(stats.foldnorm.mean(d) + d, d))

    for d in (0.0, 0.5, 1.0, 2.0, 3.0):
        assert folded_p(d) == pytest.approx(p_value(d), abs=1e-9)
    for level in (0.10, 0.05, 0.015):
        least = optimize.brentq(lambda d, level=level: p_value(d) - level, 0, 8)
        assert folded_rate(level) == pytest.approx(2 * stats.norm.sf(least), abs=1e-9)
    # Under a true null at 5 % it is 11 % of the tests that reject.
    assert folded_rate(0.05) == pytest.approx(0.11, abs=0.001)


def texts(seed: int, wrong: float, segments: int = 60) -> tuple[str, str]:
    """Make a reference and an output with some wrong words."""
    generator = np.random.default_rng(0)
    words = generator.integers(0, 30, (segments, 8))
    other = np.random.default_rng(seed)
    said = np.where(other.random(words.shape) < wrong, other.integers(0, 30, words.shape), words)
    gold, own = ("".join(" ".join(f"w{w}" for w in line) + "\n" for line in each)
                 for each in (words, said))  # fmt: skip
    return gold, own


def relations(text: str) -> str:
    """Relate every word to the one before it."""
    lines = []
    for k, line in enumerate(text.splitlines()):
        words = line.split()
        pairs = [[a, b] for a, b in pairwise(words)]
        lines.append(json.dumps({"unit": str(k), "relations": pairs}))
    return "\n".join(lines) + "\n"


@pytest.mark.usefixtures("smaller")
def test_own_folder_with_relations(write: Write, tmp_path: Path, capsys: Capture) -> None:
    """Outputs of one's own are tried by NIST, BLEU and F; a few segments are remarked on."""
    (tmp_path / "set" / "relations").mkdir(parents=True)
    for k, (name, wrong) in enumerate({"A": 0.2, "B": 0.3, "C=1,2": 0.6}.items()):
        gold, own = texts(k + 1, wrong)
        write(f"set/{name}.txt", own)
        write(f"set/relations/{name}.jsonl", relations(own))
    write("set/ref.txt.gz", gold)
    write("set/relations/ref.jsonl", relations(gold))
    assert main(["riezler", "--data", "set", "--json", "found.json"]) == 0
    shown = capsys.readouterr().out
    assert "3 real systems on 60 segments" in shown
    assert "no bootstrap is at its best" in shown
    record = json.loads(Path("found.json").read_text())
    # Three pairs, which all metrics tell apart or none: neither it nor its opposite is shown.
    (nist,) = (each for each in record["statements"] if "NIST is more" in each["claim"])
    assert nist["verdict"] == "not settled"
    assert "Pairs share systems" in nist["compared"]
    rows = [(row["of"], row["metric"]) for row in record["figures"]["null_pairs"]]
    assert rows == [("set", "nist"), ("set", "bleu"), ("set", "f1"), ("MUC-4", "f1")]
    told = {each["metric"]: each for each in record["figures"]["pairs"]
            if {each["a"], each["b"]} == {"A", "C=1,2"}}  # fmt: skip
    assert set(told) == {"nist", "bleu", "f1"}
    for each in told.values():
        assert max(each["p"].values()) <= 0.05
        assert each["difference"] > 0


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"A.txt": 20, "B.txt": 20}, "no reference, ref.txt"),
        ({"ref.txt": 20, "A.txt": 20, "A.txt.gz": 20}, "outputs of A too"),
        ({"ref.txt": 20, "A.txt": 20, "B.txt": 19}, "B.txt has 19 lines"),
        ({"ref.txt": 9, "same1.txt": 9, "same2.txt": 9}, "same1, same2 say the same"),
        ({"deep/ref.txt": 9, "deep/A.txt": 9}, "name one of its folders deep"),
        ({"ref.txt": 9, "A.txt": 9, "B.txt": 9, "relations/A.jsonl": 9}, "of ref, B are not there"),
    ],
)
def test_bad_folders_are_refused(
    files: dict[str, int], words: str, write: Write, tmp_path: Path, capsys: Capture
) -> None:
    """One sentence names the folder or the file, and what is wrong."""
    for k, (name, segments) in enumerate(files.items()):
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        write(f"set/{name}", texts(k, 0.0 if name.startswith("same") else 0.3, segments)[1])
    assert main(["riezler", "--data", str(tmp_path / "set")]) == 2
    complaint = capsys.readouterr().err
    assert words in complaint
    assert "set" in complaint
    assert complaint.count("\n") == 1

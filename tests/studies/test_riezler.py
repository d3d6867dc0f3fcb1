"""Riezler and Maxwell (2005): how often tests go wrong, what tells systems apart, the reranker."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, sparse, special, stats

import studies  # noqa: F401 - it adds the tests
import tellapart as ta
from pages import shows_study
from studies.__main__ import main
from studies.riezler import generated, material, parametric
from studies.riezler.candidates import component_features, gather, phrase_features
from studies.riezler.loglinear import Choices, fit
from studies.riezler.null_pairs import folded_p, folded_rate
from studies.riezler.reranking import distinct_columns
from studies.riezler.runs import differences_needed
from studies.riezler.translate.decoder import Candidate
from study_runs import Run, check_verdicts, run_study
from table_files import Capture, Write
from tellapart.counts import Counts

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


# The bootstrap of figure 2, and the studentized one, by name


BOTH = ("bootstrap-abs", "bootstrap-t")


def scores_of(a: Any, b: Any) -> Counts:
    return Counts.from_arrays({"A": a, "B": b})


def counts_of(a: Any, b: Any) -> Counts:
    return Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"])


def p_of(counts: Counts, test: str, resamples: int = 999, seed: int = 0) -> float:
    metrics = None if counts.form == "items" else ["f1"]
    result = ta.compare(
        counts, metrics=metrics, test=test, shuffles=resamples, seed=seed, intervals=False
    )
    p = result.pair("A", "B").p
    assert p is not None
    return float(p)


def test_folding_all_resamples_of_known_cases(reference_data: Path) -> None:
    expected = json.loads((reference_data / "significance/expected.json").read_text())
    for case in expected["shift_bootstrap_enumerated"]["cases"]:
        assert p_of(scores_of(case["a"], case["b"]), "bootstrap-abs") == case["p_shift_abs"]


@pytest.mark.parametrize("test", BOTH)
def test_identical_systems_have_p_one_and_no_p_is_zero(test: str) -> None:
    rng = np.random.default_rng(1)
    for items in (1, 6, 40):
        rows = rng.integers(0, 5, (items, 3))
        assert p_of(counts_of(rows, rows), test, resamples=99) == 1
    apart = scores_of(rng.integers(5, 9, 50), rng.integers(0, 3, 50))
    assert p_of(apart, test, resamples=199) >= 1 / 200
    assert p_of(scores_of([3, 4, 5, 3], [0] * 4), test) > 0


@pytest.mark.slow
def test_true_nulls_are_rejected_as_often_as_is_known() -> None:
    """Folded before shifting, near 11 %, as if one-sided; in standard errors near 5 % (n = 100)."""
    tables, rejected = 300, dict.fromkeys(BOTH, 0)
    rng = np.random.default_rng(12)
    for seed in range(tables):
        values = {name: rng.integers(0, 100, 100) for name in "AB"}
        for test in BOTH:
            rejected[test] += p_of(Counts.from_arrays(values), test, 199, seed) <= 0.05
    for test, rate in (("bootstrap-abs", 0.11), ("bootstrap-t", 0.05)):
        sd = math.sqrt(tables * rate * (1 - rate))
        assert abs(rejected[test] - tables * rate) < 4 * sd, test


# The reranker: its model, its features, and what it chooses


Floats = NDArray[np.float64]


def made(weights: list[float], sentences: int, size: int) -> Choices:
    """Draw candidates, and the best of each sentence as often as known weights say."""
    generator = np.random.default_rng(0)
    features = generator.standard_normal((sentences * size, len(weights)))
    scores = (features @ weights).reshape(sentences, size)
    # The largest of score and Gumbel noise is a draw from the log-linear model.
    best = np.argmax(scores + generator.gumbel(size=scores.shape), axis=1)
    gold = np.eye(size)[best].ravel()
    return Choices(sparse.csc_array(features), np.arange(0, sentences * size, size), gold)


def test_smooth_problem_agrees_with_scipy() -> None:
    """Without a penalty, a loss written otherwise and another optimiser find the same weights."""
    choices = made([0.8, -0.4, 0.2], 300, 5)
    features = choices.features.toarray().reshape(300, 5, 3)
    gold = choices.best.reshape(300, 5)

    def loss(weights: Floats) -> float:
        scores = features @ weights
        return float((special.logsumexp(scores, axis=1) - (gold * scores).sum(axis=1)).sum())

    peer = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7})
    assert fit(choices, 0.0) == pytest.approx(peer.x, abs=1e-3)
    assert choices.loss(peer.x)[0] == pytest.approx(loss(peer.x))


def listed(*texts: str) -> list[Candidate]:
    """Return a list of candidates whose features are their lengths and ranks."""
    return [Candidate(tuple(text.split()), (float(len(text.split())), float(rank)), 0.0)
            for rank, text in enumerate(texts)]  # fmt: skip


def test_features_of_candidates() -> None:
    """By hand: features have mean 0 in a sentence, and in training a spread of 1."""
    lists = [listed("a b c", "a b d", "a b c"), listed("x y", "y x z")]
    found = gather(lists)
    assert found.words == [("a", "b", "c"), ("a", "b", "d"), ("x", "y"), ("y", "x", "z")]
    table = component_features(found, lists, np.array([True, False])).toarray()
    # Lengths do not vary in training; ranks 0 and 1 are half a step from their mean.
    assert table[:, 0].tolist() == [0.0, 0.0, -0.5, 0.5]
    assert table[:, 1].tolist() == [-1.0, 1.0, -1.0, 1.0]
    known, phrases = phrase_features(gather([listed("a b c", "a b d")] * 3), np.ones(3, np.bool_))
    # What both say, (a b), tells nothing; rarer phrases than in three sentences are left out.
    assert known == [("a", "b", "c"), ("a", "b", "d"), ("b", "c"), ("b", "d")]
    assert phrases.toarray()[:2].tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert distinct_columns(phrases).tolist() == [0, 1]


def test_differences_needed_by_scipy() -> None:
    """Tukey's by the studentized range, Scheffé's by the F distribution with many items."""
    for systems in (2, 3, 10, 15):
        found = differences_needed(systems)
        reach = stats.studentized_range.ppf(0.95, systems, 1e6) / math.sqrt(2)
        assert found.tukey == pytest.approx(reach, abs=2e-3)
        scheffe = math.sqrt((systems - 1) * stats.f.isf(0.05, systems - 1, 1e9))
        assert found.scheffe == pytest.approx(scheffe, abs=2e-3)
        sidak = stats.norm.isf((1 - 0.95 ** (1 / math.comb(systems, 2))) / 2)
        assert found.sidak == pytest.approx(sidak, abs=2e-3)

"""Studies on real data: figures of other programs, of the papers, and of the official reports."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import pytest

import tellapart as ta
from studies.core import Request
from studies.muc3.extract.corpus import read_examples
from studies.muc3.extract.study import OURS, TRIVIAL, compared, statements, systems, write_responses
from studies.muc4.raw_files import read_folder as read_results
from studies.muc4.runs import row_scores
from studies.rendering import render
from studies.riezler import material
from studies.riezler.material import read_folder
from studies.riezler.null_pairs import null_tests
from studies.templates.study import reproduce
from tellapart.stats.streams import open_pool

pytestmark = pytest.mark.slow


def test_extractors_are_better_than_systems_that_know_nothing(
    shared_data: Path, tmp_path: Path
) -> None:
    data = shared_data / "muc4"
    training = read_examples(sorted(data.glob("dev/key-*")), sorted(data.glob("dev/texts-*")))
    test = read_examples([data / "tst3" / "key.txt"], [data / "tst3" / "texts.txt"])
    files = write_responses(systems(training), test, tmp_path)
    old = {path.stem: path for path in (data / "tst3" / "responses").glob("*.txt")}
    result = compared(data, {**old, **files})
    for name, trivial in product(OURS, TRIVIAL):
        assert result.pair(name, trivial).different, (name, trivial)
        assert result.pair(name, trivial).difference > 0
    assert [each.verdict for each in statements(result)] == [
        "holds", "not so on other systems", "so on other systems",
    ]  # fmt: skip


def test_raw_files_of_1992_are_the_built_in_counts(shared_data: Path) -> None:
    results = read_results(str(shared_data / "muc4"))
    counts, known = results.counts, ta.example("muc4")
    assert counts.names == known.names
    assert counts.items == known.items
    assert (counts.values == known.values).all()
    assert results.test_set == "TST3"
    # The key of TST2, the test of MUC-3, as it was made over for MUC-4.
    assert results.muc3_key == (66, 106)
    # Figures of the summary that the official reports print for GE.
    assert {row: round(each["GE"].recall) for row, each in row_scores(results).items()} == {
        "matched-only": 70, "matched-missing": 58, "matched-spurious": 70, "all-templates": 58,
    }  # fmt: skip


def test_rates_of_null_pairs(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On two systems of WMT 2017, rates and scores agree with those of other programs."""
    monkeypatch.setitem(material.PAIRS, "folder", 200)
    source = shared_data / "mt" / "wmt17-ende"
    pair = ("LIUM-NMT.4900", "online-B.0")
    for name in ("ref", *pair):
        (tmp_path / f"{name}.txt.gz").symlink_to(source / f"{name}.txt.gz")
    oracle = json.loads((shared_data / "mt" / "oracle.json").read_text())["type_I_error"]
    known = oracle["rates"][" / ".join(pair)]
    names = {"shuffle": "AR", "bootstrap": "boot signed shift",
             "bootstrap-abs": "boot abs-shift (paper Fig.2, sacrebleu, Moses)"}  # fmt: skip
    with open_pool(None) as pool:
        found = {each.metric: each for each in null_tests(read_folder(str(tmp_path)), 0, pool)}
    assert set(found) == {"nist", "bleu"}
    for test, name in names.items():
        for level in (0.10, 0.05):
            rate = known[name][str(level).rstrip("0")]
            error = math.sqrt(rate * (1 - rate) * (1 / 1_000 + 1 / found["bleu"].pairs))
            assert abs(found["bleu"].rate(test, level) - rate) < 4.5 * error, (test, level)


def test_templates(shared_data: Path) -> None:
    """Every figure is that of the public scorers; p-values agree with other shuffles."""
    study = reproduce(Request(str(shared_data)))
    figures = study.figures

    known = json.loads((shared_data / "templates" / "significance.json").read_text())["metrics"]
    expected = known["ceaf-tf"]
    assert figures["templates"]["scores"] == pytest.approx(expected["scores"], abs=1e-12)
    pairs = {frozenset((e["a"], e["b"])): e["p"] for e in figures["templates"]["pairs"]}
    for pair in expected["pairs"]:
        # Both are from shuffles, ours of 9,999: within four standard errors of the difference.
        p = pair["p"]
        error = (p * (1 - p) * (1 / 9_999 + 1 / 100_000)) ** 0.5
        assert pairs[frozenset((pair["a"], pair["b"]))] == pytest.approx(p, abs=4 * error + 2e-4)
    verdicts = {each.claim: each.verdict for each in study.statements}
    assert verdicts["CEAF-TF of IterX (T5) is 53.01."] == "holds"
    assert verdicts["CEAF-REE of GRIT is 54.50."] == "holds"
    assert verdicts["CEAF-TF of SRI is 42.86."] == "does not come out"
    assert verdicts["GE is better than DyGIE++."] == "is consistent"
    assert len(figures["1992-ceaf-tf"]["scores"]) == 17
    assert max(map(len, render(study).splitlines())) <= 80

"""BLEU, NIST, chrF and TER on texts written here, with sacreBLEU as a live oracle."""

from __future__ import annotations

import os
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.errors import UsageError
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.chrf import Chrf
from tellapart.metrics.text.ngrams import Sequences, Texts
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.scoring import TextMetric, statistics
from tellapart.metrics.text.ter import Ter, count_edits

WORDS = st.lists(st.sampled_from(["a", "b", "c", "The", "cat", "(hi)", "0", "3.5"]), max_size=14)
LINE = WORDS.map(" ".join)


@st.composite
def texts(draw: st.DrawFn) -> Texts:
    """Draw two systems and one or two references of a few segments; the second may be missing."""
    n = draw(st.integers(1, 4))
    column = st.lists(LINE, min_size=n, max_size=n)
    more = st.lists(st.none() | LINE, min_size=n, max_size=n)
    references = (draw(column), draw(more)) if draw(st.booleans()) else (draw(column),)
    return Texts((draw(column), draw(column)), references)


def score(metric: TextMetric, hypothesis: str, *references: str) -> float:
    found = statistics(metric, Texts(([hypothesis],), tuple([r] for r in references)))
    return float(metric.score(found[0].sum(axis=0).astype(np.float64)))


# Worked values: hypothesis, references, BLEU, chrF, TER, NIST.
WORKED = [
    ("a x c y e z", ["a b c d e f"], 10.682175, 8.333333, 50, 1.292481),
    ("a b x c d y", ["a b p c d q"], 22.957488, 17.777778, 33.333333, 1.723308),
    ("a b c d e", ["a b c d e f g h"], 54.881164, 52.501199, 37.5, 1.182044),
    ("a b c", ["a b c"], 0, 100, 0, 1.584963),
    ("the the the the the the the", ["the cat is on the mat"], 7.80985, 14.232427, 83.333333,
     0.452846),
    ("a b c d e f g", ["a b c d e f", "a b c d e f g h"], 100, 93.258767, 14.285714, 3.900212),
    ("a a b b c d", ["a a b c d e", "a b b c d"], 90.3602, 92.447917, 18.181818, 3.187427),
    ("d e f a b c", ["a b c d e f"], 50.813275, 38.333333, 16.666667, 2.584963),
    ("", ["a b c d e"], 0, 0, 100, 0),
]  # fmt: skip


@pytest.mark.parametrize("case", WORKED, ids=lambda case: case[0] or "empty")
def test_worked_values(case: tuple[str, list[str], float, float, float, float]) -> None:
    hypothesis, references, *wanted = case
    metrics: list[TextMetric] = [Bleu("none"), Chrf(), Ter(), Nist("none")]
    for metric, figure in zip(metrics, wanted, strict=True):
        assert score(metric, hypothesis, *references) == pytest.approx(figure, abs=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [{"smooth": "ex"}, {"tokenize": "ja"}, {"order": 0}, {"smooth_value": 1.0},
     {"smooth": "floor", "smooth_value": -1.0}],
)  # fmt: skip
def test_wrong_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Bleu(**wrong)  # type: ignore[arg-type]


def test_nist_history_zero() -> None:
    """The script weighs a bigram after the word "0" as if it had no history."""
    texts = Texts((["0 a 0 b"],), (["0 a 0 b 0 a"],))
    correct, quirk = (
        float(metric.score(statistics(metric, texts)[0].sum(axis=0)))
        for metric in (Nist(), Nist(compat="mteval"))
    )
    assert quirk > correct


def test_missing_and_empty_references_differ() -> None:
    """A missing one is left out; an empty one is a reference of length 0."""
    missing = Texts((["a b"],), (["a b c"], [None]))
    empty = Texts((["a b"],), (["a b c"], [""]))
    assert statistics(Ter(), missing)[0].tolist() == [[1, 3]]
    assert statistics(Ter(), empty)[0].tolist() == [[1, 1.5]]


def test_signatures_tell_all_settings() -> None:
    """Two different settings never have the same signature."""
    bleus = [Bleu(), Bleu("none"), Bleu(lowercase=True), Bleu(smooth="floor"), Bleu(order=3),
             Bleu(smooth="floor", smooth_value=0.5), Bleu(effective_order=True)]  # fmt: skip
    nists = [Nist(), Nist("intl"), Nist(lowercase=True), Nist(compat="mteval")]
    chrfs = [Chrf(), Chrf(1), Chrf(2), Chrf(lowercase=True)]
    for family in (bleus, nists, chrfs, [Ter()]):
        signatures = {metric.signature(n) for metric in family for n in ("1", "2", "var")}
        assert len(signatures) == 3 * len(family)


PEERED: list[TextMetric] = [
    Bleu(), Bleu("none", smooth="floor"), Bleu(smooth="add-k", lowercase=True), Bleu("char"),
    Chrf(), Chrf(2), Chrf(1, lowercase=True), Ter(),
]  # fmt: skip


def peer(metric: TextMetric) -> object:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if isinstance(metric, Bleu):
        return BLEU(
            tokenize=metric.tokenize, lowercase=metric.lowercase, smooth_method=metric.smooth
        )
    if isinstance(metric, Chrf):
        return CHRF(word_order=metric.word_order, lowercase=metric.lowercase)
    return TER()


@pytest.mark.parametrize("metric", PEERED, ids=str)
def test_same_as_sacrebleu(metric: TextMetric) -> None:
    """Statistics of every segment and the corpus score, on random texts."""
    other = peer(metric)

    @given(texts())
    def check(drawn: Texts) -> None:
        rows = statistics(metric, drawn)
        for lines, mine in zip(drawn.systems, rows, strict=True):
            theirs = other._extract_corpus_statistics(lines, drawn.references)  # type: ignore[attr-defined]
            assert mine.tolist() == theirs
            whole = other.corpus_score(lines, drawn.references).score  # type: ignore[attr-defined]
            sums = mine.sum(axis=0).astype(np.float64)
            assert float(metric.score(sums)) == pytest.approx(whole, abs=1e-9)

    check()


@given(texts())
def test_paths_agree(drawn: Texts) -> None:
    """Native code and NumPy give the same bits for every metric."""
    metrics: list[TextMetric] = [Bleu(), Chrf(2), Ter()]
    if any(line for lines in drawn.references for line in lines):
        metrics.append(Nist())
    for metric in metrics:
        native = statistics(metric, drawn)
        with patch.dict(os.environ, TELLAPART_PATH="numpy"):
            assert np.array_equal(statistics(metric, drawn), native)


@given(
    st.lists(st.text("abcde", max_size=40), min_size=1, max_size=3),
    st.lists(st.text("abcde", max_size=40), min_size=1, max_size=3),
)
def test_edits_of_long_shifts(hypotheses: list[str], references: list[str]) -> None:
    """Texts of few different words have many shifts to try; both paths find the same ones."""
    n = min(len(hypotheses), len(references))
    pair = [Sequences.of_characters(each[:n]) for each in (hypotheses, references)]
    edits = count_edits(*pair)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        assert count_edits(*pair).tolist() == edits.tolist()
    longer = np.maximum(pair[0].lengths, pair[1].lengths)
    assert (edits <= longer).all()


@given(texts(), st.integers(1, 3), st.sampled_from([None, "mteval"]))
def test_nist_is_the_same_in_blocks(drawn: Texts, block: int, compat: str | None) -> None:
    metric = Nist(compat=compat)
    if not any(line and line.split() for lines in drawn.references for line in lines):
        return
    whole = statistics(metric, drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tellapart.metrics.text.ngrams.BLOCK", block)
        assert np.array_equal(statistics(metric, drawn), whole)

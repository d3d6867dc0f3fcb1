"""Measures of rankings against their definitions, and the ways to spell their names."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.errors import UsageError
from tellapart.formats.retrieval.measures import Judgements, parse_measure

levels = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)
rankings = st.permutations("abcdefghij").flatmap(
    lambda order: st.integers(1, 10).map(lambda n: list(order[:n]))
)


@given(levels, rankings, st.integers(1, 12))
def test_definitions_written_out(relevance: dict[str, int], ranking: list[str], k: int) -> None:
    """Each measure against its definition over the ranks one by one."""
    judged = Judgements.of(relevance)
    hits = [(r, relevance[d]) for r, d in enumerate(ranking, 1) if d in relevance]
    gains = [max(0, relevance.get(d, 0)) for d in ranking]
    right = [int(gain > 0) for gain in gains]
    best = sorted((max(0, n) for n in relevance.values()), reverse=True)
    n = sum(level > 0 for level in best)

    def dcg(values: list[int]) -> float:
        return sum(gain / math.log2(r + 2) for r, gain in enumerate(values))

    wanted = {
        f"p@{k}": sum(right[:k]) / k,
        f"recall@{k}": sum(right[:k]) / n if n else 0,
        f"success@{k}": float(any(right[:k])),
        "rr": next((1 / r for r, hit in enumerate(right, 1) if hit), 0),
        "rprec": sum(right[:n]) / n if n else 0,
        f"ndcg@{k}": dcg(gains[:k]) / dcg(best[:k]) if n else 0,
        f"ap@{k}": sum(h * sum(right[: r + 1]) / (r + 1) for r, h in enumerate(right[:k])) / n
        if n
        else 0,
    }
    for name, score in wanted.items():
        assert parse_measure(name).value(hits, judged) == pytest.approx(score, abs=1e-12)
    deepest = {name: parse_measure(name).value(hits, judged) for name in ("ndcg", "ap", "bpref")}
    assert deepest["ndcg"] == parse_measure("ndcg@99").value(hits, judged)
    assert all(0 <= score <= 1 + 1e-12 for score in deepest.values())


def test_names_of_measures() -> None:
    for spelling, name in (
        ("nDCG@10", "ndcg@10"), ("ndcg_cut_10", "ndcg@10"), ("ndcg_cut.10", "ndcg@10"),
        ("MAP", "ap"), ("map_cut_100", "ap@100"), ("P_5", "p@5"), ("Precision@5", "p@5"),
        ("R@100", "recall@100"), ("recip_rank", "rr"), ("MRR@10", "rr@10"), ("Rprec", "rprec"),
        ("hit_rate@3", "success@3"), ("AP(rel=2)", "ap(rel=2)"), ("P(rel=2)@5", "p(rel=2)@5"),
    ):  # fmt: skip
        assert str(parse_measure(spelling)) == name
        assert parse_measure(name) == parse_measure(spelling)
    for wrong in ("f1", "recall", "p", "ndcg@0", "bpref@5", "ndcg(rel=2)@5", "ap@", "ERR@20"):
        with pytest.raises(UsageError):
            parse_measure(wrong)

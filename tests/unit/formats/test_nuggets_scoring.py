"""Alignment, profiles and averages: by hand, and against plain loops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.nuggets import (
    ATTRIBUTE_SETS,
    Evaluation,
    averages,
    evaluate,
    pilot_averages,
    pilot_tally,
    tally,
    type_table,
)
from tellapart.formats.annotation.tbf import cut

Line = tuple[str, str, str]  # span, type, realis


def tbf(lines: list[Line], *relations: str, name: str = "d") -> str:
    mentions = [f"x\t{name}\tE{i}\t{s}\tw{i}\t{t}\t{r}" for i, (s, t, r) in enumerate(lines, 1)]
    parts = [f"#BeginOfDocument {name}", *mentions, *relations, "#EndOfDocument"]
    return "\n".join(parts) + "\n"


def scored(gold: str, system: str, options: NuggetOptions | None = None) -> Evaluation:
    return evaluate(cut(gold), cut(system), options)


def tp(scoring: Evaluation) -> list[float]:
    return [
        sum(document.mappings[each].true_positives for document in scoring.documents)
        for each in ATTRIBUTE_SETS
    ]


@pytest.fixture
def assassination(tmp_path: Path) -> str:
    """Make the token table of the paper's example."""
    words = ["He", "carried", "out", "the", "assassination"]
    rows = [f"t{i}\t{word}\t0\t0" for i, word in enumerate(words)]
    (tmp_path / "d.tab").write_text("\n".join(["token_id\ttoken_str\tb\te", *rows]) + "\n")
    return str(tmp_path)


GOLD = tbf([("t1,t2,t4", "Life_Die", "Actual")])
SYSTEM_1 = tbf([("t1", "Life_Die", "Actual"), ("t4", "Life_Die", "Actual")])
SYSTEM_2 = tbf([("t1", "Business_Merge", "Actual"), ("t4", "Life_Die", "Actual")])


@pytest.mark.parametrize(
    ("system", "accuracy", "table"),
    [(SYSTEM_1, 1.0, (0.25, 2)), (SYSTEM_2, 0.5, (0.5, 1))],
)
def test_the_papers_example(
    system: str, accuracy: float, table: tuple[float, int], assassination: str
) -> None:
    """System 1 gets full credit for its types, System 2 half."""
    pilot = scored(GOLD, system, NuggetOptions(assassination, profile="pilot"))
    assert pilot_tally(pilot.documents[0])[:2] == (0.5, 1.5)
    final, _ = pilot_averages(pilot.documents)
    assert list(final) == pytest.approx([1 / 3, 0.5, 0.4, accuracy, 1.0])
    for profile in ("fixed", "kbp"):
        other = scored(GOLD, system, NuggetOptions(assassination, profile=profile))
        assert tp(other) == [0.5] * 4
        figures = averages(tally(each, "plain") for each in other.documents).micro
        assert (figures.precision, figures.recall) == (25.0, 50.0)
    types = type_table(other.documents)["lifedie"]
    assert (types.figures(1).precision, types.n_given) == table


def test_placeholder_in_gold_agrees_with_all() -> None:
    gold = tbf([("0,4", "not annotated", "R"), ("6,9", "A", "R")])
    system = tbf([("0,4", "B", "R"), ("6,9", "NOT_ANNOTATED", "R")])
    assert tp(scored(gold, system)) == [2, 1, 2, 1]
    assert tp(scored(gold, system, NuggetOptions(profile="fixed"))) == [2, 0, 2, 0]


@dataclass(frozen=True)
class Plain:
    """A mention as the specification has it: a list of offsets."""

    offsets: tuple[int, ...]
    type: str
    realis: str


def overlapping(gold: list[Plain], system: list[Plain]) -> list[tuple[float, int, int]]:
    """Give all pairs in the order of visits: minus Dice, system position, gold position."""
    pairs = []
    for s, own in enumerate(system):
        for g, right in enumerate(gold):
            shared = len(set(own.offsets) & set(right.offsets))
            total = len(own.offsets) + len(right.offsets)
            if shared:
                pairs.append((-2 * shared / total, s, g))
    return sorted(pairs)


def agree(right: Plain, own: Plain, attributes: str) -> bool:
    return all(
        getattr(own, name) == getattr(right, name)
        for name, key in (("type", "mention_type"), ("realis", "realis_status"))
        if key in attributes
    )


def algorithm_4(gold: list[Plain], system: list[Plain], attributes: str) -> float:
    """Map many to one, then give each gold mention its best member that agrees."""
    used: set[int] = set()
    mapped: dict[int, list[tuple[int, float]]] = {}
    for dice, s, g in overlapping(gold, system):
        if s not in used:
            used.add(s)
            mapped.setdefault(g, []).append((s, -dice))
    return sum(
        next((dice for s, dice in members if agree(gold[g], system[s], attributes)), 0.0)
        for g, members in mapped.items()
    )


def greedy(gold: list[Plain], system: list[Plain], attributes: str) -> float:
    """Do what the specification says in the plainest way: all pairs, sorted, one by one."""
    used_s: set[int] = set()
    used_g: set[int] = set()
    total = 0.0
    for dice, s, g in overlapping(gold, system):
        free = s not in used_s and g not in used_g
        if free and agree(gold[g], system[s], attributes):
            used_s.add(s)
            used_g.add(g)
            total -= dice
    return total


pieces = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), min_size=1, max_size=3)
mentions = st.lists(st.tuples(pieces, st.sampled_from("AB"), st.sampled_from("RS")), max_size=7)


Drawn = list[tuple[list[tuple[int, int]], str, str]]


def lines_of(drawn: Drawn) -> list[Line]:
    return [(";".join(f"{b},{b + n}" for b, n in parts), t, r) for parts, t, r in drawn]


def plain(drawn: Drawn) -> list[Plain]:
    return [
        Plain(tuple(at for b, n in parts for at in range(b, b + n)), t, r) for parts, t, r in drawn
    ]


@given(mentions, mentions)
def test_characters_agree_with_plain_loops(gold: Drawn, system: Drawn) -> None:
    for profile, oracle in (("kbp", greedy), ("fixed", algorithm_4)):
        options = NuggetOptions(profile=profile)
        scoring = scored(tbf(lines_of(gold)), tbf(lines_of(system)), options)
        expected = [oracle(plain(gold), plain(system), each) for each in ATTRIBUTE_SETS]
        assert tp(scoring) == pytest.approx(expected, abs=1e-12)


def brute_force_sum(gold: list[Line], system: list[Line]) -> float:
    """Return the largest sum of Dice over all one-to-one mappings of spans, tried one by one."""

    def dice(own: Line, right: Line) -> float:
        (a, b), (c, d) = (map(int, each[0].split(",")) for each in (own, right))
        return 2 * max(0, min(b, d) - max(a, c)) / (b - a + d - c)

    if len(gold) > len(system):
        gold, system = system, gold
    return max(
        sum(dice(own, right) for own, right in zip(chosen, gold, strict=True))
        for chosen in permutations(system, len(gold))
    )


SPANS = st.tuples(st.integers(0, 6), st.integers(1, 6)).map(lambda s: f"{s[0]},{s[0] + s[1]}")
MENTIONS = st.lists(
    st.tuples(SPANS, st.sampled_from(["Life_Die", "Conflict_Attack"]), st.just("Actual")),
    max_size=4,
)


@given(MENTIONS, MENTIONS)
def test_the_best_mapping_has_the_largest_sum(gold: list[Line], system: list[Line]) -> None:
    best = scored(tbf(gold), tbf(system), NuggetOptions(mapping="best"))
    greedy = scored(tbf(gold), tbf(system))
    assert tp(best)[0] == pytest.approx(brute_force_sum(gold, system))
    assert all(b >= g - 1e-12 for b, g in zip(tp(best), tp(greedy), strict=True))
    for document in best.documents:
        for mapping in document.mappings.values():
            links = mapping.links()
            assert len({g for g, _, _ in links}) == len({s for _, s, _ in links}) == len(links)

"""Phenomena: selections of slots, and whether systems do differently on them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import attack, write
from table_files import Capture
from tellapart.cli import main
from tellapart.comparison.options import Options
from tellapart.comparison.selections import compare_selections, contrast_overall
from tellapart.counts.selections import SelectedSlots


@pytest.fixture
def analysis(tmp_path: Path) -> list[str]:
    """Two systems on eight messages: A finds the locations, B finds the people."""
    # The shared target lets A's templates be paired.
    key = [attack(f"M{i}", inc_loc="PERU", hum_tgt_desc='"X"', phys_tgt_id='? "Z"')
           for i in range(8)]  # fmt: skip
    a = [attack(f"M{i}", inc_loc="PERU", hum_tgt_desc='"Y"', phys_tgt_id='"Z"') for i in range(8)]
    b = [attack(f"M{i}", hum_tgt_desc='"X"') for i in range(8)]
    only = write(tmp_path, "only.tsv", "*\t*\thum-tgt-desc\tpeople\n*\t*\tinc-loc\tplaces\n")
    paths = [write(tmp_path, name, *each) for name, each in
             (("key.txt", key), ("A.txt", a), ("B.txt", b))]  # fmt: skip
    return ["--as", "muc", "--gold", *paths, "--only", only]


def recorded(capsys: Capture, *command: str) -> dict[str, Any]:
    """Return what a command that succeeds writes as JSON."""
    assert main([*command, "--json", "-"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_selections_side_by_side(analysis: list[str], capsys: Capture) -> None:
    record = recorded(capsys, "compare", *analysis, "--by", "selection")
    found = {(s["selection"], s["system"]): s for s in record["selections"]}
    assert found["people", "B"]["figures"]["product"] == 1.0
    assert found["people", "A"]["figures"]["product"] == 0.0
    assert found["places", "A"]["figures"]["recall"] == 1.0
    assert found["places", "B"]["figures"] == {
        "slots": 8, "recall": 0.0, "precision": 0.0, "product": 0.0, "f1": 0.0,
    }  # fmt: skip
    # B is right on its 16 other fills and wrong on the 8 places: of the 3^8 arrangements only the
    # observed one is as extreme.
    assert found["places", "B"]["p"]["recall"] == pytest.approx(1 / 3**8)
    assert found["places", "B"]["smallest_p"]["recall"] == pytest.approx(1 / 3**8)
    assert 1 < found["places", "B"]["p_adjusted"]["recall"] * 3**8 <= 4


def test_the_table_and_the_figure_of_a_contrast(
    analysis: list[str], tmp_path: Path, capsys: Capture
) -> None:
    """As figures 14 and 15 of 1993: the product for both selections, system by system."""
    options = ["--by", "selection", "--contrast", "people,places"]
    assert main(["compare", *analysis, *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    people = next(line.split() for line in lines if line.startswith("  people "))
    assert (people[1], *people[-2:]) == ("A", "-10000", ".0156")
    assert lines[-1].endswith("(p = 1).")
    page = tmp_path / "page.html"
    options = ["--by", "selection", "--html", str(page), "--pdf", str(tmp_path / "f")]
    options += ["--svg", str(tmp_path / "g")]
    assert main(["compare", *analysis, *options]) == 0
    assert all(each in page.read_text() for each in ("<td>10000</td>", "<svg", "can be below"))
    assert (tmp_path / "f" / "selections.pdf").read_bytes().startswith(b"%PDF")
    svg = (tmp_path / "g" / "selections.svg").read_text()
    assert "A, people: 0; B, people: 10000" in svg
    assert svg.count('class="mark"') == 4


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)),
                min_size=2, max_size=9))  # fmt: skip
def test_the_overall_test_agrees_with_trying_everything(
    slots: list[tuple[bool, int, int, int]],
) -> None:
    """Two systems, of which every slot has 0, 1 or 2 halves right of 2; the mean of recalls."""
    chosen = [inside for inside, _, _, _ in slots]
    if not any(chosen) or all(chosen):
        return
    messages = tuple(f"M{message}" for _, message, _, _ in slots)
    systems = [
        SelectedSlots("a", f"S{k}", np.array([[slot[2 + k], 2, 2] for slot in slots]),
                      np.array(chosen), messages, tuple(map(str, range(len(slots)))), "b")
        for k in (0, 1)
    ]  # fmt: skip
    found = contrast_overall(systems, Options())
    assert found is not None
    # The possible is the same for all slots, so the mean of recalls is that of the sums.
    sums = [(first + second) / 4 for _, _, first, second in slots]
    assert found.p["recall"] == pytest.approx(brute_force(sums, chosen, messages))


def brute_force(values: list[float], chosen: list[bool], messages: Sequence[str]) -> float:
    """Try all ways to choose slots in mixed messages, and messages of one kind."""
    kinds = {m: {c for c, of in zip(chosen, messages, strict=True) if of == m} for m in messages}
    units: dict[tuple[str, int], list[int]] = {}
    for i, message in enumerate(messages):
        units.setdefault((message, i if len(kinds[message]) == 2 else -1), []).append(i)
    strata: dict[str, list[list[int]]] = {}
    for (message, _), slots in units.items():
        strata.setdefault(message if len(kinds[message]) == 2 else "", []).append(slots)
    ways = [
        list(itertools.combinations(own, sum(chosen[slots[0]] for slots in own)))
        for own in strata.values()
    ]
    sizes = [
        standardized(values, messages, {i for part in each for slots in part for i in slots})
        for each in itertools.product(*ways)
    ]
    observed = standardized(values, messages, {i for i, inside in enumerate(chosen) if inside})
    return sum(size >= observed * (1 - 1e-9) - 1e-9 for size in sizes) / len(sizes)


def standardized(values: list[float], messages: Sequence[str], part: set[int]) -> float:
    """Return the size of the difference of two means in standard errors by message."""
    rest = set(range(len(values))) - part
    means = [sum(values[i] for i in side) / len(side) for side in (part, rest)]
    shares = dict.fromkeys(messages, 0.0)
    for i, value in enumerate(values):
        side, mean, sign = (part, means[0], 1) if i in part else (rest, means[1], -1)
        shares[messages[i]] += sign * (value - mean) / len(side)
    error = math.sqrt(sum(share**2 for share in shares.values()))
    return abs(means[0] - means[1]) / max(error, 1e-9)


@pytest.mark.parametrize("same", [True, False])
def test_messages_with_the_same_text_are_told_of(
    tmp_path: Path, same: bool, capsys: Capture
) -> None:
    """They are not independent, and a label keeps them together."""
    key = [attack(f"M{i}", inc_loc="PERU") for i in range(6)]
    files = [write(tmp_path, name, *own) for name, own in
             (("key.txt", key), ("A.txt", key), ("B.txt", key[:3]))]  # fmt: skip
    said = ["THREE MEN DIED." if same and i > 2 else f"{i} MEN DIED." for i in range(6)]
    texts = write(tmp_path, "texts.txt", *(f"M{i}\n\n{text}\n\n" for i, text in enumerate(said)))
    options = ["--as", "muc", "--gold", *files, "--texts", texts]
    assert main(["compare", *options]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    told = "2 messages with the same text as another one"
    assert (told in shown) is same
    if same:
        record = recorded(capsys, "compare", *options, "--cluster", "text")
        assert record["items"]["clusters"] == 4


# The level and the power of their test, by simulation


MESSAGES = 40


def drawn_slots(rng: np.random.Generator, mixed: float, loss: float) -> SelectedSlots:
    """Draw slots of messages that are easier or harder; some messages have slots of both kinds.

    `mixed` is the share of such messages, `loss` how much harder selected slots are.
    """
    message = np.repeat(np.arange(MESSAGES), rng.integers(1, 5, MESSAGES))
    kind = rng.random(MESSAGES)[message]
    own = rng.random(len(message))
    selected = np.where((rng.random(MESSAGES) < mixed)[message], own, kind) < 0.5
    right = rng.random(len(message)) < rng.beta(2, 2, MESSAGES)[message] - loss * selected
    values = np.stack([2 * right, *np.full((2, len(message)), 2)], axis=1).astype(np.int64)
    return SelectedSlots("harder", "GE", values, selected, tuple(map(str, message)))


@pytest.mark.parametrize("mixed", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("times", "least", "most"),
    # So many of 250 are within 3.3 standard errors of .05; of 2,000, what is promised.
    [(250, 0.005, 0.095), pytest.param(2000, 0.02, 0.07, marks=pytest.mark.slow)],
)
def test_level_and_power(mixed: float, times: int, least: float, most: float) -> None:
    """At .05, with and without mixed messages; the effect is that of figure 14 (1993)."""

    def rejected(loss: float, times: int) -> float:
        hits = 0
        for k in range(times):
            slots = drawn_slots(np.random.default_rng([7, k]), mixed, loss)
            (found,) = compare_selections([slots], Options(shuffles=99, seed=k))
            hits += (found.p["f1"] or 0.0) <= 0.05
        return hits / times

    assert least <= rejected(0.0, times) <= most
    assert rejected(0.35, times // 8) > 0.5

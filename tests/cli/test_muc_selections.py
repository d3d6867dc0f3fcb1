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

from muc_files import DESIGN, attack, score, write
from tellapart.cli import main
from tellapart.comparison.options import Options
from tellapart.comparison.selections import contrast_overall
from tellapart.counts.selections import SelectedSlots
from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.selections import Rule, chooser, read_selections, selected
from tellapart.formats.templates.totals import add_up

KEY = {"M1": [Template("M1", "1", False, (), 1)]}


def test_selections_are_read_by_name(tmp_path: Path) -> None:
    path = write(
        tmp_path, "only.tsv",
        "# apposition\nM1\t1\thum-tgt-name\tsimple\nM1\t*\t*\tcomplex # all\n\n*\t*\tinc-loc\n",
    )  # fmt: skip
    problems = Findings()
    found = read_selections(path, DESIGN, KEY, problems)
    assert not problems.found
    assert found == {
        "simple": [Rule("M1", "1", "hum-tgt-name")],
        "complex": [Rule("M1", "*", "*")],
        "selection": [Rule("*", "*", "inc-loc")],
    }


def test_bad_lines_are_all_found(tmp_path: Path) -> None:
    path = write(
        tmp_path, "only.tsv", "M1 1 inc-loc\nM9\t1\tinc-loc\nM1\t1\tname\nM1\t2\t*\n*\t3\t*\n"
    )
    problems = Findings()
    read_selections(path, DESIGN, KEY, problems)
    places = [each.text.partition(": ")[0] for each in problems.found if each.fatal]
    assert places == [f"{path}:{line}" for line in range(1, 6)]
    for other in (write(tmp_path, "none.tsv", "#\n"), "missing.tsv"):
        with pytest.raises(DataError):
            read_selections(other, DESIGN, KEY, Findings(strict=True))


def test_only_chosen_slots_count(tmp_path: Path) -> None:
    templates = [attack(hum_tgt_desc='"A"', inc_loc="PERU"), attack("M2", hum_tgt_desc='"A"')]
    run = score(tmp_path, templates, templates)
    kept = selected(run, chooser([Rule("M1", "1", "hum-tgt-desc")]))
    assert add_up(run.design, kept.pairs).summary["all-templates"].cor == 1
    assert [pair.message for pair in kept.pairs] == ["M1"]
    everything = selected(run, chooser([Rule("*", "*", "*")]))
    assert everything.pairs == run.pairs


@pytest.fixture
def analysis(tmp_path: Path) -> list[str]:
    """Two systems on eight messages: A finds the locations, B finds the people."""
    key = [attack(f"M{i}", hum_tgt_desc='"X"', inc_loc="PERU") for i in range(8)]
    a = [attack(f"M{i}", inc_loc="PERU", hum_tgt_desc='"Y"', phys_tgt_id='"Z"') for i in range(8)]
    b = [attack(f"M{i}", hum_tgt_desc='"X"') for i in range(8)]
    # The shared target lets A's templates be paired.
    key = [text.replace("12. PHYS TGT: ID                   -",
                        '12. PHYS TGT: ID                   ? "Z"') for text in key]  # fmt: skip
    only = write(tmp_path, "only.tsv", "*\t*\thum-tgt-desc\tpeople\n*\t*\tinc-loc\tplaces\n")
    paths = [write(tmp_path, name, *each) for name, each in
             (("key.txt", key), ("A.txt", a), ("B.txt", b))]  # fmt: skip
    return ["--as", "muc", "--gold", *paths, "--only", only]


def test_selections_side_by_side(analysis: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *analysis, "--by", "selection", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
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


def test_a_selection_of_whole_messages_is_tested_by_message(
    analysis: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """B has all people right in two of eight messages only: 1 of the 28 ways to choose two."""
    b = Path(analysis[5])
    head, _, tail = b.read_text().partition("M2")
    b.write_text(head + "M2" + tail.replace('"X"', '"Q"'))
    only = write(tmp_path, "messages.tsv", "M0\t*\t*\nM1\t*\t*\n")
    assert main(["compare", *analysis[:-1], only, "--by", "selection", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = next(s for s in record["selections"] if s["system"] == "B")
    assert found["figures"]["precision"] > found["rest"]["precision"]
    assert found["p"]["precision"] == pytest.approx(1 / 28)


def contrasted(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    options = ["--by", "selection", "--contrast", "people,places", "--json", "-"]
    assert main(["compare", *arguments, *options]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_one_selection_against_another(
    analysis: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """B has every person and no place: of the 2^8 ways to exchange them, two are as extreme."""
    record = contrasted(analysis, capsys)
    found = {each["system"]: each for each in record["selections"]}
    assert [(each["selection"], each["against"]) for each in found.values()] == [
        ("people", "places"), ("people", "places"),
    ]  # fmt: skip
    assert (found["B"]["figures"]["slots"], found["B"]["rest"]["slots"]) == (8, 8)
    assert found["B"]["p"]["recall"] == found["A"]["p"]["recall"] == 2 / 2**8
    assert found["B"]["p_adjusted"]["recall"] == 4 / 2**8
    overall = record["overall"]
    # What A loses, B wins: the mean of the two is the same on both.
    assert overall["mean"] == overall["mean_against"] == 0.5
    assert (overall["higher"], overall["lower"]) == (1, 1)
    assert overall["p"] == {"recall": 1, "precision": 1, "product": 1, "f1": 1}


def test_the_table_and_the_figure_of_a_contrast(
    analysis: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As figures 14 and 15 of 1993: the product for both selections, system by system."""
    options = ["--by", "selection", "--contrast", "people,places", "--svg", str(tmp_path / "f")]
    assert main(["compare", *analysis, *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    people = next(line.split() for line in lines if line.startswith("  people "))
    assert (people[1], *people[-2:]) == ("A", "-10000", ".0156")
    assert lines[-2:] == [
        "Over all systems: 1 of 2 systems score higher on people, 1 on places; the mean",
        "of R x P is 0 higher on people (p = 1).",
    ]
    page = tmp_path / "page.html"
    options = ["--by", "selection", "--html", str(page), "--pdf", str(tmp_path / "f")]
    assert main(["compare", *analysis, *options]) == 0
    assert all(each in page.read_text() for each in ("<td>10000</td>", "<svg", "cannot be below"))
    assert (tmp_path / "f" / "selections.pdf").read_bytes().startswith(b"%PDF")
    svg = (tmp_path / "f" / "selections.svg").read_text()
    assert "A, people: 0; B, people: 10000" in svg
    assert svg.count('class="mark"') == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "selection", "--contrast", "people"], "names two selections"),
        (["--by", "selection", "--contrast", "people,people"], "names two selections"),
        (["--by", "selection", "--contrast", "people,place"], "there is no selection 'place'"),
        (["--contrast", "people,places"], "add --by selection"),
        (["--by", "selection", "--junit", "x.xml"], "drop --junit"),
    ],
)
def test_what_is_no_contrast(
    analysis: list[str], options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *analysis, *options]) == 2
    assert said in capsys.readouterr().err
    assert main(["compare", *analysis[:-2], "--by", "selection"]) == 2
    assert "give --only" in capsys.readouterr().err


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


def test_compare_and_score_work_on_a_selection(
    analysis: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *analysis, "--json", "-", "--metric", "recall"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [s["scores"]["recall"] for s in record["systems"]] == [0.5, 0.5]
    assert main(["score", *analysis, "--json", "-"]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert [s["counts"]["pos"] for s in systems] == [16, 16]


@pytest.mark.parametrize("same", [True, False])
def test_messages_with_the_same_text_are_told_of(
    tmp_path: Path, same: bool, capsys: pytest.CaptureFixture[str]
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
    told = "2 messages with the text of another one, which is not independent"
    assert (told in shown) is same
    if same:
        assert main(["compare", *options, "--cluster", "text", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["items"]["clusters"] == 4

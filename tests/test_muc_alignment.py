"""Which templates are paired, and what status that gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from muc_files import attack, counted, score, template
from tellapart.formats.templates.history import History, Pairs
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.totals import add_up


def pairs(run: Run) -> list[tuple[str | None, str | None, str]]:
    return [(pair.key, pair.response, pair.status) for pair in run.pairs]


def test_the_best_agreement_is_paired_first(tmp_path: Path) -> None:
    key = [attack(hum_tgt_name='"A"'), attack(number="2", hum_tgt_name='"B"', inc_loc="PERU")]
    response = [
        attack(hum_tgt_name='"B"', inc_loc="PERU"),
        attack(number="2", hum_tgt_name='"A"'),
    ]
    assert pairs(score(tmp_path, key, response)) == [("1", "2", "matched"), ("2", "1", "matched")]


def test_ties_go_to_the_first_key_and_response(tmp_path: Path) -> None:
    same = {"hum_tgt_name": '"A"'}
    key = [attack(number=n, **same) for n in ("2", "10")]
    response = [attack(number=n, **same) for n in ("4", "3")]
    assert pairs(score(tmp_path, key, response)) == [("10", "3", "matched"), ("2", "4", "matched")]


def test_templates_without_common_content_are_not_paired(tmp_path: Path) -> None:
    key, response = [attack(hum_tgt_name='"A"')], [attack(hum_tgt_name='"B"')]
    assert pairs(score(tmp_path, key, response)) == [
        ("1", None, "missing"),
        (None, "1", "spurious"),
    ]


def test_a_common_word_is_enough(tmp_path: Path) -> None:
    key = [attack(hum_tgt_name='"OSCAR ROMERO"')]
    response = [attack(hum_tgt_name='"BISHOP ROMERO"')]
    assert pairs(score(tmp_path, key, response)) == [("1", "1", "matched")]


def test_a_response_may_be_broader_than_the_key_but_not_narrower(tmp_path: Path) -> None:
    bombing = template(fills={"inc-type": "BOMBING"})
    assert pairs(score(tmp_path, [bombing], [attack()])) == [("1", "1", "matched")]
    assert pairs(score(tmp_path, [attack()], [bombing]))[0] == ("1", None, "missing")


def test_irrelevant_messages(tmp_path: Path) -> None:
    star = template(number="*")
    assert pairs(score(tmp_path, [star], [star])) == [("*", "*", "irrelevant")]
    run = score(tmp_path, [star], [attack(), attack(number="2")])
    assert pairs(run) == [("*", "1", "spurious"), (None, "2", "spurious")]
    run = score(tmp_path, [star], [star, attack()])
    assert pairs(run) == [("*", "*", "irrelevant"), (None, "1", "spurious")]
    assert add_up(run.design, run.pairs).template.non == 1


def test_a_message_without_a_response(tmp_path: Path) -> None:
    key = [attack(), template("M2", "*"), attack("M3", hum_tgt_name='"A"')]
    run = score(tmp_path, key, [attack()])
    assert pairs(run) == [
        ("1", "1", "matched"), ("*", None, "irrelevant"), ("1", None, "missing"),
    ]  # fmt: skip


def test_an_optional_template_left_out_counts_nowhere(tmp_path: Path) -> None:
    key = [attack(), attack(number="2 (OPTIONAL)", hum_tgt_name='"B"')]
    run = score(tmp_path, key, [attack()])
    assert pairs(run)[1] == ("2", None, "optional")
    assert counted(add_up(run.design, run.pairs).template) == {"pos": 1, "act": 1, "cor": 1}


def test_a_message_that_is_wholly_optional_is_irrelevant(tmp_path: Path) -> None:
    key = [attack(number="1 (OPTIONAL)"), attack(number="2 (OPTIONAL)", hum_tgt_name='"B"')]
    run = score(tmp_path, [*key, attack("M2")], [template(number="*"), attack("M2")])
    assert pairs(run) == [
        ("1", "*", "irrelevant"), ("2", None, "optional"), ("1", "1", "matched"),
    ]  # fmt: skip


def test_an_optional_response_to_an_irrelevant_message_costs_nothing(tmp_path: Path) -> None:
    key = [template(number="*"), attack("M2")]
    optional = [attack(number="1 (OPTIONAL)"), attack("M2")]
    assert pairs(score(tmp_path, key, optional))[0] == ("*", "1", "irrelevant")
    run = score(tmp_path, key, [*optional, attack(number="2")])
    assert pairs(run)[:2] == [("*", "1", "optional"), (None, "2", "spurious")]


def test_an_optional_template_paired_with_nothing_found_shows_zeros(tmp_path: Path) -> None:
    key = [attack(number="1 (OPTIONAL)"), attack(number="2", hum_tgt_name='"B"')]
    run = score(tmp_path, key, [template(number="*")])
    assert pairs(run) == [("1", "*", "optional"), ("2", None, "missing")]
    assert set(run.pairs[0].slots) == {(0,) * 11}


def test_a_pairing_by_hand_goes_before_the_automatic_one(tmp_path: Path) -> None:
    """Templates that the pairing does not name stay alone."""
    key = [attack(hum_tgt_name='"A"'), attack(number="2", hum_tgt_name='"A"')]
    response = [attack(hum_tgt_name='"A"')]
    for_all = History(pairings={"M1": {None: (("2", "1"),)}})
    assert pairs(score(tmp_path, key, response, for_all)) == [
        ("1", None, "missing"), ("2", "1", "matched"),
    ]  # fmt: skip
    for_another = History(pairings={"M1": {"UMASS": (("2", "1"),)}})
    assert pairs(score(tmp_path, key, response, for_another))[0] == ("1", "1", "matched")


@pytest.mark.parametrize("by_hand", [(("1", "7"),), (("1", "1"), ("2", "1"))])
def test_a_pairing_of_templates_that_are_not_there_is_ignored(
    tmp_path: Path, by_hand: Pairs
) -> None:
    """Of templates that are named twice, too."""
    history = History(pairings={"M1": {"GE": by_hand}})
    key = [attack(), attack(number="2", hum_tgt_name='"B"')]
    assert pairs(score(tmp_path, key, [attack()], history)) == [
        ("1", "1", "matched"), ("2", None, "missing"),
    ]  # fmt: skip

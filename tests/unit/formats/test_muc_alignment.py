"""Which templates are paired, and what status that gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from muc_files import attack, score, template
from tellapart.formats.templates.history import History, Pairing, Pairs
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


def test_templates_without_common_content_are_not_paired(tmp_path: Path) -> None:
    key, response = [attack(hum_tgt_name='"A"')], [attack(hum_tgt_name='"B"')]
    assert pairs(score(tmp_path, key, response)) == [
        ("1", None, "missing"),
        (None, "1", "spurious"),
    ]


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


def test_a_message_that_is_wholly_optional_is_irrelevant(tmp_path: Path) -> None:
    key = [attack(number="1 (OPTIONAL)"), attack(number="2 (OPTIONAL)", hum_tgt_name='"B"')]
    run = score(tmp_path, [*key, attack("M2")], [template(number="*"), attack("M2")])
    assert pairs(run) == [
        ("1", "*", "irrelevant"), ("2", None, "optional"), ("1", "1", "matched"),
    ]  # fmt: skip


def test_a_pairing_by_hand_goes_before_the_automatic_one(tmp_path: Path) -> None:
    """Templates that the pairing does not name stay alone."""
    key = [attack(hum_tgt_name='"A"'), attack(number="2", hum_tgt_name='"A"')]
    response = [attack(hum_tgt_name='"A"')]
    for_all = History(pairings={Pairing("M1", None): (("2", "1"),)})
    assert pairs(score(tmp_path, key, response, for_all)) == [
        ("1", None, "missing"), ("2", "1", "matched"),
    ]  # fmt: skip
    for_another = History(pairings={Pairing("M1", "UMASS"): (("2", "1"),)})
    assert pairs(score(tmp_path, key, response, for_another))[0] == ("1", "1", "matched")


@pytest.mark.parametrize("by_hand", [(("1", "7"),), (("1", "1"), ("2", "1"))])
def test_a_pairing_of_templates_that_are_not_there_is_ignored(
    tmp_path: Path, by_hand: Pairs
) -> None:
    """Of templates that are named twice, too."""
    history = History(pairings={Pairing("M1", "GE"): by_hand})
    key = [attack(), attack(number="2", hum_tgt_name='"B"')]
    assert pairs(score(tmp_path, key, [attack()], history)) == [
        ("1", "1", "matched"), ("2", None, "missing"),
    ]  # fmt: skip

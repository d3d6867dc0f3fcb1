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


A, B, AT_HOME = {"hum_tgt_name": '"A"'}, {"hum_tgt_name": '"B"'}, {"inc_loc": "PERU"}
BOMBING, STAR = template(fills={"inc-type": "BOMBING"}), template(number="*")
ALONE = [("1", None, "missing"), (None, "1", "spurious")]
PAIRED = {
    "the best agreement first": (
        [attack(**A), attack(number="2", **B, **AT_HOME)],
        [attack(**B, **AT_HOME), attack(number="2", **A)],
        [("1", "2", "matched"), ("2", "1", "matched")],
    ),
    "nothing in common": ([attack(**A)], [attack(**B)], ALONE),
    "the response broader than the key": ([BOMBING], [attack()], [("1", "1", "matched")]),
    "the response narrower": ([attack()], [BOMBING], ALONE),
    "irrelevant": ([STAR], [STAR], [("*", "*", "irrelevant")]),
    "irrelevant by the key": (
        [STAR], [attack(), attack(number="2")], [("*", "1", "spurious"), (None, "2", "spurious")],
    ),
    "irrelevant by both, and more": (
        [STAR], [STAR, attack()], [("*", "*", "irrelevant"), (None, "1", "spurious")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("key", "response", "expected"), PAIRED.values(), ids=PAIRED)
def test_what_is_paired(
    tmp_path: Path, key: list[str], response: list[str], expected: list[tuple[str, str, str]]
) -> None:
    run = score(tmp_path, key, response)
    assert pairs(run) == expected
    assert add_up(run.design, run.pairs).template.non == ("irrelevant" in str(expected))


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

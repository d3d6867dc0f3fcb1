"""Scoring of templates: which are paired, the counts of slots, decisions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN, attack, counted, score, slot, template
from tellapart.formats.templates.history import Entry, History, Pairing, Pairs, Status
from tellapart.formats.templates.muc_fills import parse_fill
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.totals import add_up

Given = str | Sequence[str]


def known(*decisions: tuple[str, str, Status, *tuple[str, ...]]) -> History:
    """Make a history for message M1, key 1: slot, response, status, key fills."""
    history = History()
    for name, response, status, *keys in decisions:
        kind = DESIGN.scored[DESIGN.position[name]].kind
        values = [parse_fill(text, kind, DESIGN) for text in (response, *keys)]
        history.record(("M1", "1", name), Entry(values[0], status, tuple(values[1:])))
    return history


def one(
    folder: Path, name: str, key: Given, response: Given, history: History | None = None
) -> dict[str, int]:
    """Score one slot of a pair of templates that agree elsewhere."""
    ours, theirs = (
        template(fills={"inc-type": "ATTACK", "phys-tgt-id": '"BRIDGE"', name: each})
        for each in (key, response)
    )
    run = score(folder, [ours], [theirs], history)
    assert run.pairs[0].status == "matched"
    return counted(slot(run, name))


COR, PAR, INC = ({"pos": 1, "act": 1, name: 1} for name in ("cor", "par", "inc"))
NON = {"non": 1}


@pytest.mark.parametrize(
    ("name", "key", "response", "counts"),
    [
        ("inc-date", "16 NOV 89", "16 NOV 89", COR),
        ("inc-date", "16 NOV 89", "-", {"pos": 1, "mis": 1}),
        ("inc-date", "-", "16 NOV 89", {"act": 1, "spu": 1}),
        ("inc-date", "-", "-", NON),
        ("inc-date", "? 16 NOV 89", "-", NON),
        ("inc-date", "? 16 NOV 89", "16 NOV 89", COR),
        ("inc-date", "? 16 NOV 89", "25 DEC 89", INC),
        ("inc-date", "? 16 NOV 89", "? 25 DEC 89", INC),
        ("inc-date", "-", "? 16 NOV 89", NON),
        ("inc-loc", "PERU: LIMA (CITY)", "PERU", PAR),
        ("inc-loc", "PERU", "PERU: LIMA (CITY)", INC),
        ("inc-loc", "PERU: LIMA (CITY): RIMAC (TOWN)", "PERU: RIMAC (TOWN): LIMA (PROVINCE)", PAR),
        ("inc-loc", "PERU: CUZCO (CITY)", "PERU: LIMA (-)", PAR),
        ("inc-loc", "PERU: CUZCO (CITY)", "PERU: LIMA (SEMI-URBAN AREA)", PAR),
        ("inc-loc", "PERU: LIMA (CITY)", "PERU: LIMA (CITY", COR),
        ("hum-tgt-effect", 'INJURY: "MEN"', "INJURY:", PAR),
        ("hum-tgt-effect", "INJURY", "INJURY:", COR),
        ("hum-tgt-effect", ['DEATH: "BOYS"', 'INJURY: "MEN"'], "INJURY:",
         {"pos": 2, "act": 1, "par": 1, "mis": 1}),
        ("inc-stage", "ACCOMPLISHED / ATTEMPTED", "ATTEMPTED", COR),
        ("inc-instr-type", "DYNAMITE", "BOMB", PAR),
        ("inc-instr-type", "BOMB", "DYNAMITE", INC),
        ("inc-instr-type", 'GUN: "M-16"', "GUN", PAR),
        ("inc-instr-type", 'RIFLE: "M-16"', "GUN", PAR),
        ("inc-instr-type", 'GUN: "M-16"', 'GUN: "UZI"', PAR | {"ipa": 1}),
        ("perp-ind-id", '"MEN"', '"WOMEN"', INC),
    ],
)  # fmt: skip
def test_single_fills(
    tmp_path: Path, name: str, key: str, response: str, counts: dict[str, int]
) -> None:
    assert one(tmp_path, name, key, response) == counts


OPTIONAL = '? "URBAN COMMANDOS" / "TERRORIST SQUADS"'
TYPES = ['CIVILIAN: "A"', 'DIPLOMAT: "B"']
DECIDED = {
    "a match": (
        "perp-ind-id", '"ELN"', '"THE ELN REBELS"',
        [("perp-ind-id", '"ELN REBELS"', "match", '"ELN"')], COR | {"icr": 1},
    ),
    "a partial match": (
        "perp-ind-id", '"ELN"', '"ELN REBELS"',
        [("perp-ind-id", '"ELN REBELS"', "partial", '"ELN"')], PAR | {"ipa": 1},
    ),
    "a mismatch": (
        "perp-ind-id", '"ELN"', '"ELN REBELS"', [("perp-ind-id", '"ELN REBELS"', "fail")], INC,
    ),
    "rule 4: a narrower key value whose tag was matched by a person is fully correct": (
        "inc-instr-type", 'DYNAMITE: "DYNAMITE"',
        ['BOMB: "POWERFUL DYNAMITE"', 'OTHER: "DYNAMITED"'],
        [("inc-instr-id", '"POWERFUL DYNAMITE"', "match", '"DYNAMITE"')],
        {"pos": 1, "act": 2, "cor": 1, "spu": 1},
    ),
    "only A corresponds and is credited": (
        "hum-tgt-type", TYPES, 'CIVILIAN: "X"', [("hum-tgt-name", '"X"', "partial", '"A"')],
        {"pos": 2, "act": 1, "par": 1, "mis": 1},
    ),
    "a failed tag vetoes the search: nothing corresponds, and the first key fill is asked about": (
        "hum-tgt-type", TYPES, 'CIVILIAN: "X"',
        [("hum-tgt-name", '"X"', "partial", '"A"'), ("hum-tgt-desc", '"X"', "fail")],
        {"pos": 2, "act": 1, "par": 1, "ipa": 1, "mis": 1},
    ),
    "rule 5: several corresponding tags are interactively correct, even if partial": (
        "hum-tgt-effect", ['DEATH: "A"', 'DEATH: "B"', 'DEATH: "C"'], 'DEATH: "MEN"',
        [("hum-tgt-desc", '"MEN"', "partial", '"A"', '"B"')],
        {"pos": 3, "act": 1, "cor": 1, "icr": 1, "mis": 2},
    ),
    "rule 6: the history is not looked at where tags correspond and the value differs": (
        "hum-tgt-effect", ['DEATH: "A"', 'DEATH: "B"'], 'INJURY: "A"',
        [("hum-tgt-effect", 'INJURY: "A"', "match", 'DEATH: "A"')],
        {"pos": 2, "act": 1, "inc": 1, "mis": 1},
    ),
    "rule 9: with an unknown tag, a later key fill of the same value does not count": (
        "hum-tgt-effect", ['DEATH: "A"', 'INJURY: "B"'], 'INJURY: "X"', [],
        {"pos": 2, "act": 1, "inc": 1, "mis": 1},
    ),
    "rule 13: a response known by an optional fill vanishes when that is used": (
        "perp-ind-id", OPTIONAL, ['"COMMANDOS"', '"SQUADS"'],
        [("perp-ind-id", '"COMMANDOS"', "match", OPTIONAL),
         ("perp-ind-id", '"SQUADS"', "partial", OPTIONAL)], COR | {"icr": 1},
    ),
    "rule 19: if one of several is used up, the entry is ignored": (
        "hum-tgt-desc", ['"CIVILIAN"', '"SOLDIER"'], ['"SOLDIER"', '"PEOPLE"'],
        [("hum-tgt-desc", '"PEOPLE"', "partial", '"CIVILIAN"', '"SOLDIER"')],
        {"pos": 2, "act": 2, "cor": 1, "inc": 1},
    ),
    "rule 20: one reply can credit several key fills": (
        "hum-tgt-desc", ['"CIVILIAN"', '"SOLDIER"'], '"PEOPLE"',
        [("hum-tgt-desc", '"PEOPLE"', "partial", '"CIVILIAN"', '"SOLDIER"')],
        {"pos": 2, "act": 2, "par": 2, "ipa": 2},
    ),
    "rule 21: a decision names the optional fill, the look-up is made without the mark": (
        "perp-ind-id", '? "COMMANDOS"', '"SQUADS"',
        [("perp-ind-id", '"SQUADS"', "match", '? "COMMANDOS"')], COR | {"icr": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "keys", "responses", "decisions", "counts"), DECIDED.values(), ids=DECIDED
)
def test_decisions(
    tmp_path: Path, name: str, keys: Given, responses: Given, decisions: Any, counts: dict[str, int]
) -> None:
    assert one(tmp_path, name, keys, responses, known(*decisions)) == counts


_NAMES = st.sampled_from(['"A"', '"B"', '"C"', '"THE A"', '"A" / "B"', '? "C"'])
_TYPES = st.sampled_from(
    ['DEATH: "A"', 'DEATH: "B"', "DEATH", 'NO DEATH: "A"', 'NO INJURY: "B"', 'INJURY / DEATH: "A"']
)


@given(st.lists(_NAMES, max_size=4), st.lists(_NAMES, max_size=4),
       st.lists(_TYPES, max_size=4), st.lists(_TYPES, max_size=4))  # fmt: skip
def test_counts_add_up(
    key_names: list[str], names: list[str], key_types: list[str], types: list[str]
) -> None:
    """Whatever is possible is correct, partial, incorrect or missing; what is actual, spurious."""
    with TemporaryDirectory() as folder:
        run = score(
            Path(folder),
            [attack(hum_tgt_desc=key_names or "-", hum_tgt_effect=key_types or "-")],
            [attack(hum_tgt_desc=names or "-", hum_tgt_effect=types or "-")],
        )
    for pair in run.pairs:
        for t in pair.slots:
            assert t.pos == t.cor + t.par + t.inc + t.mis
            assert t.act == t.cor + t.par + t.inc + t.spu
            assert t.icr <= t.cor
            assert t.ipa <= t.par
            assert min(t) >= 0


# Which templates are paired, and what status that gives them


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

"""Scoring of slots, and the counts that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN, attack, counted, score, slot, template
from tellapart.formats.templates.history import Entry, History, Status
from tellapart.formats.templates.muc_fills import parse_fill
from tellapart.formats.templates.tally import percent

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
        ("inc-date", "-", "? 16 NOV 89", NON),
        ("inc-loc", "PERU: LIMA (CITY)", "PERU", PAR),
        ("inc-loc", "PERU", "PERU: LIMA (CITY)", INC),
        (
            "inc-loc",
            "PERU: LIMA (CITY): SAN ISIDRO (NEIGHBORHOOD)",
            "PERU: SAN ISIDRO (NEIGHBORHOOD): LIMA (PROVINCE)",
            PAR,
        ),
        ("inc-loc", "PERU: CUZCO (CITY)", "PERU: LIMA (-)", PAR),
        ("inc-loc", "PERU: CUZCO (CITY)", "PERU: LIMA (SEMI-URBAN AREA)", PAR),
        ("inc-loc", "PERU: LIMA (CITY)", "PERU: LIMA (CITY", COR),
        ("hum-tgt-effect", 'INJURY: "MEN"', "INJURY:", PAR),
        ("hum-tgt-effect", "INJURY", "INJURY:", COR),
        (
            "hum-tgt-effect",
            ['DEATH: "BOYS"', 'INJURY: "MEN"'],
            "INJURY:",
            {"pos": 2, "act": 1, "par": 1, "mis": 1},
        ),
        ("hum-tgt-effect", 'INJURY: "MEN"', 'INJURY: "MEN" THERE', COR),
        ("inc-stage", "ACCOMPLISHED / ATTEMPTED", "ATTEMPTED", COR),
        ("inc-instr-type", "DYNAMITE", "BOMB", PAR),
        ("inc-instr-type", "BOMB", "DYNAMITE", INC),
        ("inc-instr-type", 'GUN: "M-16"', "GUN", PAR),
        ("inc-instr-type", 'RIFLE: "M-16"', "GUN", PAR),
        ("inc-instr-type", 'GUN: "M-16"', 'GUN: "UZI"', PAR | {"ipa": 1}),
        ("perp-ind-id", '"MEN"', '"WOMEN"', INC),
    ],
)
def test_single_fills(
    tmp_path: Path, name: str, key: str, response: str, counts: dict[str, int]
) -> None:
    assert one(tmp_path, name, key, response) == counts


def test_the_history_decides_a_single_fill(tmp_path: Path) -> None:
    matched = known(("perp-ind-id", '"ELN REBELS"', "match", '"ELN"'))
    assert one(tmp_path, "perp-ind-id", '"ELN"', '"THE ELN REBELS"', matched) == COR | {"icr": 1}
    partial = known(("perp-ind-id", '"ELN REBELS"', "partial", '"ELN"'))
    assert one(tmp_path, "perp-ind-id", '"ELN"', '"ELN REBELS"', partial) == PAR | {"ipa": 1}
    failed = known(("perp-ind-id", '"ELN REBELS"', "fail"))
    assert one(tmp_path, "perp-ind-id", '"ELN"', '"ELN REBELS"', failed) == INC


def test_a_decision_on_a_tag_holds_for_the_slots_that_refer_to_it(tmp_path: Path) -> None:
    """A narrower key value whose tag was matched by a person is fully correct (rule 4)."""
    history = known(("inc-instr-id", '"POWERFUL DYNAMITE"', "match", '"DYNAMITE"'))
    key, response = 'DYNAMITE: "DYNAMITE"', ['BOMB: "POWERFUL DYNAMITE"', 'OTHER: "DYNAMITED"']
    found = one(tmp_path, "inc-instr-type", key, response, history)
    assert found == {"pos": 1, "act": 2, "cor": 1, "spu": 1}


def test_a_failed_tag_vetoes_the_search_for_tags(tmp_path: Path) -> None:
    keys = ['CIVILIAN: "A"', 'DIPLOMAT: "B"']
    vetoed = known(("hum-tgt-name", '"X"', "partial", '"A"'), ("hum-tgt-desc", '"X"', "fail"))
    free = known(("hum-tgt-name", '"X"', "partial", '"A"'))
    # Without the veto only A corresponds and is credited; with it nothing does, and the first
    # key fill is asked about.
    assert one(tmp_path, "hum-tgt-type", keys, 'CIVILIAN: "X"', free) == {
        "pos": 2, "act": 1, "par": 1, "mis": 1,
    }  # fmt: skip
    assert one(tmp_path, "hum-tgt-type", keys, 'CIVILIAN: "X"', vetoed) == {
        "pos": 2, "act": 1, "par": 1, "ipa": 1, "mis": 1,
    }  # fmt: skip


def test_several_corresponding_tags_are_interactively_correct(tmp_path: Path) -> None:
    """Even if the tag was only a partial match (rule 5)."""
    keys = ['DEATH: "A"', 'DEATH: "B"', 'DEATH: "C"']
    history = known(("hum-tgt-desc", '"MEN"', "partial", '"A"', '"B"'))
    assert one(tmp_path, "hum-tgt-effect", keys, 'DEATH: "MEN"', history) == {
        "pos": 3, "act": 1, "cor": 1, "icr": 1, "mis": 2,
    }  # fmt: skip


def test_tags_that_correspond_to_some_fills_only_fail_without_history(tmp_path: Path) -> None:
    """Rule 6: the history is not looked at where the value differs."""
    keys = ['DEATH: "A"', 'DEATH: "B"']
    history = known(("hum-tgt-effect", 'INJURY: "A"', "match", 'DEATH: "A"'))
    assert one(tmp_path, "hum-tgt-effect", keys, 'INJURY: "A"', history) == {
        "pos": 2, "act": 1, "inc": 1, "mis": 1,
    }  # fmt: skip


def test_one_reply_can_credit_several_key_fills(tmp_path: Path) -> None:
    """Rule 20: both possible and actual grow by their number."""
    keys = ['"CIVILIAN"', '"SOLDIER"', '"GUERRILLAS"']
    history = known(("hum-tgt-desc", '"PEOPLE"', "partial", *keys))
    assert one(tmp_path, "hum-tgt-desc", keys, '"PEOPLE"', history) == {
        "pos": 3, "act": 3, "par": 3, "ipa": 3,
    }  # fmt: skip


def test_all_of_needs_every_member(tmp_path: Path) -> None:
    """Rule 19: if one is used up, the entry is ignored."""
    keys = ['"CIVILIAN"', '"SOLDIER"']
    history = known(("hum-tgt-desc", '"PEOPLE"', "partial", *keys))
    assert one(tmp_path, "hum-tgt-desc", keys, ['"SOLDIER"', '"PEOPLE"'], history) == {
        "pos": 2, "act": 2, "cor": 1, "inc": 1,
    }  # fmt: skip


def test_a_response_known_by_an_optional_fill_vanishes_when_that_is_used(tmp_path: Path) -> None:
    """Rule 13, last part: two responses, one optional key, actual 1."""
    key = '? "URBAN COMMANDOS" / "TERRORIST SQUADS"'
    history = known(
        ("perp-ind-id", '"COMMANDOS"', "match", key), ("perp-ind-id", '"SQUADS"', "partial", key)
    )
    responses = ['"COMMANDOS"', '"SQUADS"']
    assert one(tmp_path, "perp-ind-id", key, responses, history) == COR | {"icr": 1}


def test_an_optional_key_fill_can_be_matched_by_decision(tmp_path: Path) -> None:
    """Rule 21: the decision names the optional fill, the look-up is made without the mark."""
    history = known(("perp-ind-id", '"SQUADS"', "match", '? "COMMANDOS"'))
    found = one(tmp_path, "perp-ind-id", '? "COMMANDOS"', '"SQUADS"', history)
    assert found == COR | {"icr": 1}


@pytest.mark.parametrize(
    ("keys", "responses", "counts"),
    [
        (['"A"', '"B"'], ['"A"'], {"pos": 2, "act": 1, "cor": 1, "mis": 1}),
        (['"A"'], ['"A"', '"B"'], {"pos": 1, "act": 2, "cor": 1, "spu": 1}),
        (['"A"', '"B"'], ['"X"', '"Y"', '"Z"'], {"pos": 2, "act": 3, "inc": 2, "spu": 1}),
        (['"A"', '? "B"'], ['"A"'], {"pos": 1, "act": 1, "cor": 1}),
        (['"A"', '? "B"'], ['"X"', '"Y"'], {"pos": 2, "act": 2, "inc": 2}),
        (['? "A"', '? "B"'], [], {}),
        (['"A"', '"B"'], ['? "X"'], {"pos": 2, "act": 1, "inc": 1, "mis": 1}),
        (['"A"'], ['? "X"', '? "Y"'], {"pos": 1, "act": 1, "inc": 1}),
        (['? "A"', '"B"'], ['? "X"', '"B"'], {"pos": 1, "act": 1, "cor": 1}),
    ],
)
def test_left_overs(
    tmp_path: Path, keys: list[str], responses: list[str], counts: dict[str, int]
) -> None:
    assert one(tmp_path, "hum-tgt-desc", keys, responses or "-") == counts


def test_a_tagged_set_fill_is_compared_with_the_first_key_fill_only(tmp_path: Path) -> None:
    """Rule 9: with an unknown tag, a later key fill of the same value does not count."""
    keys = ['DEATH: "A"', 'INJURY: "B"']
    assert one(tmp_path, "hum-tgt-effect", keys, 'INJURY: "X"') == {
        "pos": 2, "act": 1, "inc": 1, "mis": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "half", "of", "expected"),
    [(1, 0, 8, 12), (3, 0, 8, 38), (111, 0, 886, 12), (15, 0, 111, 14), (11, 2, 15, 80),
     (2, 0, 3, 67), (0, 0, 5, 0), (1, 0, 0, None)],
)  # fmt: skip
def test_percentages(whole: int, half: int, of: int, expected: int | None) -> None:
    assert percent(whole, half, of) == expected


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

"""The template design of MUC-3: another slot table, the same program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tellapart.cli import main
from tellapart.formats.muc.slots import load_design
from tellapart.formats.muc.templates import read_templates
from tellapart.formats.muc.values import shown

# The two templates of figure 5 of Chinchor, Hirschman and Lewis (1993).
FIGURE_5 = """\
0.  MESSAGE ID                      TST2-MUC3-0069
1.  TEMPLATE ID                     1
2.  DATE OF INCIDENT                (06 SEP 89) / (06 SEP 89 - 07 SEP 89)
3.  TYPE OF INCIDENT                ATTACK
4.  CATEGORY OF INCIDENT            ? TERRORIST ACT
5.  PERPETRATOR: ID OF INDIV(S)     -
6.  PERPETRATOR: ID OF ORG(S)       -
7.  PERPETRATOR: CONFIDENCE         -
8.  PHYSICAL TARGET: ID(S)          "BANK"
9.  PHYSICAL TARGET: TOTAL NUM      1
10. PHYSICAL TARGET: TYPE(S)        FINANCIAL: "BANK"
11. HUMAN TARGET: ID(S)             -
12. HUMAN TARGET: TOTAL NUM         -
13. HUMAN TARGET: TYPE(S)           -
14. TARGET: FOREIGN NATION(S)       -
15. INSTRUMENT: TYPES(S)            *
16. LOCATION OF INCIDENT            COLOMBIA: MEDELLIN (CITY)
17. EFFECT ON PHYSICAL TARGET(S)    SOME DAMAGE: "BANK"
18. EFFECT ON HUMAN TARGET(S)       -

0.  MESSAGE ID                      TST2-MUC3-0069
1.  TEMPLATE ID                     2
2.  DATE OF INCIDENT                07 SEP 89
3.  TYPE OF INCIDENT                BOMBING
4.  CATEGORY OF INCIDENT            TERRORIST ACT
5.  PERPETRATOR: ID OF INDIV(S)     "TWO MEN" / "MEN"
6.  PERPETRATOR: ID OF ORG(S)       -
7.  PERPETRATOR: CONFIDENCE         -
8.  PHYSICAL TARGET: ID(S)          "FAST-FOOD RESTAURANT" / "PRESTO INSTALLATIONS" / "RESTAURANT"
9.  PHYSICAL TARGET: TOTAL NUM      1
10. PHYSICAL TARGET: TYPE(S)        COMMERCIAL: "FAST-FOOD RESTAURANT" / "PRESTO INSTALLATIONS" / "RESTAURANT"
11. HUMAN TARGET: ID(S)             "PEOPLE"
                                    "POLICEMAN"
12. HUMAN TARGET: TOTAL NUM         36
13. HUMAN TARGET: TYPE(S)           CIVILIAN: "PEOPLE"
                                    LAW ENFORCEMENT: "POLICEMAN"
14. TARGET: FOREIGN NATION(S)       -
15. INSTRUMENT: TYPE(S)             *
16. LOCATION OF INCIDENT            COLOMBIA: MEDELLIN (CITY)
17. EFFECT ON PHYSICAL TARGET(S)    SOME DAMAGE: "FAST-FOOD RESTAURANT" / "PRESTO INSTALLATIONS" / "RESTAURANT"
18. EFFECT ON HUMAN TARGET(S)       INJURY: "POLICEMAN"
                                    NO INJURY: "PEOPLE"
"""  # noqa: E501


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.txt"
    path.write_text(FIGURE_5)
    return path


def test_the_figure_parses_without_a_finding(key: Path) -> None:
    design = load_design("muc3")
    file = read_templates(str(key), design)
    assert not file.problems
    first, second = file.messages["TST2-MUC3-0069"]
    assert len(design.slots) == 19
    shown_fills = {
        slot.name: [shown(each) for each in fills]
        for slot, fills in zip(design.scored, second.fills, strict=True)
    }
    assert shown_fills["human-effects"] == ['INJURY: "POLICEMAN"', 'NO INJURY: "PEOPLE"']
    assert shown_fills["instrument-types"] == []
    assert (first.number, second.number) == ("1", "2")


def test_the_figure_as_it_is_printed(key: Path, tmp_path: Path) -> None:
    """One blank after the number, and alternatives that go on in the next line after a slash."""
    text = re.sub(r"(?m)^(\d+\.) +", r"\1 ", FIGURE_5)
    text = text.replace('RESTAURANT" / "PRESTO', 'RESTAURANT" /\n        "PRESTO')
    assert "0. MESSAGE ID " in text
    printed = tmp_path / "printed.txt"
    printed.write_text(text)
    as_printed, usual = (read_templates(str(each), load_design("muc3")) for each in (printed, key))
    assert not as_printed.problems
    assert [each.fills for each in as_printed.messages["TST2-MUC3-0069"]] == [
        each.fills for each in usual.messages["TST2-MUC3-0069"]
    ]


def rows(printed: str) -> dict[str, list[str]]:
    table = printed.expandtabs().replace("|", " ").partition("TOTAL SLOT SCORES")[2]
    lines = [line.split() for line in table.splitlines() if line[:1].islower()]
    return {line[0]: line[1:] for line in lines}


def test_the_figure_scored_against_itself_is_perfect(
    key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--as", "muc", "--slots", "muc3", "--gold", str(key), str(key)]) == 0
    printed = capsys.readouterr().out
    assert "F-MEASURES\t\t\t\t\t    100.0     100.0     100.0" in printed
    found = rows(printed)
    assert list(found)[:3] == ["template-id", "incident-date", "incident-type"]
    assert found["human-target-ids"][:3] == ["2", "2", "2"]


def test_a_response_is_scored_by_the_rules_of_its_slots(
    key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broader type is half right, a wrong number wrong, an optional fill costs nothing."""
    response = tmp_path / "response.txt"
    text = FIGURE_5.replace("BOMBING", "ATTACK").replace("36", "35")
    response.write_text(text.replace("? TERRORIST ACT", "-"))
    args = ["score", "--as", "muc", "--slots", "muc3", "--gold", str(key), str(response)]
    assert main(args) == 0
    found = rows(capsys.readouterr().out)
    assert found["incident-type"][2:5] == ["1", "1", "0"]
    assert found["human-target-num"][2:5] == ["0", "0", "1"]
    assert found["category"][:2] == ["1", "1"]

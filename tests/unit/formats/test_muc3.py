"""The template design of MUC-3: another slot table, the same program."""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from pathlib import Path

import pytest

import tellapart as ta
from studies.muc3 import published
from table_files import Capture
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import load_judging
from tellapart.cli import main
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import load_design
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.report import render
from tellapart.formats.templates.scoring import Relevance, Run, ScoredPair
from tellapart.formats.templates.tally import Tally
from tellapart.formats.templates.totals import add_up

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


def test_the_figure_as_it_is_printed(key: Path, tmp_path: Path) -> None:
    """One blank after the number, and alternatives that go on in the next line after a slash."""
    text = re.sub(r"(?m)^(\d+\.) +", r"\1 ", FIGURE_5)
    text = text.replace('RESTAURANT" / "PRESTO', 'RESTAURANT" /\n        "PRESTO')
    assert "0. MESSAGE ID " in text
    printed = tmp_path / "printed.txt"
    printed.write_text(text)
    problems = Findings()
    as_printed, usual = (
        read_templates(str(each), load_design("muc3"), problems) for each in (printed, key)
    )
    assert not problems.found
    assert [each.fills for each in as_printed.messages["TST2-MUC3-0069"]] == [
        each.fills for each in usual.messages["TST2-MUC3-0069"]
    ]


def rows(printed: str) -> dict[str, list[str]]:
    table = printed.expandtabs().replace("|", " ").partition("TOTAL SLOT SCORES")[2]
    lines = [line.split() for line in table.splitlines() if line[:1].islower()]
    return {line[0]: line[1:] for line in lines}


def test_a_response_is_scored_by_the_rules_of_its_slots(
    key: Path, tmp_path: Path, capsys: Capture
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


def test_templates_are_paired_by_any_slot_in_common(
    key: Path, tmp_path: Path, capsys: Capture
) -> None:
    """In MUC-3 scores alone were optimized: the type may be another. Metrics of today work, too."""
    response = tmp_path / "response.txt"
    response.write_text(FIGURE_5.replace("INCIDENT                ATTACK", "INCIDENT  ARSON"))
    args = ["score", "--as", "muc", "--slots", "muc3", "--gold", str(key), str(response)]
    assert main(args) == 0
    assert rows(capsys.readouterr().out)["template-id"][:3] == ["2", "2", "2"]
    assert main([*args, "--metric", "ceaf-tf", "--json", "-"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    # Of two types and five entities, those of the first template are lost with its type.
    assert system["scores"]["ceaf-tf"] == pytest.approx(5 / 7)


# Figure 8 of the paper: one evaluator's key, scored against the official one.
ROWS = {
    name: (Tally(*row[:10]), row[10:])
    for name, each in (published.SLOTS | published.SUMMARY).items()
    for row in [astuple(each)]
}


def of_figure_8() -> Run:
    """Make pairs whose sums are the figure's: all that matched, three that miss, one spurious.

    34 fills miss with their templates, 18 are spurious, and 21 and 4 slots are empty there; which,
    the paper does not say, nor does it matter.
    """
    design = load_design("muc3")
    lost = {"indiv-perps": Tally(pos=34, mis=34), "phys-effects": Tally(non=21)}
    extra = {"category": Tally(act=18, spu=18), "phys-effects": Tally(non=4)}
    missing, spurious = (
        tuple(some.get(slot.name, Tally()) for slot in design.scored) for some in (lost, extra)
    )
    matched = tuple(
        Tally(*map(int.__sub__, ROWS[slot.name][0], gone))
        for slot, gone in zip(design.scored, missing, strict=True)
    )
    pairs = (
        ScoredPair("M", "1", "1", "matched", Tally(pos=114, act=114, cor=114), matched),
        ScoredPair("M", "2", None, "missing", Tally(pos=3, mis=3), missing),
        ScoredPair("M", None, "2", "spurious", Tally(act=1, spu=1), spurious),
        ScoredPair("M", "*", "*", "irrelevant", Tally(non=39), ()),
    )
    return Run("evaluator", design, pairs, {"M": Relevance(True, True)})


def test_the_report_of_figure_8() -> None:
    """1476 = 1359 + 117: templates are among the totals.

    In MATCHED ONLY they alone are charged for what misses or is spurious as a whole.
    """
    run = of_figure_8()
    lines = render(run, "totals").expandtabs().replace("|", " ").splitlines()
    printed = {line[:20].strip().lower(): line[20:].split() for line in lines}
    for row, (tally, percentages) in ROWS.items():
        assert printed[row.lower()][:10] == [*map(str, tally[:10])], row
        if row in published.SUMMARY:
            assert printed[row.lower()][10:13] == [*map(str, percentages)]
    # Without its templates, which is how MUC-4 sums, the row is no longer the paper's.
    assert sum(tally.pos for tally in add_up(run.design, run.pairs).slots) == 1359


def test_a_campaign_counts_the_row_that_score_does(key: Path, tmp_path: Path) -> None:
    """Spurious templates are no part of it."""
    first, _ = FIGURE_5.split("\n\n")
    (tmp_path / "gold.txt").write_text(first + "\n")
    folder = str(tmp_path / "c")
    words = ["--as", "muc", "--slots", "muc3", "--gold", str(tmp_path / "gold.txt")]
    assert main(["campaign", "new", folder, *words]) == 0
    assert main(["campaign", "add", folder, f"GE={key}"]) == 0
    counts = load_judging(Campaign.open(folder)).counts()
    wanted = ta.read([f"GE={key}"], str(tmp_path / "gold.txt"), form="muc", slots="muc3")
    assert counts.values.tolist() == wanted.values.tolist()

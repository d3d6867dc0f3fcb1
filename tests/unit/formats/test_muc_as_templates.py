"""Templates of 1992 as templates of today."""

from __future__ import annotations

import json

import pytest

from muc_files import attack, fills_of, read_today
from table_files import Write
from tellapart.cli import main

KEY = attack(
    inc_type="BOMBING / ATTACK",
    perp_ind_id=['? "TWO MEN" / "MEN"', '"[WORDS INDISTINCT] MAN"'],
    hum_tgt_name='"ANA \\"THE MAYOR\\""',
)


def test_a_template_of_1992_becomes_one_of_today(write: Write) -> None:
    """Fills are entities, alternatives mentions; marks and other slots go."""
    [document] = read_today(write("key.txt", KEY)).values()

    roles = {
        "PerpInd": [("two men", "men"), ("[words indistinct] man",)],
        "Victim": [('ana "the mayor"',)],
    }
    assert fills_of(document) == [("bombing / attack", roles)]


def test_a_key_keeps_what_is_in_the_texts(write: Write) -> None:
    """Square brackets are round in the texts that were looked in, so that such mentions go."""
    key = write("key.txt", KEY)
    texts = write("texts.txt", "M1\n\nMEN FLED. TWO\n MEN. [WORDS INDISTINCT] MAN.\n")

    [document] = read_today(key, gold=True, texts=texts).values()
    assert fills_of(document) == [("bombing / attack", {"PerpInd": [("men", "two men")]})]
    [document] = read_today(key, gold=True).values()
    assert fills_of(document)[0][1]["PerpInd"] == [("two men", "men")]


def test_templates_of_1992_score_by_metrics_of_today(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--as muc --metric ceaf-tf`; what is of the scoring of 1992 does not go with it."""
    key, own = write("key.txt", KEY), write("GE.txt", attack(inc_type="ATTACK"))
    command = ["score", "--as", "muc", "--gold", key, own, "--metric", "ceaf-tf"]

    assert main([*command, "--json", "-"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    # The type is right, of 1 slot; gold has 2 more entities: P = 1, R = 1/3.
    assert system["scores"]["ceaf-tf"] == pytest.approx(0.5)
    assert main([*command, "--metric", "f1"]) == 2
    assert "ceaf-tf does not go with f1" in capsys.readouterr().err
    assert main([*command, "--row", "set-fills"]) == 2
    assert "ceaf-tf does not go with --row" in capsys.readouterr().err

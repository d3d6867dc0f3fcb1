"""Whether more or less of a value is better."""

from __future__ import annotations

import pytest

from table_files import Write
from tellapart.cli import main


def test_values_that_count_errors(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Less is better of values that are named so, or said to be so."""
    rows = "".join(f"u{k},{k % 3 + 2},{k % 3}\n" for k in range(12))
    table = write("t.csv", f"item,old,new\n{rows}")
    long = "".join(
        f"{name},u{k},wer,{k % 3 + extra}\n"
        for name, extra in (("old", 2), ("new", 0))
        for k in range(12)
    )
    named = write("n.csv", f"system,item,metric,score\n{long}")

    for words in ([table, "--lower-is-better"], [named]):
        assert main(["compare", *words]) == 0
        assert "Is new really better?  Yes." in capsys.readouterr().out
    assert main(["compare", table]) == 0
    assert "Is old really better?  Yes." in capsys.readouterr().out


def test_the_direction_of_counts_is_their_own(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("c.csv", "system,item,tp,fp,fn\nA,i,1,0,0\nB,i,0,1,1\n")

    assert main(["compare", table, "--lower-is-better"]) == 2
    assert "ready values" in capsys.readouterr().err

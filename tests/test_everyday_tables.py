"""Tables as people have them: spreadsheets' separators, capitals, one column of right or wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.scorers.tables import read_tables


def saved(folder: Path, text: str, name: str = "table.csv") -> str:
    place = folder / name
    place.write_text(text, encoding="utf-8")
    return str(place)


@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_the_header_tells_the_separator_of_a_csv(tmp_path: Path, mark: str) -> None:
    text = "system,id,score\nA,1,0.5\nB,1,0.25\n".replace(",", mark)
    counts = read_tables([saved(tmp_path, text)])
    assert (counts.names, counts.units) == (("A", "B"), ("1",))


def test_capital_letters_do_not_matter_in_known_names(tmp_path: Path) -> None:
    counts = read_tables([saved(tmp_path, "System,ID,TP,FP,FN\nA,1,3,1,0\nB,1,2,2,1\n")])
    assert counts.columns == ("tp", "fp", "fn")
    both = read_tables([saved(tmp_path, "id,ID,A,B\n1,x,1,0\n2,y,1,1\n")])
    assert both.labels["ID"] == ("x", "y")


def test_right_or_wrong_alone_is_a_score(tmp_path: Path) -> None:
    first = saved(tmp_path, "id,correct\n1,1\n2,0\n", "first.csv")
    second = saved(tmp_path, "id,correct\n1,0\n2,0\n", "second.csv")
    counts = read_tables([first, second])
    assert (counts.form, counts.names, counts.columns) == ("items", ("first", "second"), ("score",))


def test_one_column_of_numbers_is_called_like_its_file(tmp_path: Path) -> None:
    files = [saved(tmp_path, f"id,acc\n1,{v}\n2,0.5\n", f"{v}.csv") for v in ("0.25", "0.75")]
    assert read_tables(files).names == ("0.25", "0.75")


def test_named_labels_are_added_to_those_of_text(tmp_path: Path) -> None:
    table = saved(tmp_path, "id,topic,length,A,B\n1,math,12,1,0\n2,law,30,0,0\n")
    counts = read_tables([table], labels=["length"])
    assert counts.names == ("A", "B")
    assert counts.labels == {"topic": ("math", "law"), "length": ("12", "30")}


@pytest.mark.parametrize(
    ("start", "said"),
    [("%PDF-1.7\n", "a PDF"), ("PK\x03\x04\n", "a spreadsheet"), ('[{"a": 1}]\n', "a JSON array")],
)
def test_other_kinds_of_files_are_named(tmp_path: Path, start: str, said: str) -> None:
    with pytest.raises(DataError, match=f"{said}, no table; export it as CSV"):
        read_tables([saved(tmp_path, start)])


def test_values_to_choose_from_are_listed(tmp_path: Path) -> None:
    counts = read_tables([saved(tmp_path, "id,genre,A,B\n1,news,1,0\n2,web,0,0\n")])
    with pytest.raises(DataError, match="genre is news, web"):
        counts.where(genre="News")


def test_validate_reads_tables_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = saved(tmp_path, "item,A,B\n1,1,0\n", "good.csv")
    bad = saved(tmp_path, "system,item,score\nA,1,x\n", "bad.csv")
    assert main(["validate", "--as", "items", good]) == 0
    assert main(["validate", "--as", "items", good, bad]) == 2
    assert "bad.csv:2: 'x' in column 'score' is not a number" in capsys.readouterr().out


def test_a_check_that_fails_says_which_pair_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{k},0,1\n" for k in range(12))
    table = saved(tmp_path, "item,new,old\n" + rows)
    assert main(["compare", table, "--fail-if-worse"]) == 1
    assert "new is worse: -1.000 against old by mean (p = .0005)" in capsys.readouterr().err

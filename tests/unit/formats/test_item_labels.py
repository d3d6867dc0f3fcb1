"""Labels of items from a file of their own, for every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from muc_files import attack, write
from tellapart.cli import main
from tellapart.errors import DataError


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [f"q{i},{int(i % 3 > 0)},{int(i % 4 > 1)}" for i in range(12)]
    path.write_text("\n".join(["item,A,B", *rows]) + "\n")
    return path


def labels(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


def by_pairs(n: int, key: str = "item") -> str:
    return f"{key},event\n" + "".join(f"q{i},e{i // 2}\n" for i in range(n))


def test_labels_of_a_file_are_as_good_as_columns(scores: Path, tmp_path: Path) -> None:
    counts = ta.read(scores, item_labels=labels(tmp_path, by_pairs(12)))
    joined = tmp_path / "joined.csv"
    lines = scores.read_text().splitlines()
    joined.write_text(
        "\n".join([f"{lines[0]},event", *(f"{row},e{i // 2}" for i, row in enumerate(lines[1:]))])
    )
    own, other = (
        ta.compare(each, cluster="event").to_json()
        for each in (counts, ta.read(joined, labels=["event"]))
    )
    assert json.loads(own)["pairs"] == json.loads(other)["pairs"]


def test_templates_are_clustered_and_chosen_by_their_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = [f"M{i}" for i in range(6)]
    files = [
        write(tmp_path, f"{name}.txt",
              *(attack(m, phys_tgt_id='"BRIDGE"', **fills) for m in messages))
        for name, fills in {"key": {"inc_loc": "PERU"}, "A": {"inc_loc": "PERU"}, "B": {}}.items()
    ]  # fmt: skip
    file = labels(tmp_path, "message,event\n" + "".join(f"M{i},e{i // 2}\n" for i in range(6)))
    for item, clusters in (("message", 3), ("slot", 3)):
        arguments = ["compare", "--as", "muc", "--gold", *files, "--item-labels", str(file),
                     "--item", item, "--cluster", "event", "--json", "-"]  # fmt: skip
        assert main(arguments) == 0
        assert json.loads(capsys.readouterr().out)["items"]["clusters"] == clusters
    chosen = ["--where", "event=e0", "--json", "-"]
    assert main(["compare", "--as", "muc", "--gold", *files, "--item-labels", str(file), *chosen])\
        == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out)["items"]["count"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (by_pairs(10), "there is no row for 2 items of 12: q10, q11"),
        (by_pairs(12) + "q3,e9\n", r":14: 'q3' has other labels than on .*:5"),
        ("", "the file is empty"),
    ],
)
def test_bad_files_get_one_sentence(scores: Path, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        ta.read(scores, item_labels=labels(tmp_path, text))


def test_labels_that_do_not_fit_the_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows about no item are a warning; an item without a row is an error, as in `compare`."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("item,A,B\nq1,1,0\nq2,0,1\nq3,1,1\n")
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\nq3,b\nq4,b\n")
    assert main(["compare", "t.csv", "--item-labels", "labels.csv", "--format", "tsv"]) == 0
    assert "Rows of labels.csv about no item here: q4" in capsys.readouterr().err
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\n")
    assert main(["compare", "t.csv", "--item-labels", "labels.csv"]) == 2
    assert "labels.csv: there is no row for 1 item of 3: q3" in capsys.readouterr().err

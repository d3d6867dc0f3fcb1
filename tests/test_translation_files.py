"""Texts from files, by the command line: what is read, what is said about it, what is refused."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.text.files import read_lines
from tellapart.formats.text.reader import read_text
from tellapart.metrics.text.bleu import Bleu

REFERENCE = "the cat sat on the mat\nit is raining in Bern today\nhe said so , twice\n"
GOOD = "the cat sat on the mat\nit is raining in Bern now\nhe said so , twice\n"
BAD = "a cat sits on a mat\nit rains at Bern today\nhe said it two times\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a reference and two systems."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref.txt", REFERENCE), ("good.txt", GOOD), ("bad.txt", BAD)):
        Path(name).write_text(text)
    return tmp_path


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run `tellapart score --as text` and return the systems by name."""
    assert main(["score", "--as", "text", "--json", "-", *arguments]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    return {system["name"]: system for system in systems}


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run `tellapart score --as text`, which must fail, and return the sentence."""
    assert main(["score", "--as", "text", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


@pytest.mark.usefixtures("folder")
def test_score(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = [f"--metric={name}" for name in ("bleu", "nist", "chrf", "chrf+", "chrf++", "ter")]
    found = scored(capsys, "--gold", "ref.txt", *metrics, "good.txt", "other=bad.txt")
    assert list(found) == ["good", "other"]
    assert list(found["good"]["scores"]) == ["bleu", "nist", "chrf", "chrf+", "chrf++", "ter"]
    assert found["good"]["scores"]["ter"] == pytest.approx(100 / 17)
    assert found["good"]["counts"]["match_4"] == 3 + 2 + 2
    assert found["good"]["report"]["signatures"]["bleu"].startswith("nrefs:1|case:mixed|eff:no|")
    assert all(found["good"]["scores"][m] > found["other"]["scores"][m] for m in ("bleu", "chrf+"))


@pytest.mark.usefixtures("folder")
def test_options_reach_the_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--tokenize", "none", "--lowercase", "--smooth", "add-k", "--smooth-value", "2",
               "--order", "3", "--effective-order"]  # fmt: skip
    found = scored(capsys, "--gold", "ref.txt", *options, "bad.txt")["bad"]
    signature = found["report"]["signatures"]["bleu"]
    wanted = "nrefs:1|case:lc|eff:yes|tok:none|smooth:add-k[2.00]|order:3|version:tellapart-"
    assert signature.startswith(wanted)
    assert "match_4" not in found["counts"]


@pytest.mark.usefixtures("folder")
def test_several_references(capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(capsys, "--gold", "ref.txt", "--gold", "good.txt", "good.txt")
    assert found["good"]["scores"]["bleu"] == pytest.approx(100)
    assert found["good"]["report"]["signatures"]["bleu"].startswith("nrefs:2|")


@pytest.mark.usefixtures("folder")
def test_segment_scores_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The table of segments can be compared by its means."""
    scored(capsys, "--gold", "ref.txt", "--effective-order", "good.txt", "bad.txt",
           "--segments", "segments.tsv")  # fmt: skip
    assert main(["compare", "segments.tsv", "--json", "-", "--no-intervals"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["items"]["count"] == 3
    assert record["metrics"]["bleu"]["kind"] == "mean"


@pytest.mark.usefixtures("folder")
def test_compare_and_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    """Saved counts give the same comparison, with the metrics found from their columns."""
    metrics = [f"--metric={name}" for name in ("bleu", "nist", "chrf++", "ter")]
    files = ["--gold", "ref.txt", "good.txt", "bad.txt"]
    command = ["compare", "--as", "text", *files, *metrics, "--save-counts", "counts.csv"]
    assert main([*command, "--json", "-"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["metrics"]["ter"]["higher_is_better"] is False
    assert "smooth:exp" in first["signature"]
    assert "tok:tercom" in first["metrics"]["ter"]["signature"]
    assert main(["compare", "counts.csv", "--json", "-"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert list(again["metrics"]) == ["bleu", "nist", "chrf++", "ter"]
    assert [pair["p"] for pair in again["pairs"]] == [pair["p"] for pair in first["pairs"]]
    assert [s["scores"] for s in again["systems"]] == [s["scores"] for s in first["systems"]]


@pytest.mark.usefixtures("folder")
def test_documents(capsys: pytest.CaptureFixture[str]) -> None:
    Path("docs.txt").write_text("one\none\ntwo\n")
    files = ["--gold", "ref.txt", "good.txt", "bad.txt", "--docids", "docs.txt"]
    assert main(["compare", "--as", "text", *files, "--cluster", "document", "--json", "-"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert items["clusters"] == {"kind": "document", "count": 2, "largest_share": 2 / 3}
    Path("docs.txt").write_text("one\none\n")
    assert "docs.txt has 2 lines, ref.txt has 3" in refused(
        capsys, "--gold", "ref.txt", "good.txt", "--docids", "docs.txt"
    )


@pytest.mark.usefixtures("folder")
def test_runs_are_averaged(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts are the means over runs; the report has the score of each run."""
    found = scored(capsys, "--gold", "ref.txt", "both=good.txt,bad.txt", "good.txt", "bad.txt")
    for column, value in found["both"]["counts"].items():
        assert value == (found["good"]["counts"][column] + found["bad"]["counts"][column]) / 2
    runs = found["both"]["report"]["runs"]["bleu"]
    assert runs == [found[name]["scores"]["bleu"] for name in ("good", "bad")]
    assert found["good"]["report"]["runs"] == {}


@pytest.mark.usefixtures("folder")
def test_spread_of_runs_is_told() -> None:
    found = read_text(["both=good.txt,bad.txt", "good.txt"], ["ref.txt"])
    codes = [notice.code for notice in found.counts.notices]
    assert codes == ["repeats", "run-spread"]
    assert found.counts.systems == ("both", "good")


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    """No other character ends a line; one carriage return goes with the line feed."""
    path = tmp_path / "odd.txt.gz"
    path.write_bytes(gzip.compress("a\u2028b\x0bc\x85d\r\n\re\r\r\nlast".encode()))
    assert read_lines(path)[1] == ["a\u2028b\x0bc\x85d", "\re\r", "last"]


@pytest.mark.usefixtures("folder")
def test_byte_order_mark_stays_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("marked.txt").write_text(REFERENCE, encoding="utf-8-sig")
    arguments = ["score", "--as", "text", "--gold", "ref.txt", "marked.txt", "--json", "-"]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert "marked.txt begins with a byte-order mark" in shown.err
    assert json.loads(shown.out)["systems"][0]["scores"]["bleu"] < 100
    assert main([*arguments, "--strip-bom"]) == 0
    shown = capsys.readouterr()
    assert "byte-order mark" not in shown.err
    assert json.loads(shown.out)["systems"][0]["scores"]["bleu"] == pytest.approx(100)


@pytest.mark.usefixtures("folder")
def test_carriage_returns_make_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    Path("windows.txt").write_bytes(GOOD.replace("\n", "\r\n").encode())
    metrics = [f"--metric={name}" for name in ("bleu", "chrf", "ter")]
    found = scored(capsys, "--gold", "ref.txt", *metrics, "good.txt", "windows.txt")
    assert found["good"]["scores"] == found["windows"]["scores"]


@pytest.mark.usefixtures("folder")
def test_different_numbers_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.txt").write_text("a\nb\n")
    told = refused(capsys, "--gold", "ref.txt", "good.txt", "short.txt")
    assert "short.txt has 2 lines, ref.txt has 3" in told


@pytest.mark.usefixtures("folder")
def test_invalid_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    Path("latin.txt").write_bytes(b"fine\nja, sch\xf6n\nfine\n")
    told = refused(capsys, "--gold", "ref.txt", "latin.txt")
    assert "latin.txt:2: byte 8 of the line (0xf6) is not UTF-8" in told


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("metric", ["bleu", "nist", "chrf", "ter"])
def test_blank_files(capsys: pytest.CaptureFixture[str], metric: str) -> None:
    """A blank system scores, and that is told; a blank reference is refused."""
    Path("blank.txt").write_text("\n\n\n")
    arguments = ["score", "--as", "text", "--gold", "ref.txt", "blank.txt", "--metric", metric]
    assert main([*arguments, "--json", "-"]) == 0
    shown = capsys.readouterr()
    assert "Every line of blank.txt is blank" in shown.err
    value = json.loads(shown.out)["systems"][0]["scores"][metric]
    assert value == (100 if metric == "ter" else 0)
    told = refused(capsys, "--gold", "blank.txt", "good.txt", "--metric", metric)
    assert "blank.txt: every line is blank" in told


@pytest.mark.usefixtures("folder")
def test_some_blank_references(capsys: pytest.CaptureFixture[str]) -> None:
    Path("holes.txt").write_text("the cat sat\n\n  \n")
    assert main(["score", "--as", "text", "--gold", "holes.txt", "good.txt"]) == 0
    assert "2 lines" in (told := capsys.readouterr().err)
    assert "line 2" in told


@pytest.mark.usefixtures("folder")
def test_empty_and_absent_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").write_text("")
    assert "empty.txt: the file is empty" in refused(capsys, "--gold", "ref.txt", "empty.txt")
    assert "nowhere.txt: there is no such file" in refused(
        capsys, "--gold", "ref.txt", "nowhere.txt"
    )
    assert "text needs a reference" in refused(capsys, "good.txt")


@pytest.mark.usefixtures("folder")
def test_reference_and_system_swapped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--as", "text", "--gold", "good.txt", "ref.txt"]) == 0
    assert "ref.txt is named like a reference but was given as a system" in capsys.readouterr().err
    assert main(["compare", "--as", "text", "--gold", "good.txt", "ref.txt", "bad.txt",
                 "--json", "-"]) == 0  # fmt: skip
    warnings = json.loads(capsys.readouterr().out)["notices"]
    assert "swapped" in [warning["code"] for warning in warnings]


@pytest.mark.usefixtures("folder")
def test_system_that_is_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--as", "text", "--gold", "ref.txt", "copy=ref.txt"]) == 0
    assert "ref.txt is the same as the reference ref.txt" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--metric", "blue"], "there is no text metric 'blue'; did you mean 'bleu'"),
        (["--tokenize", "13b"], "there is no tokenizer '13b'; did you mean '13a'"),
        (["--smooth", "flor"], "there is no smoothing 'flor'; did you mean 'floor'"),
        (["--order", "0"], "--order must be at least 1, not 0"),
        (["--unit", "word"], "the items of texts are segments"),
        (["good.txt"], "a system called 'good' is already there"),
    ],
)
def test_wrong_options(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert sentence in refused(capsys, "--gold", "ref.txt", "good.txt", *arguments)


@pytest.mark.usefixtures("folder")
def test_from_python() -> None:
    found = read_text(["good.txt"], ["ref.txt"], [Bleu("none")], segments=True)
    assert found.segments["good"]["bleu"][0] == pytest.approx(100)
    assert math.isclose(found.counts.summed()[0, 0], 17)
    Path("docs.txt").write_text("a\n\nb\n")
    with pytest.raises(DataError, match="no document id"):
        read_text(["good.txt"], ["ref.txt"], docids="docs.txt")


@pytest.mark.usefixtures("folder")
def test_validate_lists_everything(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.txt").write_bytes(b"\xef\xbb\xbfone\n\xff\n\nfo\xf6r\n")
    assert main(["validate", "--as", "text", "--gold", "ref.txt", "odd.txt", "good.txt"]) == 2
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "warning: odd.txt:1: the line begins with a byte-order mark",
        "odd.txt:2: byte 1 of the line (0xff) is not UTF-8",
        "warning: odd.txt:3: the line is blank",
        "odd.txt:4: byte 3 of the line (0xf6) is not UTF-8",
        "odd.txt has 4 lines, ref.txt has 3",
    ]
    assert shown.err == "3 errors, 2 warnings\n"
    assert main(["validate", "--as", "text", "--gold", "ref.txt", "good.txt"]) == 0


@pytest.mark.usefixtures("folder")
def test_validate_relations(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gold.tsv").write_text("s1\ta\ns2\tb\n")
    Path("a.tsv").write_text("s1\ta\n")
    Path("b.jsonl").write_text("{\n")
    assert main(["validate", "--as", "relations", "--gold", "gold.tsv", "a.tsv", "b.jsonl"]) == 2
    told = capsys.readouterr().out
    assert "a.tsv: there is no item 's2'" in told
    assert "b.jsonl:1: this is not JSON" in told


@pytest.mark.parametrize("odd", ["\r", "\0", "\u2028", "\f", "\ufeff"])
def test_characters_that_may_end_a_line_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str], odd: str
) -> None:
    """One line stays one segment, and every verb says where another program might cut it."""
    (folder / "bad.txt").write_text(BAD.replace("rains at", f"rains{odd}at"), newline="")
    for verb in ("score", "compare", "validate"):
        assert main([verb, "--as", "text", "--gold", "ref.txt", "bad.txt", "good.txt"]) == 0
        told = " ".join("".join(capsys.readouterr()).split())
        assert f"bad.txt:2: the line has the character {odd!r} inside" in told


def test_line_ends_of_windows_are_no_odd_characters(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.txt").write_text(BAD.replace("\n", "\r\n"), newline="")
    assert main(["score", "--as", "text", "--gold", "ref.txt", "bad.txt"]) == 0
    assert "character" not in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("metric", ["bleu", "nist", "chrf++", "ter"])
def test_blocks_give_what_the_whole_gives(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read some lines at a time; of more segments than are shown, no text is kept."""
    whole = read_text(["good.txt", "bad.txt"], ["ref.txt"], [metric]).counts
    monkeypatch.setattr("tellapart.formats.text.files.BLOCK", 2)
    monkeypatch.setattr("tellapart.formats.text.reader.MOST_TEXTS", 2)
    blocks = read_text(["good.txt", "bad.txt"], ["ref.txt"], [metric]).counts
    assert blocks.values.tolist() == whole.values.tolist()
    assert blocks.items == whole.items
    assert whole.texts is not None
    assert blocks.texts is None


@pytest.mark.usefixtures("folder")
def test_references_of_nist_that_change_between_its_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read for the weights of words, and again beside the outputs."""
    monkeypatch.setattr("tellapart.metrics.text.nist._Numbers.add", lambda *_: None)
    with pytest.raises(DataError, match="the references changed while they were read; try again"):
        read_text(["good.txt"], ["ref.txt"], ["nist"])


@pytest.mark.usefixtures("folder")
def test_lines_are_counted_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that ends in an earlier block than the others is told by all their lines."""
    monkeypatch.setattr("tellapart.formats.text.files.BLOCK", 1)
    Path("short.txt").write_text("the cat\n")
    with pytest.raises(DataError, match=r"^short.txt has 1 line, ref.txt has 3; outputs and"):
        read_text(["short.txt", "good.txt"], ["ref.txt"])


@pytest.mark.usefixtures("folder")
def test_bytes_that_are_no_text_in_a_later_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellapart.formats.text.files.BLOCK", 2)
    Path("odd.txt").write_bytes(b"a\nb\nc \xe9t\xe9\n")
    with pytest.raises(DataError, match=r"^odd.txt:3: byte 3 of the line \(0xe9\) is not UTF-8"):
        read_text(["odd.txt"], ["ref.txt"])

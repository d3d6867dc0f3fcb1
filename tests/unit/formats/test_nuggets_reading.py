"""TBF: which lines make which document, and what is wrong with a line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.annotation.nuggets import read_types
from tellapart.formats.annotation.tbf import cut, parse
from tellapart.formats.annotation.validation import check_tbf
from tellapart.formats.problems import Findings

LINE = "me\td\t{id}\t{span}\ttext\tLife_Die\tActual"


def mention(name: str = "E1", span: str = "0,4") -> str:
    return LINE.format(id=name, span=span)


def document(*lines: str, name: str = "d") -> str:
    return "\n".join([f"#BeginOfDocument {name}", *lines, "#EndOfDocument", ""])


def ids(text: str, name: str = "d") -> list[str]:
    return [each.id for each in parse(cut(text), name, token_mode=False).spans]


def test_last_block_of_an_id_counts() -> None:
    text = document("only\tthree\tcolumns") + document(mention("E2"))
    assert ids(text) == ["E2"]


def test_end_without_header_is_an_error() -> None:
    with pytest.raises(DataError, match=r"text:1: #EndOfDocument without"):
        cut("#EndOfDocument\n")


@pytest.mark.parametrize(
    ("span", "pieces"),
    [
        ("7,12;20,22", ((7, 12), (20, 22))),
        (" 7 , 12 ,99", ((7, 12),)),
        ("-3,5", ((-3, 5),)),
        ("8,5", ((8, 5),)),
    ],
)
def test_character_spans(span: str, pieces: tuple[tuple[int, int], ...]) -> None:
    found = parse(cut(document(mention(span=span))), "d", token_mode=False)
    assert found.spans[0].pieces == pieces


@pytest.mark.parametrize("span", ["7", "t1,t2", "7,12;", "", "1_0,2_0", "٣,٤", "1.0,2", "0,1e3"])
def test_bad_spans(span: str) -> None:
    with pytest.raises(DataError, match=r"text:2: column 4: the span"):
        parse(cut(document(mention(span=span))), "d", token_mode=False)


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("me\td\tE1\t0,4\ttext\tLife_Die", "a mention has 6 columns"),
        ("me\td\tE1\t0,4\ttext\tLife_Die\t \t", "a mention has 6 columns"),
        ("@After\tE1,E2", "a relation has 2 columns"),
        ("@After\tA1\tE1,E2\tmore", "a relation has 4 columns"),
        ("@After\tA1\tE1", "column 3: @After has one argument"),
        ("@Unknown\tU1\tE1", "column 3: @Unknown has one argument"),
    ],
)
def test_bad_lines(line: str, finding: str) -> None:
    with pytest.raises(DataError, match=f"^text:3: {finding}"):
        parse(cut(document(mention(), line)), "d", token_mode=False)


def test_type_lists(tmp_path: Path) -> None:
    path = tmp_path / "types"
    path.write_text("Life_Die\r\nMovement Transport-Person\n\n")
    assert read_types(str(path)) == frozenset({"lifedie", "movementtransportperson", ""})
    path.write_text("")
    assert read_types(str(path)) is None


def problems_of(text: str, types: frozenset[str] | None = None) -> list[str]:
    """Return all problems as `line: words`, in the order of lines."""
    findings = Findings()
    check_tbf(text, "text", findings, types=types)
    told = [each.text.removeprefix("text:") for each in findings.found]
    return sorted(told, key=lambda problem: [int(n) for n in re.findall(r"^\d+", problem)])


def assert_problems(text: str, expected: list[tuple[int, str]]) -> None:
    told = problems_of(text)
    assert len(told) == len(expected), told
    for problem, (line, words) in zip(told, expected, strict=True):
        assert problem.startswith(f"{line}: " if line else " there"), problem
        assert words in problem


def test_validation_lists_every_problem_with_its_line() -> None:
    text = document(
        mention("E1", "0,4"),
        "too\tfew",
        mention("E2", "x"),
        mention("E1", "5,9"),
        mention("E3", "-1,4"),
        mention("E4", "4,4"),
        "@Coreference\tC1\tE1,E9",
        "@Coreference\tC2\tE3,E1",
        "@After\tA1\tE3,E4",
        "@After\tA2\tE4,E3",
        "@After\tA2",
    )
    expected = [
        (3, "2 columns"),
        (4, "the span 'x'"),
        (5, "the mention id 'E1' is in text:2 already"),
        (6, "begins before the document"),
        (7, "covers nothing"),
        (8, "'E9' is no mention"),
        (9, "'E1' is in two clusters"),
        (11, "both ways"),
        (12, "2 columns"),
    ]
    assert_problems(text, expected)


def test_two_way_links_are_seen_after_merging_clusters() -> None:
    names = [mention(f"E{i}", f"{i},{i + 1}") for i in range(4)]
    text = document(*names, "@Coreference\tC\tE0,E1", "@After\tA\tE0,E2", "@After\tB\tE2,E1")
    assert_problems(text, [(8, "both ways")])


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (document(mention(), "@Corefrence\tR1\tE1,E1"), 3, "@'Corefrence' is none of"),
        (document(mention()) + mention("E2"), 4, "this and all lines after it are lost"),
        (document(mention()) + "#BeginOfDocument e\n", 4, "no #EndOfDocument follows"),
        (f"#BeginOfDocument c\n{document(mention())}", 1, "its lines go to the next document"),
        (document(mention().replace("\td\t", "\tx\t")), 2, "the document is 'x', but 'd' in the"),
        (document(mention(span="-2,4")), 2, "begins before the document"),
    ],
)
def test_what_is_not_understood_is_told_by_every_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, told: str
) -> None:
    """The public scorer passes over it in silence."""
    gold, path = tmp_path / "gold.tbf", tmp_path / "a.tbf"
    gold.write_text(document(mention()))
    path.write_text(text)
    place = f"{path}:{line}: "
    assert main(["score", "--as", "nuggets", "--gold", str(gold), str(path)]) == 0
    assert any(place in each and told in each for each in capsys.readouterr().err.splitlines())
    record = tmp_path / "out.json"
    arguments = ["--gold", str(gold), str(path), str(gold), "--json", str(record)]
    assert main(["compare", "--as", "nuggets", *arguments]) == 0
    warned = json.loads(record.read_text())["notices"]
    (text,) = [each["text"] for each in warned if each["code"] == "not-understood"]
    assert text.startswith(place)
    assert told in text
    capsys.readouterr()
    main(["validate", "--as", "nuggets", "--gold", str(gold), str(path)])
    assert any(place in each and told in each for each in capsys.readouterr().out.splitlines())


def test_validate_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Token mode, with any number of tokens per mention; status 2 on any finding."""
    (tmp_path / "tokens").mkdir()
    (tmp_path / "tokens" / "d.tab").write_text("token_id\ttoken_str\tb\te\nt1\tHe\t0\t1\n")
    (tmp_path / "types").write_text("Life_Die\n")
    path = tmp_path / "a.tbf"
    options = ["--tokens", str(tmp_path / "tokens"), "--types", str(tmp_path / "types")]
    path.write_text(document(mention(span="t1")))
    assert main(["validate", "--as", "nuggets", *options, str(path)]) == 0
    path.write_text(document(mention(span="t1,t7,t8"), mention("E2", "t1"), "x"))
    assert main(["validate", "--as", "nuggets", *options, str(path)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{path}:4", f"{path}:2"]
    assert "t7, t8" in lines[1]

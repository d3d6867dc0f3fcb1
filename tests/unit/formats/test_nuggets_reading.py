"""TBF: which lines make which document, and what is wrong with a line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from table_files import Capture, Write
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.annotation.tbf import cut, parse
from tellapart.formats.annotation.validation import check_tbf
from tellapart.formats.problems import Findings

LINE = "me\td\t{id}\t{span}\ttext\tLife_Die\tActual"


def mention(name: str = "E1", span: str = "0,4") -> str:
    return LINE.format(id=name, span=span)


def document(*lines: str, name: str = "d") -> str:
    return "\n".join([f"#BeginOfDocument {name}", *lines, "#EndOfDocument", ""])


@pytest.mark.parametrize("span", ["7", "7,12;", "", "1_0,2_0", "٣,٤", "1.0,2", f"0,1{9 * '0'}1"])
def test_bad_spans(span: str) -> None:
    with pytest.raises(DataError, match=r"text:2: column 4: the span"):
        parse(cut(document(mention(span=span))), "d", token_mode=False)


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
        (10, "2 columns"),
    ]
    assert_problems(text, expected)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (document(mention(), "@Corefrence\tR1\tE1,E1"), 3, "@'Corefrence' is none of"),
        (document(mention()) + mention("E2"), 4, "the rest of the file is lost"),
        (document(mention()) + "#BeginOfDocument e\n", 4, "no #EndOfDocument follows"),
        (f"#BeginOfDocument c\n{document(mention())}", 1, "its lines go to the next document"),
        (document(mention().replace("\td\t", "\tx\t")), 2, "the document is 'x'; 'd' in the"),
        (document(mention(span="-2,4")), 2, "begins before the document"),
    ],
)
def test_what_is_not_understood_is_told_by_every_verb(
    tmp_path: Path, capsys: Capture, text: str, line: int, told: str
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


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        (["--coref-mapping", "4"], "--coref-mapping: must lie between 0 and 3"),
        (["--coref", "--profile", "pilot"], "profile kbp"),
        (["--doc", "nope"], "no document 'nope'"),
        (["--tokens", "nowhere"], "no such folder"),
        (["--types", "nowhere"], "no such file"),
        (["--item", "sentence"], "are its own, not 'sentence'"),
        (["--metric", "typ-f1"], "'type-f1'"),
        (["--gold", "again"], "need one gold file"),
    ],
)
def test_bad_options(options: list[str], finding: str, write: Write, capsys: Capture) -> None:
    gold, *systems = (write(f"{name}.tbf", document(mention())) for name in ("gold", "A", "B"))
    for verb in ("score", "compare"):
        assert main([verb, "--as", "nuggets", "--gold", gold, *systems, *options]) == 2
        error = capsys.readouterr().err
        assert finding in error
        assert error.count("\n") == 1

"""`score` and `compare --as nuggets`: options that cannot be."""

from __future__ import annotations

import pytest

from table_files import Capture, Write
from tellapart.cli import main

DOCUMENT = "#BeginOfDocument d\nx\td\tE1\t0,4\tdied\tLife_Die\tActual\n#EndOfDocument\n"


@pytest.fixture
def files(write: Write) -> list[str]:
    """Write gold and two systems; give the arguments that name them."""
    return ["--as", "nuggets", "--gold", *(write(f"{n}.tbf", DOCUMENT) for n in ("gold", "A", "B"))]


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
def test_bad_options(options: list[str], finding: str, files: list[str], capsys: Capture) -> None:
    for verb in ("score", "compare"):
        assert main([verb, *files, *options]) == 2
        error = capsys.readouterr().err
        assert finding in error
        assert error.count("\n") == 1

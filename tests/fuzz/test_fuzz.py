"""A few cases of every target that try all damages; `make fuzz` runs many more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tellapart.formats.registry import formats
from tellapart.options import options_of

from .option_values import all_calls, failed_calls
from .rule import Bench, failures, few_cases, scratch
from .targets import targets

CASES = 16
FIRST = 1000


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder where files are written soon: a case writes four."""
    with tempfile.TemporaryDirectory(dir=scratch()) as made:
        yield Path(made)


def test_every_format_has_a_target() -> None:
    """A format that is added without one fails here."""
    tried = {target.form for target in targets().values()}
    assert tried == {name for each in formats() for name in each.names}


@pytest.mark.parametrize("name", targets())
def test_no_damage_goes_unnoticed(name: str, folder: Path) -> None:
    """No traceback, no hang; what is accepted is the same, or sound, or named in a warning."""
    target = targets()[name]
    bench = Bench(target, folder)
    for verb in target.verbs:
        assert bench.sound(verb).status == 0, bench.sound(verb).messages
    judged = ((case, bench.judge(case)) for case in few_cases(target, FIRST, CASES))
    wrong = [(case, verdict) for case, verdict in judged if not verdict.fine]
    assert not wrong, failures(wrong)


@pytest.mark.parametrize("verb", ["compare", "score", "diff", "calibrate", "plan", "campaign new"])
def test_odd_numbers_are_one_sentence(verb: str, folder: Path) -> None:
    """Every numeric option of every verb, with numbers that are none, too large, or odd."""
    calls = [each for each in all_calls(every=12) if each.verb == verb]
    assert calls
    assert list(failed_calls(calls, folder)) == []


def test_every_file_that_an_option_names_is_damaged() -> None:
    """An option that reads a file has a target that damages it."""
    given = {
        word for each in targets().values() for word in (*each.arguments, *(each.validated or ()))
    }
    reading = {
        each.flag for form in formats() for each in options_of(form.options) if each.option.reads
    }
    assert reading <= given


def test_blank_lines_of_trees_may_have_blanks() -> None:
    """They are sound between sentences, also beside another word; not within a sentence."""
    file = targets()["relations-conllu"].files[-1]
    assert file.sound is not None
    between = file.data.replace(b"\n\n", b"\n\n  \n", 1)
    for data in (between, between.replace(b"\tcats\t", b"\tc,ats\t", 1)):
        assert file.sound(data, file.data)
    assert not file.sound(file.data.replace(b"\n2\t", b"\n  \n2\t", 1), file.data)

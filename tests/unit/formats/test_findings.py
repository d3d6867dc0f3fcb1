"""What a reader could not understand: raised, listed or summed up, from one source."""

from __future__ import annotations

import pytest

from tellapart.errors import DataError
from tellapart.formats.problems import NOT_UNDERSTOOD, Findings


def test_warnings_become_notices_and_problems_do_not() -> None:
    """A notice has the code, the sentence with its place, and the file it is about."""
    findings = Findings()
    findings.complain("a.txt:1: the line has one field")
    findings.warn("a.txt:2: the slot 'x' is unknown; it was left out")

    (notice,) = findings.notices()

    assert notice.code == NOT_UNDERSTOOD
    assert notice.text == "a.txt:2: the slot 'x' is unknown; it was left out."
    assert notice.affected == ("a.txt",)


def test_strict_findings_raise_the_first_problem_and_keep_warnings() -> None:
    """What keeps a file from being scored ends the reading, where it is to be scored."""
    findings = Findings(strict=True)
    findings.warn("a.txt:2: the slot 'x' is unknown; it was left out")

    with pytest.raises(DataError, match=r"^a\.txt:3: no tag$"):
        findings.complain("a.txt:3: no tag")
    assert len(findings.notices()) == 1

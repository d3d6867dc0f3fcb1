"""What a page must share with what the terminal shows: facts, not wording."""

from __future__ import annotations

import pytest

from pages import agrees

SHOWN = """\
Is birch really better?  Cannot tell.
birch scores 0.194 higher than alder (95 % interval 0.000 to 0.400), but this
can be chance (adjusted p = .0899).

  system  score  rank
  birch   0.583   1-3
  alder   0.389   1-3
tellapart: quiz.csv:3: 'many' is not a number
status 1
"""


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("this\ncan be chance", "chance\nmay explain\nthat"),
        ("  system  score", "\n  system  score"),
    ],
)
def test_another_wording_agrees(said: str, instead: str) -> None:
    """Sentences can be worded and wrapped otherwise; blank lines do not count."""
    assert said in SHOWN
    assert agrees(SHOWN.replace(said, instead).splitlines(), SHOWN)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("0.194", "0.195"),
        ("birch scores", "alder scores"),
        ("Cannot tell", "Yes"),
        ("  alder   0.389   1-3\n", ""),
        ("score  rank", "score  group"),
        ("quiz.csv:3", "quiz.csv:2"),
        ("'many'", "'few'"),
        ("status 1", "status 0"),
    ],
)
def test_another_fact_does_not_agree(said: str, instead: str) -> None:
    """Numbers, names, verdicts, rows, columns, files and statuses must be those shown."""
    assert said in SHOWN
    assert not agrees(SHOWN.replace(said, instead).splitlines(), SHOWN)

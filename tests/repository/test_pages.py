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
    ("said", "instead", "same"),
    [
        ("this\ncan be chance", "chance\nmay explain\nthat", True),
        ("  system  score", "\n  system  score", True),
        ("0.194", "0.195", False),
        ("birch scores", "alder scores", False),
        ("Cannot tell", "Yes", False),
        ("  alder   0.389   1-3\n", "", False),
        ("score  rank", "score  group", False),
        ("quiz.csv:3", "quiz.csv:2", False),
        ("'many'", "'few'", False),
        ("status 1", "status 0", False),
    ],
)
def test_facts_must_agree_and_sentences_need_not(said: str, instead: str, same: bool) -> None:
    """Facts are numbers, names, verdicts, rows, columns, files and statuses."""
    assert said in SHOWN
    assert agrees(SHOWN.replace(said, instead).splitlines(), SHOWN) is same

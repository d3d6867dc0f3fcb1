"""A function in a process of its own: what comes back is data of the declared kind, or an error."""

from __future__ import annotations

import json
import pickle

import pytest

from tellapart.campaign.own_process import Crashed, in_own_process, read_as, written
from tellapart.errors import DataError, Finding


def says_yes() -> Finding:
    return Finding("yes", fatal=False)


def hands_over_more() -> dict[str, object]:
    return {"text": "yes", "fatal": True, "and": "more"}


def fails() -> int:
    raise DataError("a.txt:3: 'é\udcff' is no number")


def test_a_record_comes_back_as_it_was() -> None:
    assert in_own_process(says_yes, returns=Finding, seconds=60) == Finding("yes", fatal=False)


def test_what_is_not_of_the_expected_kind_is_not_taken() -> None:
    with pytest.raises(Crashed):
        in_own_process(says_yes, returns=int, seconds=60)
    with pytest.raises(Crashed):
        in_own_process(hands_over_more, returns=Finding, seconds=60)


def test_an_error_comes_back_with_its_kind_and_words() -> None:
    with pytest.raises(DataError, match="'é\udcff' is no number"):
        in_own_process(fails, returns=int, seconds=60)


class Trap:
    """Runs what it likes where its pickle is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was loaded",)


def test_a_process_that_was_taken_over_cannot_run_anything_in_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever stands in the pipe, the server takes JSON alone."""
    for told in (pickle.dumps(Trap()), pickle.dumps((True, Trap())), b"[" * 100_000, b"7", b""):
        program = f"import sys; sys.stdin.buffer.read(); sys.stdout.buffer.write({told[:1]!r}"
        program += f" * {len(told)})" if len(set(told)) == 1 else f" + {told[1:]!r})"
        monkeypatch.setattr("tellapart.campaign.own_process._PROGRAM", program)
        with pytest.raises(Crashed):
            in_own_process(says_yes, returns=Finding, seconds=60)


def test_kinds_are_looked_at_closely() -> None:
    assert read_as(tuple[float | None, float | None], [1, None]) == (1.0, None)
    assert read_as(dict[str, tuple[int, ...]], {"a": [1, 2]}) == {"a": (1, 2)}
    for kind, value in (
        (int, True), (int, 1.0), (str, 1), (tuple[int, int], [1]), (list[int], {"a": 1}),
        (Finding, {"text": "t"}), (Finding, ["t", True]), (int | None, "1"), (object, {}),
    ):  # fmt: skip
        with pytest.raises((TypeError, KeyError, ValueError)):
            read_as(kind, value)
    assert json.loads(written(Finding("t")))["result"] == {"text": "t", "fatal": True}

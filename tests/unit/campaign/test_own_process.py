"""A process of its own: what it returns, what it may not do, how long it may take."""

from __future__ import annotations

import os
import time

import pytest

from tellapart.campaign.own_process import Ended, in_own_process
from tellapart.errors import DataError, UsageError


def refuse() -> None:
    """Raise an error of ours."""
    raise UsageError("no such thing")


def eat() -> int:
    """Take more memory than is allowed."""
    return len(bytearray(1 << 33))


class Evil:
    """What a process that was taken over would send: it runs something when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return os.putenv, ("TAKEN", "yes")


def test_a_result_and_an_error_come_back() -> None:
    assert in_own_process(divmod, 7, 2, seconds=60) == [3, 1]
    with pytest.raises(DataError, match="no such thing"):
        in_own_process(refuse, seconds=60)


def test_what_takes_too_long_or_too_much_or_is_no_plain_data_is_ended() -> None:
    with pytest.raises(Ended, match=r"more than 0\.1 seconds"):
        in_own_process(time.sleep, 60, seconds=0.1)
    for function in (eat, Evil):
        with pytest.raises(Ended, match="too much memory"):
            in_own_process(function, seconds=60)

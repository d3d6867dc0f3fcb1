"""A script: decides again and again, each time killed one line of the program later.

It says how many lines there were, from the first look at the history to the end of the write, and
ends with an error if a decision that was made before is ever lost, or the history damaged.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

from decision_files import decide, kept, opened, statuses

# What looks at files and writes them. Not what makes the text: that grows with each decision.
PLACES = ("tellapart/files.py", "campaign/history.py")


def kill_at(wanted: int) -> None:
    """Be killed at a line of these modules, counted from now on."""
    left = wanted

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(PLACES):
            return None
        if event == "line":
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return trace

    sys.settrace(trace)


def child(where: str, number: int) -> int:
    """Decide in a process of its own, which is killed; return how it ended."""
    pid = os.fork()
    if pid == 0:
        store = opened(where)
        kill_at(number)
        decide(store, f'"A{number}"', "fail")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main(where: str, stride: int) -> None:
    """Go through all lines, or through some."""
    decide(opened(where), '"FIRST"', "fail")
    before = {'"FIRST"'}
    made = 0
    for number in range(0, 5000, stride):
        status = child(where, number)
        assert status in (0, -signal.SIGKILL), status
        found = statuses(kept(where))
        new = f'"A{number}"'
        assert before <= {*found} <= before | {new}, number
        made += new in found
        # Whoever was killed decides again: it is there already, or it is not.
        decide(opened(where), new, "fail")
        before.add(new)
        assert list(statuses(kept(where))).count(new) == 1, number
        if status == 0:
            print(number, made)
            return
    raise AssertionError("there is no end of it")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

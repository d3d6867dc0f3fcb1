"""The program `tellapart`, which is also `python -m tellapart`."""

from __future__ import annotations

from tellapart.signals import end_on_signals

TYPE_CHECKING = False  # as in `signals.py`
if TYPE_CHECKING:
    from typing import NoReturn


def entry() -> NoReturn:
    """Run as the program `tellapart`."""
    end_on_signals("tellapart")
    # Only now, so that Ctrl-C while modules are loaded is one sentence.
    from tellapart.program import run_program

    run_program("tellapart", _work)


def _work() -> int:
    # Only now, so that what goes wrong while modules are loaded is one sentence, too.
    from tellapart.cli import main

    return main()


if __name__ == "__main__":
    entry()

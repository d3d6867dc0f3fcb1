"""The program `tellapart`, which is also `python -m tellapart`."""

from typing import NoReturn

from tellapart.program import run_program


def entry() -> NoReturn:
    """Run as the program `tellapart`."""
    run_program("tellapart", _work)


def _work() -> int:
    # Only now, so that what goes wrong while modules are loaded is one sentence, too.
    from tellapart.cli import main

    return main()


if __name__ == "__main__":
    entry()

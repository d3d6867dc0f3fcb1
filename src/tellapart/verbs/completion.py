"""`tellapart --print-completion SHELL`: what a shell needs to complete verbs, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from tellapart.errors import UsageError

_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = ("FILE", "SYSTEM", "PATH", "NAME|FILE")


def completion_script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for a shell, given the parser that has those of all verbs inside."""
    import shtab

    from tellapart.formats.registry import names as format_names
    from tellapart.metrics import names as metric_names

    if shell not in _SHELLS:
        raise UsageError(f"there are scripts for {', '.join(_SHELLS)}; not for {shell!r}")
    known = {"metric": metric_names(), "form": format_names()}
    for action in _actions(parser):
        if action.dest in known:
            action.choices = known[action.dest]
        elif action.metavar in _FILES:
            action.help = "files"  # what has no help is not completed
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all options of a parser, and of those inside of it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)

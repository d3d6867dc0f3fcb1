"""`tellapart completion`: what a shell needs to complete commands, options, formats and files."""

from __future__ import annotations

import argparse
from typing import Final

from tellapart.console import send

DESCRIPTION = """\
Prints a script that lets the shell complete verbs, options, formats, metrics
and file names when you press Tab. Put it where your shell looks for such
scripts (zsh: any folder of $fpath), and open a new shell."""
EXAMPLES = """\
examples:
  tellapart completion bash > ~/.local/share/bash-completion/completions/tellapart
  tellapart completion zsh > ~/.zfunc/_tellapart
  tellapart completion fish > ~/.config/fish/completions/tellapart.fish"""

SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = ("FILE", "SYSTEM", "PATH", "NAME|FILE")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the shell."""
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from tellapart.metrics import names

    parser: argparse.ArgumentParser = args.every_verb()
    metrics = names()
    for each in _parsers(parser):
        for action in each._actions:
            if action.dest == "metric":
                action.choices = metrics
            elif action.metavar in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    send(shtab.complete(parser, args.shell))
    return 0


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return a parser and all those of its verbs and their actions."""
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                found += _parsers(inner)
    return found

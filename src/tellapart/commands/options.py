"""The options of a comparison as arguments of the command line, made from their one record."""

from __future__ import annotations

import argparse
from typing import Any

from tellapart.commands.inputs import number
from tellapart.significance.options import DEFAULTS, OPTIONS, Options


def add_options(group: argparse._ActionsContainer, *names: str, **changed: Any) -> None:
    """Declare some options, by name; what is `changed` (such as the help) is so in this command.

    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser.add_argument_group(), "alpha", "min_confidence")
    >>> parser.parse_args(["--min-confidence", "0.99"])
    Namespace(alpha=0.05, min_confidence=0.99)
    """
    for name in names:
        group.add_argument(f"--{name.replace('_', '-')}", **{**_argument(name), **changed})


def _argument(name: str) -> dict[str, Any]:
    """Return what argparse is told of an option."""
    option, default = OPTIONS[name], DEFAULTS[name]
    if isinstance(default, bool):
        action = argparse.BooleanOptionalAction if default else "store_true"
        return {"action": action, "default": default, "help": option.help}
    return {
        "type": number if option.kind is float else option.kind,
        "default": None if default == () else default,
        "metavar": option.metavar,
        "choices": option.choices,
        "help": option.help,
    }


def given_options(args: argparse.Namespace) -> Options:
    """Return the record of the options that the command line was given."""
    return Options(**{name: getattr(args, name) for name in OPTIONS if hasattr(args, name)})

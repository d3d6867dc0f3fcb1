"""Makes the page of all options: what `--help` says of every verb, and of every format."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from io import StringIO


def options_page() -> str:
    """Return the page: verbs, the actions of a campaign, then the options that formats add."""
    from tellapart.cli import VERBS, inner_parsers, verb_parser
    from tellapart.formats.registry import names

    parts = ["# Options\n\nWhat `--help` says, verb by verb and format by format.\n"]
    for verb in [*VERBS, *(f"campaign {name}" for name in inner_parsers(verb_parser("campaign")))]:
        text = _help(*verb.split(), "--help")
        if "--help-all" in text:
            text = _help(*verb.split(), "--help-all")
        parts.append(f"## tellapart {verb}\n\n```text\n{text}```\n")
    for name in sorted(names()):
        text = _help("score", "--as", name, "--help")
        _, found, added = text.partition(f"--as {name}:\n")
        if found:
            added = added.partition("\n\n")[0]
            parts.append(f"## --as {name}\n\n```text\n{added}\n```\n")
    return "\n".join(parts)


def _help(*words: str) -> str:
    from tellapart.cli import main

    os.environ["COLUMNS"] = "100"
    with redirect_stdout(StringIO()) as shown:
        main(list(words))
    return shown.getvalue()

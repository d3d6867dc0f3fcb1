"""Checking files without scoring them: templates, and histories."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import DataError
from tellapart.files import STANDARD, open_text
from tellapart.scorers.muc.findings import ENCODING, Finding
from tellapart.scorers.muc.history import read_history
from tellapart.scorers.muc.slots import Design, load_design
from tellapart.scorers.muc.templates import read_templates, unknown_messages


def check(paths: Sequence[str], key: str | None = None, slots: str = "muc4") -> list[Finding]:
    """Find all that is wrong with files of templates or of decisions.

    With a key, responses are also checked for messages that the key does not have.
    """
    design = load_design(slots)
    findings: list[Finding] = []
    gold = None
    if key is not None:
        gold = read_templates(key, design)
        findings += gold.findings
    for path in paths:
        try:
            if _is_history(path):
                findings += _check_history(path, design)
                continue
            file = read_templates(path, design)
        except DataError as problem:
            # It names the file itself.
            findings.append(Finding("", None, str(problem), fatal=True))
            continue
        findings += file.findings
        if gold is not None and gold.messages:
            findings += unknown_messages(file, gold)
    return findings


def _is_history(path: str) -> bool:
    """Tell a history by its first character, a parenthesis."""
    if path == STANDARD:
        return False  # it can be read only once
    with open_text(path, ENCODING) as stream:
        return next((line.lstrip()[0] for line in stream if line.strip()), "") == "("


def _check_history(path: str, design: Design) -> list[Finding]:
    return read_history(path, design)[1]

"""Checking files without scoring them: templates, and histories."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.files import STANDARD
from tellapart.formats.muc.findings import Finding, read_whole
from tellapart.formats.muc.history_files import read_history
from tellapart.formats.muc.slots import load_design
from tellapart.formats.muc.templates import read_templates, unknown_messages


def check(paths: Sequence[str], key: str | None = None, slots: str = "muc4") -> list[Finding]:
    """Return all that is wrong with files of templates or of decisions.

    With a key, responses are also checked for messages that the key does not have.
    """
    design = load_design(slots)
    findings: list[Finding] = []
    gold = None
    if key is not None:
        gold = read_templates(key, design)
        findings += gold.findings
    for path in paths:
        if _is_history(path):
            findings += read_history(path, design)[1]
            continue
        file = read_templates(path, design)
        findings += file.findings
        if gold is not None and gold.messages:
            findings += unknown_messages(file, gold)
    return findings


def _is_history(path: str) -> bool:
    """Return whether a file is a history, which begins with a parenthesis."""
    if path == STANDARD:
        return False  # it can be read only once
    return read_whole(path)[0].lstrip().startswith("(")

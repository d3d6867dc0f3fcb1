"""A project's defaults: `tellapart.toml`, or `[tool.tellapart]` in `pyproject.toml`."""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tellapart.comparison.options import OPTIONS
from tellapart.console import remark
from tellapart.errors import DataError, UsageError
from tellapart.options import one_or_several
from tellapart.words import nearest

KEYS: Final = ("metric", "cluster", "baseline", "margin", "alpha")


def apply_project_defaults(args: argparse.Namespace) -> None:
    """Apply a project's defaults to what was parsed; a remark says which, and whence.

    They are about files; what the command line gives wins, and so does `--baseline-dir`. A plan
    is about a margin only where it is asked for.
    """
    if not getattr(args, "files", None):
        return
    given = {flag.removeprefix("--") for flag in args.flags}
    given |= {"baseline"} if "baseline-dir" in given else set()
    given |= {"margin"} if args.verb == "plan" else set()
    path, values = _nearest_file(Path.cwd())
    held = {key: own for key, own in values.items() if hasattr(args, key) and key not in given}
    vars(args).update(held)
    shown = (f"{key} {','.join(v) if isinstance(v, list) else v}" for key, v in held.items())
    if held:
        remark(f"defaults of {os.path.relpath(path)}: {', '.join(shown)}")


def _nearest_file(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Return the nearest file with defaults, from a folder up to the root of its repository."""
    for place in (folder, *folder.parents):
        for path in (place / "tellapart.toml", place / "pyproject.toml"):
            if path.is_file() and (table := _table(path)) is not None:
                return path, _checked(table, os.path.relpath(path))
        if (place / ".git").exists():
            break
    return folder, {}


def _table(path: Path) -> Mapping[str, Any] | None:
    """Return the defaults in a file; None of a `pyproject.toml` without our table."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.name == "pyproject.toml" and "tool.tellapart" not in text:
        return None
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise DataError(f"{os.path.relpath(path)}: this is no TOML ({problem})") from None
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("tellapart")
    return None if table is None else dict(table)


def _checked(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise UsageError(f"{place}: there is no key {key!r}; {nearest(key, KEYS)}")
        try:
            if key == "metric":
                values[key] = one_or_several(value, str, key, "name")
            else:
                values[key] = OPTIONS[key].checked(value)
        except UsageError as problem:
            raise UsageError(f"{place}: {problem}") from None
    return values

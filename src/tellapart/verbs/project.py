"""A project's defaults: `tellapart.toml`, or `[tool.tellapart]` in `pyproject.toml`."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.comparison.options import OPTIONS
from tellapart.errors import DataError, UsageError
from tellapart.words import nearest

KEYS: Final = ("metric", "cluster", "baseline", "margin", "alpha")
_FILES: Final = ("tellapart.toml", "pyproject.toml")


def apply_project_defaults(args: argparse.Namespace, words: Sequence[str]) -> str | None:
    """Apply a project's defaults to what was parsed; return a line that says which, and whence.

    They are about files; what the command line gives wins, and so does `--baseline-dir`. A plan
    is about a margin only where it is asked for.
    """
    given = {word.partition("=")[0] for word in words}
    if "--baseline-dir" in given:
        given.add("--baseline")
    if args.verb == "plan":
        given.add("--margin")
    if not getattr(args, "files", None):
        return None
    path, values = _read(Path.cwd())
    held = {
        key: value
        for key, value in values.items()
        if hasattr(args, key) and f"--{key}" not in given
    }
    for key, value in held.items():
        setattr(args, key, value)
    shown = (f"{key} {','.join(v) if isinstance(v, list) else v}" for key, v in held.items())
    return f"defaults of {os.path.relpath(path)}: {', '.join(shown)}" if held else None


def _read(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Return the nearest file with defaults, from a folder up to the root of its repository."""
    for place in (folder, *folder.parents):
        for path in (place / name for name in _FILES):
            if path.is_file() and (values := _values(path)) is not None:
                return path, values
        if (place / ".git").exists():
            break
    return folder, {}


def _values(path: Path) -> dict[str, Any] | None:
    """Return the defaults in a file, checked; None of a `pyproject.toml` without our table."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.name == "pyproject.toml" and "tool.tellapart" not in text:
        return None
    import tomllib

    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise DataError(f"{path}: this is no TOML ({problem}); mend it") from None
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("tellapart")
    return None if table is None else {k: _checked(k, v, path, text) for k, v in table.items()}


def _checked(key: str, value: Any, path: Path, text: str) -> Any:
    lines = text.splitlines()
    line = next(
        (n for n, own in enumerate(lines, 1) if re.match(rf"\s*{re.escape(key)}\b", own)), 1
    )
    place = f"{os.path.relpath(path)}:{line}"
    if key not in KEYS:
        raise UsageError(f"{place}: there is no key {key!r}; {nearest(key, KEYS)}")
    number = None if key == "metric" else OPTIONS[key].option.number
    if number is not None:
        return number.checked(value, f"{place}: {key}")
    if key == "metric" and isinstance(value, str | list):
        value = [value] if isinstance(value, str) else value
        if all(isinstance(name, str) for name in value):
            return value
    if not isinstance(value, str) or key == "metric":
        raise UsageError(f"{place}: {key} is a text, not {value!r}")
    return value

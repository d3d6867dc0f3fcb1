"""Which path the engine runs on: native code with AVX2 or without, or NumPy.

All of them give the same results to the last bit. ``TELLAPART_PATH`` chooses one; otherwise it is
the fastest that this machine has.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from tellapart.errors import UsageError

_INTERFACE = 7  # of the native module: another one was built from other sources

native: ModuleType | None
try:
    native = importlib.import_module("tellapart._native")
    if getattr(native, "INTERFACE", 1) != _INTERFACE:
        native = None
except ImportError:  # installed without a compiler
    native = None


def available() -> list[str]:
    """Return the paths that this installation has, the fastest first."""
    return ["numpy"] if native is None else [*native.paths(), "numpy"]


def active() -> str:
    """Return the path in use: ``avx2``, ``portable`` or ``numpy``."""
    path = os.environ.get("TELLAPART_PATH") or available()[0]
    if path not in available():
        raise UsageError(f"no engine path {path!r} here; there are {', '.join(available())}")
    return path


def describe() -> str:
    """Return in words which path is on, for ``tellapart --version``."""
    if native is None:
        return "NumPy engine (no native module)"
    return "NumPy engine" if active() == "numpy" else f"native engine, {active()}"

"""Count the modules of tellapart that a command line runs through, and those that it imports.

Use: python tools/modules_touched.py [--list] compare quiz.csv --cluster passage

A module is run through if one of its functions is called once the command line is parsed: what a
reader must follow to understand that command. What is only imported costs time, not understanding.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import threading
from types import FrameType
from typing import Any

PACKAGE = "tellapart"


class Walk:
    """Notes the modules whose functions are called from the moment that a command runs."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._running = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Note one call, as a profiling function of Python."""
        code, module = frame.f_code, str(frame.f_globals.get("__name__"))
        # Class bodies, and the methods that dataclasses write, are no code that anybody reads.
        in_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_filename.startswith("<")
        if event != "call" or not in_function or module.partition(".")[0] != PACKAGE:
            return
        if module.startswith(f"{PACKAGE}.commands.") and code.co_name == "run":
            self._running = True
        if self._running:
            self.modules.add(module)


def walk(command: list[str]) -> set[str]:
    """Run a command line in this process, and return the modules that it runs through."""
    from tellapart.cli import main

    seen = Walk()
    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            status = main(command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if status not in (0, 1):
        raise SystemExit(status)
    return seen.modules


if __name__ == "__main__":
    listed = sys.argv[1:2] == ["--list"]
    found = walk(sys.argv[2 if listed else 1 :])
    if listed:
        print("\n".join(sorted(found)))
    imported = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    print(f"{len(found)} modules run through, {len(imported)} imported")

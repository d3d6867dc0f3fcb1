"""Runs a command that takes a while, such as pip's, and shows in one line what it is at.

    python tools/setting_up.py pip install .

All that the command prints is shown if it fails. Where nobody looks on, one line says that it runs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

_WORDS = {
    "Collecting": "fetching",
    "Downloading": "fetching",
    "Building": "building",
    "Installing": "installing",
    "Preparing": "building",
}


def told(line: str) -> str | None:
    """Return what a line of pip's says of the work, in short; None if it is nothing new.

    >>> told("Collecting numpy>=1.26 (from tellapart==0.1.0)"), told("  Using cached it")
    ('fetching numpy', None)
    >>> told("Installing collected packages: numpy, scipy")
    'installing numpy, scipy'
    """
    first, _, rest = line.strip().partition(" ")
    if first not in _WORDS:
        return None
    what = rest.removeprefix("collected packages: ").partition(" (")[0]
    for sign in ("[", "<", ">", "=", "!", "~", ";"):
        what = what.partition(sign)[0]
    return f"{_WORDS[first]} {what.strip()}"


def run(command: Sequence[str]) -> int:
    """Run a command, and return its status."""
    work = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert work.stdout is not None
    seen, at = list[str](), ["starting"]
    shown = sys.stderr.isatty()
    if not shown:
        print("setting up (once; this takes a minute or two)", file=sys.stderr, flush=True)
    clock = threading.Thread(target=_show, args=(work, at), daemon=True)
    if shown:
        clock.start()
    for line in work.stdout:
        seen.append(line)
        at[0] = told(line) or at[0]
    status = work.wait()
    if shown:
        clock.join()
        sys.stderr.write("\r\x1b[K")
    if status:
        sys.stderr.writelines(seen)
    return status


def _show(work: subprocess.Popen[str], at: list[str]) -> None:
    start = time.monotonic()
    while work.poll() is None:
        line = f"setting up, {time.monotonic() - start:3.0f} s: {at[0]}"
        sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()
        time.sleep(0.2)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: python tools/{Path(__file__).name} COMMAND …")
    sys.exit(run(sys.argv[1:]))

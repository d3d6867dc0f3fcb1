"""A process that runs command lines, and lets what they write go wrong at every step.

A request is a line of JSON with a folder, the words of a command, whose outputs are in the folder
`out` there, and a text. The command runs until it is about to write its first file. From that
moment on the rest is run again and again in a copy of the process (a fork): first as it is, and
then, once all files that it wrote hold the text instead, each time with another fault. The answer
says how each of these runs ended, and what was then in `out`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TextIO

NOBODY = 65534
MOST_STEPS = 300
_STEPS = ("os.rename", "os.remove", "os.chmod", "os.chown", "os.mkdir", "os.truncate", "os.link")


class Stage:
    """Counts the steps of a command that change the disk, and acts at one of them."""

    def __init__(self) -> None:
        self.folder = ""
        self.step = 0
        self.act: Callable[[int], None] | None = None

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take note of an audit event."""
        if self.act is None:
            return
        writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or event in _STEPS) and self._inside(arguments[0]):
            self.reached()

    def _inside(self, path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return os.path.realpath(os.fsdecode(path)).startswith(self.folder)

    def reached(self) -> None:
        """Count a step, and act."""
        if self.act is not None:
            self.act(self.step)
            self.step += 1


STAGE = Stage()
_FSYNC = os.fsync


def _fsync(handle: int) -> None:
    STAGE.reached()
    _FSYNC(handle)


def kill_at(step: int) -> None:
    """Be killed when a step is reached, before it is done."""

    def act(reached: int) -> None:
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    act(0)
    STAGE.act = act


def kill_at_byte(size: int) -> None:
    """Be killed by the system in the middle of writing a file, after so many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    STAGE.act = None


def fill_at_byte(size: int) -> None:
    """Have no room for more than so many bytes in a file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    STAGE.act = None


def vanish(_: int) -> None:
    """Lose the folder of the outputs."""
    shutil.rmtree(STAGE.folder)
    STAGE.act = None


def read_only(_: int) -> None:
    """Be somebody who may not write in the folder of the outputs."""
    os.chmod(STAGE.folder, 0o555)
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    STAGE.act = None


def _faults() -> Iterator[tuple[str, Callable[[int], None], int]]:
    yield "none", lambda _: setattr(STAGE, "act", None), 0
    yield "full", fill_at_byte, 1
    yield "killed in the first byte", kill_at_byte, 0
    yield "killed after a byte", kill_at_byte, 1
    yield "gone", vanish, 0
    if os.getuid() == 0:
        yield "read-only", read_only, 0
    for step in range(MOST_STEPS):
        yield f"killed at step {step}", kill_at, step


def _contents(folder: str) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("latin-1")
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


def _restore(folder: str, kept: str) -> None:
    if os.path.isdir(folder):
        os.chmod(folder, 0o755)
        shutil.rmtree(folder)
    shutil.copytree(kept, folder)


def _go_wrong(answers: TextIO, text: str) -> None:
    """At the first step: go on once for each fault, in a process of its own, and then give up."""
    folder, kept = STAGE.folder, f"{STAGE.folder}.kept"
    STAGE.act = None
    shutil.copytree(folder, kept)
    for name, fault, size in _faults():
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            os.dup2(writing, 2)
            STAGE.step = 0
            fault(size)
            return  # to the command, which goes on
        os.close(writing)
        with open(reading, encoding="utf-8", errors="replace") as stream:
            said = stream.read()
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        files = _contents(folder)
        found = {"fault": name, "status": status, "said": said, "files": files}
        print(json.dumps(found), file=answers, flush=True)
        if name == "none":
            for file in files:
                old = Path(kept, file)
                old.parent.mkdir(parents=True, exist_ok=True)
                old.write_text(text)
        _restore(folder, kept)
        if name.startswith("killed at") and status != -signal.SIGKILL:
            break
    shutil.rmtree(kept)
    os._exit(0)


def _answer(request: dict[str, Any], answers: TextIO) -> NoReturn:
    """Run a command in this process, which is a copy of the server."""
    from tellapart.cli import main

    os.chdir(request["folder"])
    STAGE.folder = os.path.realpath("out")
    STAGE.act = lambda _: _go_wrong(answers, request["old"])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    status = 99
    try:
        status = main(request["words"])
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    if STAGE.act is not None and STAGE.step == 0:
        found = {"fault": "nothing written", "status": status, "said": "", "files": {}}
        print(json.dumps(found), file=answers, flush=True)
    os._exit(status)


def _drawn_once(draw: Callable[[str, str], bytes], folder: str) -> Callable[[str, str], bytes]:
    """Keep pictures in files: the run without a fault draws what all others write."""

    def drawn(svg: str, kind: str) -> bytes:
        kept = Path(folder, hashlib.sha256(f"{kind} {svg}".encode()).hexdigest())
        if not kept.exists():
            kept.write_bytes(draw(svg, kind))
        return kept.read_bytes()

    return drawn


def serve(folder: str) -> None:
    """Answer requests, each in a copy of this process; pictures are kept in a folder."""
    import tellapart.comparison.compare
    import tellapart.comparison.details
    import tellapart.report.html.page  # noqa: F401  (loaded once, not for every request)
    from tellapart.report.figures import collection, picture

    setattr(collection, "as_bytes", _drawn_once(picture.as_bytes, folder))  # noqa: B010
    sys.addaudithook(STAGE)
    setattr(os, "fsync", _fsync)  # noqa: B010  (which has no audit event)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in sys.stdin:
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            _answer(json.loads(line), os.fdopen(writing, "w", buffering=1))
        os.close(writing)
        with open(reading, encoding="utf-8") as stream:
            found = [json.loads(each) for each in stream]
        os.waitpid(process, 0)
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as pictures:
        serve(pictures)

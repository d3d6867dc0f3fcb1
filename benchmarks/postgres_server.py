"""A PostgreSQL server of our own, for tests and benchmarks, where Debian's package is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "tellapart"


def missing() -> str:
    """Say why no server can be started; nothing if one can."""
    if _program("initdb") is None:
        return "no PostgreSQL on this machine; `make postgres` installs it as root"
    if os.getuid() == 0 and _other_user() is None:
        return "PostgreSQL does not run as root, and there is no user to run it as"
    return ""


@contextmanager
def started() -> Iterator[Path]:
    """Start a server, and stop it at the end; gives the folder of its socket."""
    # Not pytest's folder: the path of a socket has no more than 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        user = _other_user()
        if user is not None:
            shutil.chown(folder, user)
        data = ["-D", str(folder / "data")]
        _run("initdb", *data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        _run("pg_ctl", *data, "-w", "-o", _options(folder), "-l", str(folder / "log"), "start")
        try:
            yield folder
        finally:
            _run("pg_ctl", *data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def stopped(folder: Path) -> Iterator[None]:
    """Stop a server as a crash does, and start it again at the end."""
    data = ["-D", str(folder / "data"), "-w"]
    _run("pg_ctl", *data, "-m", "immediate", "stop")
    try:
        yield
    finally:
        _run("pg_ctl", *data, "-o", _options(folder), "-l", str(folder / "log"), "start")


def _options(folder: Path) -> str:
    """Return how it runs: nobody reaches it over the network."""
    return f"-k {folder} -c listen_addresses= -c max_connections=200"


def address(folder: Path, name: str) -> str:
    """Return the address of a database of a server."""
    return f"postgresql+psycopg://{USER}@/{name}?host={folder}"


def _program(name: str) -> str | None:
    """Find a program, also where Debian hides it."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, versions)))


def _other_user() -> str | None:
    """Return as whom root runs the server; None for all others, who run it themselves."""
    import pwd

    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


def _run(name: str, *words: str) -> None:
    program = _program(name)
    assert program is not None
    # A server that goes on running would keep a pipe open, and its reader waiting.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            [program, *words], user=_other_user(), cwd="/", stdout=said, stderr=said
        )
        said.seek(0)
        assert done.returncode == 0, said.read()

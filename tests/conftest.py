"""What several test modules share."""

from __future__ import annotations

import builtins
import gzip
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from benchmarks import postgres_server
from table_files import Write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long an example takes depends on what else the machine does. `make test-slow` is thorough.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile("quick")

# A suite that runs in the background ignores interrupts; the programs that it starts must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore = ["fresh"]  # scripts that other Pythons run

_plain_sum = builtins.sum


def watched_sum(values: Any, /, start: Any = 0) -> Any:
    """Return what `sum` does; refuse floats that the package sums with it."""
    found = _plain_sum(values, start)
    if type(found) is float and sys._getframe(1).f_globals.get("__name__", "").startswith(
        ("tellapart.", "studies.")
    ):
        raise AssertionError(
            "the built-in sum of floats depends on the version of Python: use math.fsum"
        )
    return found


builtins.sum = watched_sum  # since Python 3.12 it sums floats with other roundings than before

SHARED = Path(
    os.environ.get("TELLAPART_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")
).resolve()
"""The folder of real data and known answers, which a clone need not have"""
KNOWN = Path(__file__).parent / "data" / "known"
"""Small data with known answers"""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real data and known answers, or skip the tests that need it."""
    if not SHARED.is_dir():
        pytest.skip(f"no reference data at {SHARED}; set TELLAPART_DATA to its folder")
    return SHARED


@pytest.fixture(
    scope="session",
    params=["made", *([pytest.param("shared", marks=pytest.mark.slow)] * SHARED.is_dir())],
)
def reference_data(request: pytest.FixtureRequest) -> Path:
    """Give the folder of small data with known answers; then the shared one, where it is."""
    return SHARED if request.param == "shared" else KNOWN


@pytest.fixture(scope="session")
def reference_folders() -> list[Path]:
    """Give both folders at once: a parameter would move a test away from those of its module."""
    return [KNOWN, SHARED] if SHARED.is_dir() else [KNOWN]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file in a folder of its own, which is the current one; gives the name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write_file


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start a headless chromium, or skip where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine; `make browser` installs it as root")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """Give the browser of all tests, and close the pages that a test has opened: they go on."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """Start a PostgreSQL server, or skip where there is none; gives the folder of its socket."""
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    reason = postgres_server.missing()
    if reason:
        pytest.skip(reason)
    with postgres_server.started() as folder:
        yield folder


@pytest.fixture
def new_postgres(postgres: Path) -> Iterator[Callable[[], str]]:
    """Make new, empty databases on the server; gives a function that returns their addresses."""
    import psycopg

    made: list[str] = []

    def make() -> str:
        name = f"c{secrets.token_hex(6)}"
        admin.execute(f"CREATE DATABASE {name}")
        made.append(name)
        return postgres_server.address(postgres, name)

    with psycopg.connect(
        host=str(postgres), user=postgres_server.USER, dbname="postgres", autocommit=True
    ) as admin:
        yield make
        for name in made:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Where a campaign keeps its data: none is a file in its folder, else a new database."""
    if request.param == "sqlite":
        pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")
        return ""
    make: Callable[[], str] = request.getfixturevalue("new_postgres")
    return make()

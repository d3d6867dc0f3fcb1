"""Damaged files of every sample: a few cases each; make fuzz runs many more."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

import tellapart as ta
from format_samples import SAMPLES, SYSTEMS, Sample
from tellapart.errors import TellapartError
from tellapart.formats.registry import format_of

from .damage import BYTES, KEEPING, KEYED, PLAIN, Damage

SECONDS: Final = 20
"""A case that takes longer hangs; most take hundredths"""


class HangError(BaseException):
    """A case takes too long; no Exception, so that nothing in the program catches it."""


def samples() -> dict[str, Sample]:
    """Return all samples by name: the format, and the ending of the file where it has several."""
    return {f"{sample.form}{Path(sample.path).suffix}": sample for sample in SAMPLES}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case: refused, read, or a failure with its reason."""

    way: str
    kind: str
    said: str

    @property
    def failed(self) -> bool:
        """Whether the program did what it never may."""
        return self.kind in ("traceback", "hang", "silent")


class Bench:
    """The files of a sample in a folder, of which one at a time is damaged."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.sample = name, folder, samples()[name]
        self.sources = [self.sample.write(folder, *system) for system in SYSTEMS.items()]
        self.gold = self.sample.write_gold(folder, SYSTEMS["alder"])
        self.options = self.sample.write_options(folder)
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        self.files = {path: path.read_bytes() for path in paths}

    def read(self, named: bool = True) -> ta.Counts:
        """Read the files, as their format or as what they look like."""
        options: dict[str, Any] = {"form": self.sample.form, **self.options} if named else {}
        return ta.read(self.sources, self.gold, **options)

    def check(self) -> None:
        """Look for all problems, as `validate` does, which goes on where reading ends."""
        form = format_of(self.sample.form)
        if form.findings is not None:
            list(form.findings(self.sources, self.gold, form.options(**self.options)))

    @cached_property
    def sound(self) -> ta.Counts:
        """What the files say before they are damaged."""
        return self.read()

    def case(self, seed: int) -> Result:
        """Damage a file, read it, and say what became of it."""
        rng = Random(f"{self.name} {seed}")
        sound = self.sound
        path = rng.choice(list(self.files))
        way = rng.choice(_ways(self.files[path]))
        named = bool(self.options) or rng.random() < 0.7
        path.write_bytes(way(rng, self.files[path]))
        told = f"{way.__name__} in {path.name}"
        try:
            with _quick():
                if rng.random() < 0.2:
                    self.check()
                counts = self.read(named)
        except TellapartError as error:
            return Result(told, "refused", str(error))
        except HangError:
            return Result(told, "hang", f"more than {SECONDS} s")
        except Exception:
            return Result(told, "traceback", traceback.format_exc(limit=-4))
        finally:
            path.write_bytes(self.files[path])
        notices = [each.text for each in counts.notices]
        nothing_new = set(notices) <= {each.text for each in sound.notices}
        if way in KEEPING and named and nothing_new and _cells(counts) < _cells(sound):
            return Result(told, "silent", f"{counts} of {sound}")
        return Result(told, "read", " ".join(notices))


def _cells(counts: ta.Counts) -> int:
    """Return how many items of systems have values."""
    whole = len(counts.names) * len(counts.items)
    return whole if counts.present is None else int(counts.present.sum())


def _ways(data: bytes) -> tuple[Damage, ...]:
    if data.startswith((b"PAR1", b"PK")):
        return tuple(BYTES)
    return KEYED if data.startswith((b"{", b"[")) else PLAIN


@contextlib.contextmanager
def _quick() -> Iterator[None]:
    """Interrupt what takes too long."""

    def interrupt(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def scratch() -> str | None:
    """Return a folder in memory, where there is one: a case writes two files."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


CASES = max(12, int(os.environ.get("CASES", "0")) // len(samples()))


@pytest.mark.parametrize("name", samples())
def test_damaged_files(name: str) -> None:
    """No traceback, no hang, and no record that is dropped without a word."""
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        bench = Bench(name, Path(folder))
        results = {seed: bench.case(seed) for seed in range(CASES)}
    assert not {seed: result for seed, result in results.items() if result.failed}

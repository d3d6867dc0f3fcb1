"""What is worked out in the background when somebody wants to see it, and kept until it is old."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from tellapart.errors import TellapartError

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")
Version = tuple[int, int]
"""The numbers of a submission and a decision"""

RESTS: Final = 4.0
"""How long a result is left as it is, in times of what it took: people come before it"""
WAITING: Final = 4
"""So many may wait for what was never worked out; more would take judges' threads"""


@dataclass(slots=True)
class Latest(Generic[Key, Found]):
    """The latest results of a campaign, one for each key; one is worked out after the other."""

    version: Callable[[], Version]
    """Up to which submission and decision the campaign is now"""
    work: Callable[[Key], tuple[Version, Found]]
    """Returns a result, and up to which submission and decision it is"""
    _found: dict[Key, tuple[Version, Found | str]] = field(default_factory=dict)
    _busy: dict[Key, threading.Event] = field(default_factory=dict)
    _rests_until: dict[Key, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _one: threading.Lock = field(default_factory=threading.Lock)
    _waiting: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(WAITING)
    )

    def look(self, key: Key, patience_s: float = 20.0) -> tuple[Found | str | None, bool]:
        """Return what is known, or why it cannot be had, and whether that is up to date.

        If it was never worked out, wait for it, but not for ever; None if that takes longer.
        """
        version = self.version()
        with self._lock:
            known = self._found.get(key)
            if known is not None and known[0] == version:
                return known[1], True
            done = self._busy.get(key)
            if done is None and time.monotonic() >= self._rests_until.get(key, 0.0):
                done = self._busy[key] = threading.Event()
                threading.Thread(target=self._work_out, args=(key, done), daemon=True).start()
        if known is None and done is not None and self._waiting.acquire(blocking=False):
            try:
                done.wait(patience_s)
            finally:
                self._waiting.release()
            with self._lock:
                known = self._found.get(key)
        return (None, False) if known is None else (known[1], known[0] == version)

    def _work_out(self, key: Key, done: threading.Event) -> None:
        result: Found | str = "it could not be worked out"
        try:
            with self._one:
                began, version = time.monotonic(), self.version()
                try:
                    version, result = self.work(key)
                except TellapartError as problem:
                    result = str(problem)
                rests_until = time.monotonic() + RESTS * (time.monotonic() - began)
            with self._lock:
                self._found[key], self._rests_until[key] = (version, result), rests_until
        finally:
            with self._lock:
                del self._busy[key]
            done.set()

"""An action of `tellapart campaign`, and what several of them need."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.files import open_bytes

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign


@dataclass(frozen=True, slots=True)
class Action:
    """One of the things to do with a campaign."""

    about: str
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    description: str
    examples: str | None = None


@contextmanager
def extra_needed() -> Iterator[None]:
    """Say what to install where a package of the extra `campaign` is missing."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if (problem.name or "").startswith("tellapart"):
            raise
        raise UsageError(
            f"campaigns need {problem.name}: pip install 'tellapart[campaign]'"
        ) from None


def opened(args: argparse.Namespace) -> Campaign:
    """Return the campaign in the folder that is named."""
    from tellapart.campaign.campaign import Campaign

    return Campaign.open(args.folder)


def file_at(path: str) -> tuple[str, bytes]:
    """Return the name and the content of a file."""
    with open_bytes(path) as stream:
        return Path(path).name, stream.read()

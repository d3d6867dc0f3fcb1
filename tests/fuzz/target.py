"""What a target is: sound files, how they may be damaged, and the calls that read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from .damage import BYTES, PLAIN, Damage

Sound = Callable[[bytes, bytes], bool]
"""Says of damaged bytes, given the original ones, whether they are as sound: whether nobody who
knows the format could tell that something else was meant. It is a second opinion: it knows nothing
of the readers."""


@dataclass(frozen=True, slots=True)
class Container:
    """Files in a file, which are damaged one by one as well as the whole."""

    unpack: Callable[[bytes], Mapping[str, bytes]]
    pack: Callable[[Mapping[str, bytes]], bytes | None]
    """None where what is inside cannot be packed"""


@dataclass(frozen=True, slots=True)
class File:
    """One file of a target."""

    name: str
    data: bytes
    sound: Sound | None = None
    """None where no other content could be meant"""
    ways: Sequence[Damage] = PLAIN
    container: Container | None = None
    also: tuple[str, ...] = ()
    """What warnings may call it instead: the name of its system, say"""
    fixed: bool = False
    """Whether it is never damaged, being there for others"""

    def damage(self, rng: Random, data: bytes) -> tuple[bytes, str]:
        """Return damaged bytes, and how they were damaged."""
        if self.container is None:
            way = rng.choice(self.ways)
            return way(rng, data), _named(way)
        if data == self.data and rng.random() < 0.75:
            members = dict(self.container.unpack(data))
            name = rng.choice(list(members))
            way = rng.choice(self.ways)
            members[name] = way(rng, members[name])
            packed = self.container.pack(members)
            return (data if packed is None else packed), f"{_named(way)} in {name}"
        way = rng.choice(BYTES)
        return way(rng, data), f"{_named(way)} of the container"


def _named(way: Damage) -> str:
    return str(getattr(way, "__name__", way)).replace("_", " ")


@dataclass(frozen=True, slots=True)
class Target:
    """Sound files, and the arguments of `score`, `compare` and `validate` that read them."""

    name: str
    form: str
    """What `--as` takes"""
    files: tuple[File, ...]
    arguments: tuple[str, ...]
    validated: tuple[str, ...] | None = None
    """The arguments of `validate`; None where the files cannot be checked"""
    verbs: tuple[str, ...] = ("score", "compare")
    only_score: tuple[str, ...] = ()
    only_compare: tuple[str, ...] = ()
    stricter: str = ""
    """Why `validate` may refuse what the others take without a word, where it may"""
    is_guessed: bool = True
    """Whether the format is told from the files, too"""

    @property
    def damaged_files(self) -> list[File]:
        """The files that are damaged."""
        return [file for file in self.files if not file.fixed]

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

    def suffers(self, way: Damage) -> bool:
        """Whether a way damages the file at most places where it is tried."""
        tried = [self._by(way, Random(seed), self.data)[0] for seed in range(8)]
        return sum(data != self.data for data in tried) > len(tried) / 2

    def damage(self, rng: Random, data: bytes) -> tuple[bytes, str]:
        """Return damaged bytes, and how they were damaged."""
        if self.container is None or (data == self.data and rng.random() < 0.75):
            return self._by(None, rng, data)
        way = rng.choice(BYTES)
        return way(rng, data), f"{name_of(way)} of the container"

    def _by(self, way: Damage | None, rng: Random, data: bytes) -> tuple[bytes, str]:
        """Damage a file, or one that is inside it, in a way, or in any of its ways."""
        if self.container is None:
            way = way or rng.choice(self.ways)
            return way(rng, data), name_of(way)
        members = dict(self.container.unpack(data))
        name = rng.choice(list(members))
        way = way or rng.choice(self.ways)
        members[name] = way(rng, members[name])
        packed = self.container.pack(members)
        return (data if packed is None else packed), f"{name_of(way)} in {name}"


def name_of(way: Damage) -> str:
    """Return what a way to damage files is called."""
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

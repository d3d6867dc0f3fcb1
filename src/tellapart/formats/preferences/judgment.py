"""A judgment as files have it, and `preference_format`: a format by how judgments are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.head import Head
from tellapart.formats.problems import Findings
from tellapart.options import NoOptions
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judgment as it was read: the points of the system that was shown first."""

    item: str
    first: str
    second: str
    points: float
    place: str
    weight: int = 1
    """How often the harness itself counts it: arena-hard three times if the lead is clear"""
    labels: Mapping[str, str] = field(default_factory=dict)
    input: str = ""
    outputs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """All judgments of some files, and what is known of them together."""

    judgments: Sequence[Judgment]
    ordered: bool
    """Whether `first` is what the judge saw first"""
    reference: str | None = None
    """The system that all others were held against"""
    agreement: bool = False


def preference_format(
    name: str,
    about: str,
    *,
    recognises: Callable[[Head], bool],
    collect: Callable[[Sources, Any, Findings], Collected],
    options: type[Any] = NoOptions,
    suffixes: tuple[str, ...] = (),
    refuses: Callable[[Head], DataError | None] | None = None,
) -> Format:
    """Return the format of files of judgments: `collect` reads all files together."""

    def read(sources: Sources, given: Any) -> Counts:
        from tellapart.formats.preferences.assembly import assemble

        if sources.gold:
            raise UsageError("judgments side by side need no --gold; leave it out")
        problems = Findings(strict=True)
        return assemble(collect(sources, given, problems), sources.missing or "error", problems)

    def findings(files: Sequence[str], gold: Sequence[str], given: Any) -> Iterable[Finding]:
        problems = Findings()
        sources = Sources(tuple(files), tuple(gold))
        with problems.of_file():
            collect(sources, given, problems)
        return problems.as_read(lambda: read(sources, given).notices)

    def check(path: str, _: Head) -> None:
        collect(Sources((path,)), options(), Findings(strict=True))

    return Format(
        names=(name,),
        about=about,
        recognises=recognises,
        suffixes=suffixes,
        read=read,
        options=options,
        check=check,
        refuses=refuses,
        findings=findings,
    )


def is_name(value: Any) -> bool:
    """Return whether a value may name a prompt: a text that says something, or a whole number.

    >>> is_name("q1"), is_name(81), is_name(""), is_name(None), is_name(0.5), is_name(True)
    (True, True, False, False, False, False)
    """
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool)


def refuse_same(judgment: Judgment, problems: Findings) -> bool:
    """Complain of a system that is judged against itself; return whether it is."""
    if judgment.first != judgment.second:
        return False
    problems.complain(
        f"{judgment.place}: {listed([judgment.first])} is judged against itself; name two systems"
    )
    return True

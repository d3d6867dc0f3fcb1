"""Problems of files: to refuse the file, or to note the problem and go on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.formats.contract import Sources, paths_of

NOT_UNDERSTOOD: Final = "not-understood"
"""The code of what a reader could make nothing of, and went on without"""

FOR_TESTS: Final = "repeats"
"""The code of what matters to tests alone"""
_KINDS: Final = 5  # of problems in one error
OF_A_KIND: Final = 10
"""Problems that differ only in line and values: more are counted"""
_PLACE: Final = re.compile(r"(?P<file>.+?)(?:(?::|, (?:row|line) )(?P<line>\d+))?: ", re.DOTALL)
# Quoted as repr() quotes: a quotation mark inside stands behind a backslash.
_VALUES: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with files, collected while they are read.

    A reader is handed one, whoever asks: `validate` wants all problems. `score` and `compare` want
    `Findings(strict=True)`, where the first problem that keeps a file from being scored is raised,
    and what a file can be scored with becomes `notices`.

    >>> findings = Findings()
    >>> with findings.of_file():
    ...     raise DataError("a.txt: the file is empty")
    >>> findings.warn("b.txt:3: the line is blank; it was skipped")
    >>> [str(each) for each in findings.found]
    ['a.txt: the file is empty', 'warning: b.txt:3: the line is blank; it was skipped']
    """

    found: list[Finding] = field(default_factory=list)
    strict: bool = False

    def complain(self, problem: str) -> None:
        """Note what keeps a file from being scored, or raise it."""
        if self.strict:
            raise DataError(problem)
        self.found.append(Finding(problem))

    def warn(self, problem: str) -> None:
        """Note what a file can be scored with: what was found, and what became of it."""
        self.found.append(Finding(problem, fatal=False))

    @contextmanager
    def of_file(self) -> Iterator[None]:
        """Note the DataError that ends the block, if one does."""
        try:
            yield
        except DataError as problem:
            self.complain(str(problem))

    @property
    def fatal(self) -> bool:
        """Whether some file cannot be scored."""
        return any(each.fatal for each in self.found)

    def raise_all(self) -> None:
        """Raise all that keeps files from being scored, in one error; those of a kind are counted.

        >>> findings = Findings()
        >>> for place in ("a.csv:3", "a.csv:7", "b.csv:4"):
        ...     findings.complain(f"{place}: 'x' is not a number")
        >>> findings.raise_all()
        Traceback (most recent call last):
        tellapart.errors.DataError: a.csv:3: 'x' is not a number (2 more of this kind, the last \
in line 4 of b.csv)
        """
        kinds = self._by_kind(fatal=True)
        if kinds:
            texts = [_summed_up(own).removesuffix(".") for own in kinds.values()]
            more = f"; and {len(texts) - _KINDS} more kinds" if len(texts) > _KINDS else ""
            raise DataError("; also ".join(texts[:_KINDS]) + more)

    def as_read(self, read: Callable[[], Iterable[Notice]]) -> list[Finding]:
        """Return all that was found, also by reading as `compare` does, if nothing forbids that.

        `read` returns the remarks of the reader, of which some are here by their lines already;
        what only tests have to know is left out.
        """
        if not self.fatal:
            try:
                for notice in read():
                    if notice.code not in (NOT_UNDERSTOOD, FOR_TESTS):
                        self.warn(notice.text.removesuffix("."))
            except (DataError, UsageError) as problem:
                self.complain(str(problem))
        return self.found

    def notices(self) -> tuple[Notice, ...]:
        """Return what files can be scored with, a notice for all of a kind in a file.

        >>> findings = Findings()
        >>> for line in range(3, 9):
        ...     findings.warn(f"b.txt:{line}: there is no slot 'x{line}'; it was left out")
        >>> for notice in findings.notices():
        ...     print(notice.text)
        b.txt:3: there is no slot 'x3'; it was left out (5 more of this kind, the last in line 8).
        """
        kinds = self._by_kind(fatal=False).items()
        return tuple(Notice(NOT_UNDERSTOOD, _summed_up(own), (file,)) for (file, _), own in kinds)

    def _by_kind(self, *, fatal: bool) -> dict[tuple[str, str], list[str]]:
        """Return findings by what they say without line and values; remarks also by their file."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for each in self.found:
            if each.fatal == fatal:
                file, kind = kind_of(each.text)
                kinds.setdefault(("" if fatal else file, kind), []).append(each.text)
        return kinds


def findings_of(
    paths: Iterable[str],
    read: Callable[[str, Findings], object],
    compare: Callable[[], Iterable[Notice]],
) -> list[Finding]:
    """Return all that is wrong with each file, and what `compare` says of them together."""
    problems = Findings()
    for path in paths:
        with problems.of_file():
            read(path, problems)
    return problems.as_read(compare)


def check_files(
    read_file: Callable[[str, Findings], object],
    read: Callable[[Sources, Any], Any],
    systems: Sequence[str],
    gold: Sequence[str],
    options: Any,
) -> list[Finding]:
    """Return all that is wrong with each file, and what reading them with the gold says."""
    sources = Sources(tuple(systems), tuple(gold))
    paths = (*gold, *paths_of(systems))
    return findings_of(paths, read_file, lambda: read(sources, options).notices if gold else ())


def kind_of(problem: str) -> tuple[str, str]:
    """Return the file that a problem is about, and the problem without line and values.

    >>> kind_of("runs/a1.txt:3: there is no tag 'X-3'")
    ('runs/a1.txt', 'there is no tag ')
    >>> kind_of("b.parquet, row 12: -3 is negative"), kind_of("a file is missing")
    (('b.parquet', '- is negative'), ('', 'a file is missing'))
    """
    place = _PLACE.match(problem)
    file = place["file"] if place else ""
    return file, _VALUES.sub("", problem[place.end() :] if place else problem)


def last_line(problems: Sequence[str]) -> str:
    """Return the remark on the line of the last problem, if it has one.

    >>> last_line(["a:3: no tag", "a:7: no tag"]), last_line(["a: no tokens"])
    (', the last in line 7', '')
    >>> last_line(["a:3: no tag", "b:7: no tag"])
    ', the last in line 7 of b'
    """
    place = _PLACE.match(problems[-1])
    file = f" of {place['file']}" if place and place["file"] != kind_of(problems[0])[0] else ""
    return f", the last in line {place['line']}{file}" if place and place["line"] else ""


def shortened(problems: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the first problems of each kind, and then how many more there are.

    >>> problems = [Finding(f"a:{n}: no tag '{n}'") for n in range(1, 14)]
    >>> [str(each) for each in shortened(problems)][-2:]
    ["a:10: no tag '10'", 'a: 3 more of this kind, the last in line 13']
    """
    kinds = [(each.fatal, *kind_of(each.text)) for each in problems]
    numbers, seen = Counter(kinds), Counter[tuple[bool, str, str]]()
    last = dict(zip(kinds, problems, strict=True))
    for kind, problem in zip(kinds, problems, strict=True):
        seen[kind] += 1
        # One more takes a line as well as saying that there is one.
        if seen[kind] <= OF_A_KIND or numbers[kind] == OF_A_KIND + 1:
            yield problem
        if seen[kind] == OF_A_KIND and numbers[kind] > OF_A_KIND + 1:
            fatal, file, _ = kind
            more = f"{numbers[kind] - OF_A_KIND} more of this kind{last_line([last[kind].text])}"
            yield Finding(f"{file}: {more}" if file else more, fatal)


def _summed_up(texts: Sequence[str]) -> str:
    first = texts[0].removesuffix(".")
    if len(texts) == 1:
        return f"{first}."
    return f"{first} ({len(texts) - 1} more of this kind{last_line(texts)})."

"""The rule that every case is held against, and how a case is made and run.

Of a damaged file the program may do one of five things: refuse it in one sentence, give the record
that it gave before, give another record because the file is sound and says something else, give
another record and name the damage in a warning, or, which is a failure, anything else. `score`,
`compare` and `validate` have to agree.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest import mock

import duckdb

from tellapart import cli

from .target import File, Target, name_of

SECONDS: Final = 60
"""A call that computes longer hangs, or that waits ten times as long; most take hundredths"""
QUICK: Final = (
    "--test",
    "shuffle",
    "--shuffles",
    "9",
    "--no-intervals",
    "--correction",
    "none",
    "--workers",
    "1",
)
"""Comparisons that are over soon: what is read is tried here, not how it is tested"""
ENOUGH: Final = 1_000
"""The cases among which all that can be tried is found"""
COUNTS: Final = "counts read.csv"

FINE: Final = ("refused", "unchanged", "sound", "named", "several")
FAILURES: Final = ("traceback", "hang", "silent", "validate")


class HangError(BaseException):
    """A case takes too long; no Exception, so that nothing in the program catches it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the program said in one call."""

    status: int
    facts: Any
    """What the record says of the data: systems, items, labels, counts and scores"""
    messages: tuple[str, ...]
    """Warnings and errors, and what `validate` lists"""
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case."""

    kind: str
    """One of FINE or of FAILURES"""
    reason: str = ""

    @property
    def fine(self) -> bool:
        """Whether the rule was kept."""
        return self.kind in FINE


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged file of a target."""

    target: Target
    seed: int
    file: File
    data: bytes
    ways: tuple[str, ...]
    named: bool
    """Whether `--as` names the format, which is guessed otherwise"""
    verb: str

    @property
    def damaged(self) -> bool:
        """Whether anything is other than it was."""
        return self.data != self.file.data

    def replay(self) -> str:
        """Return the command that shows the case again."""
        return f"python -m fuzz {self.target.name} {self.seed}"


def make_case(target: Target, seed: int) -> Case:
    """Return the case of a number: a file, its damage, and the call to try."""
    rng = Random(f"{target.name} {seed}")
    file = rng.choice(target.damaged_files)
    times = rng.choice((1, 1, 1, 1, 1, 1, 1, 1, 2, 3))
    data, ways = file.data, list[str]()
    for _ in range(times):
        data, way = file.damage(rng, data)
        ways.append(way)
    guess = rng.random() < 0.3 and target.is_guessed
    return Case(target, seed, file, data, tuple(ways), not guess, rng.choice(target.verbs))


def few_cases(target: Target, first: int, most: int) -> list[Case]:
    """Return cases that try a target in few: every damage, every file by every verb, and guessing.

    Those that try something which none before does come first; others fill up the number, which
    is exceeded where there is more to try. A case that leaves its file as it was tries nothing.
    """
    left = _to_try(target)
    new, others = list[Case](), list[Case]()
    for seed in range(first, first + ENOUGH):
        if not left and len(new) + len(others) >= most:
            break
        case = make_case(target, seed)
        if case.damaged:
            (new if left & _tried(case) else others).append(case)
            left -= _tried(case)
    assert not left, f"{target.name}: {ENOUGH} cases do not try {sorted(left)}"
    return [*new, *others[: max(0, most - len(new))]]


def _to_try(target: Target) -> set[tuple[str, ...]]:
    """Return what the cases of a target have to try."""
    found: set[tuple[str, ...]] = {("named",), ("guessed" if target.is_guessed else "named",)}
    for file in target.damaged_files:
        found |= {(file.name, verb) for verb in target.verbs}
        found |= {(name_of(way),) for way in file.ways if file.suffers(way)}
        found |= {("container",)} if file.container else set()
    return found


def _tried(case: Case) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = {
        (case.file.name, case.verb),
        ("named" if case.named else "guessed",),
    }
    if len(case.ways) == 1:  # of several damages, one may hide another
        (way,) = case.ways
        found.add(("container" if way.endswith(" of the container") else way.partition(" in ")[0],))
    return found


def scratch() -> str | None:
    """Return where folders of cases are quick: in memory, since outputs wait for the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Bench:
    """A folder with the sound files of a target, in which its cases are run."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.target = target
        self.folder = folder
        for file in target.files:
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
        self._sound: dict[tuple[str, bool], Said] = {}

    def sound(self, verb: str, named: bool = True) -> Said:
        """Return what is said of the files as they are."""
        if (verb, named) not in self._sound:
            self._sound[verb, named] = self._call(verb, named)
        return self._sound[verb, named]

    def judge(self, case: Case) -> Verdict:
        """Return what became of a case; its file is sound again afterwards."""
        with self._with(case):
            try:
                return self._judge(case)
            except HangError:
                return Verdict("hang", f"more than {SECONDS} s")

    def said(self, case: Case, verb: str) -> Said:
        """Return what is said of a damaged file."""
        with self._with(case):
            return self._call(verb, case.named)

    @contextlib.contextmanager
    def _with(self, case: Case) -> Iterator[None]:
        # The sound files first: they are asked while none is damaged.
        for verb in (*self.target.verbs, "validate"):
            if verb != "validate" or self.target.validated is not None:
                self.sound(verb, case.named)
        path = self.folder / case.file.name
        path.write_bytes(case.data)
        try:
            yield
        finally:
            path.write_bytes(case.file.data)

    def _judge(self, case: Case) -> Verdict:
        said = self._call(case.verb, case.named)
        wrong = _bad_ending(said)
        if wrong:
            return wrong
        checked = None if self.target.validated is None else self._call("validate", case.named)
        if checked is not None:
            wrong = _bad_ending(checked)
            if wrong:
                return wrong
            wrong = self._disagreement(case, said, checked)
            if wrong:
                return wrong
        if said.status == 2:
            return Verdict("refused")
        if said.facts == self.sound(case.verb, case.named).facts:
            return Verdict("unchanged")
        if case.file.sound is not None and case.file.sound(case.data, case.file.data):
            return Verdict("sound")
        if len(case.ways) > 1:
            # One harmless damage and another value: who should say which one changed the record?
            return Verdict("several")
        return self._named(case, said, checked)

    def _disagreement(self, case: Case, said: Said, checked: Said) -> Verdict | None:
        """Return where `validate` and another verb do not agree on what a file is good for."""
        accepted = said.status == 0 and not self._new(case, case.verb, said)
        if accepted and checked.status == 2 and not self.target.stricter:
            text = f"{case.verb} accepts without a word what validate refuses: {_last(checked)}"
            return Verdict("validate", text)
        own = _last(said).startswith(f"tellapart: {case.file.name}:")
        if own and said.status == 2 and checked.status == 0 and not _BETWEEN.search(_last(said)):
            return Verdict("validate", f"validate finds nothing: {said.messages[-1]}")
        return None

    def _named(self, case: Case, said: Said, checked: Said | None) -> Verdict:
        """Return whether every verb names the damage in a warning."""
        for verb in self.target.verbs:
            other = said if verb == case.verb else self._call(verb, case.named)
            changed = other.facts != self.sound(verb, case.named).facts
            if other.status == 0 and changed and not self._new(case, verb, other):
                return Verdict("silent", f"{verb} gives another record without a word")
        if checked is not None and checked.status == 0 and not self._new(case, "validate", checked):
            new = self._new(case, case.verb, said)
            return Verdict("validate", f"validate does not list: {new[0] if new else '?'}")
        return Verdict("named")

    def _new(self, case: Case, verb: str, said: Said) -> list[str]:
        """Return the warnings about the damaged file that the sound one does not have."""
        known = set(self.sound(verb, case.named).messages)
        names = {case.file.name, *case.file.also}
        if not case.file.also:  # of gold, whose faults show where systems do not fit it
            names |= {name for file in self.target.files for name in (file.name, *file.also)}
        new = (text for text in said.messages if text not in known)
        return [text for text in new if any(name in text for name in names)]

    def _call(self, verb: str, named: bool) -> Said:
        target = self.target
        arguments = list(target.arguments if verb != "validate" else target.validated or ())
        if named:
            arguments = ["--as", target.form, *arguments]
        if verb == "score":
            arguments += ["--json", "-", *target.only_score]
        if verb == "compare":
            arguments += ["--json", "-", "--save-counts", COUNTS, *QUICK, *target.only_compare]
        return self.run(verb, *arguments)

    def run(self, verb: str, *arguments: str) -> Said:
        """Run any command in the folder, and return what it said."""
        with contextlib.chdir(self.folder):
            Path(COUNTS).unlink(missing_ok=True)
            return call(verb, *arguments)


def _bad_ending(said: Said) -> Verdict | None:
    if said.trace:
        return Verdict("traceback", said.trace)
    if said.status not in (0, 2):
        return Verdict("traceback", f"status {said.status}: {_last(said)}")
    if said.status == 2 and "more memory than there is" in _last(said):
        return Verdict("traceback", _last(said))
    return None


def _last(said: Said) -> str:
    return said.messages[-1] if said.messages else "nothing was said"


def call(verb: str, *arguments: str) -> Said:
    """Run a command in this process, and return what it said; HangError where it takes too long."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")
    trace = ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _limited(), _quick():
        # As the program does; warnings of libraries are for programmers.
        warnings.simplefilter("ignore")
        try:
            status = cli.main([verb, *arguments])
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else 2
        except Exception:
            status, trace = 70, "".join(traceback.format_exc().splitlines(True)[-5:]).rstrip()
    out.flush()
    err.flush()
    printed = out.buffer.getvalue().decode()
    complained = err.buffer.getvalue().decode()
    messages = [line for line in complained.split("\n") if line and not line.startswith("read as")]
    facts: Any = None
    if status in (0, 2) and verb == "validate":
        messages = [*printed.splitlines(), *(each for each in messages if not _SUM.match(each))]
    elif status == 0 and not trace and "--json" in arguments:
        try:
            record = json.loads(printed)
        except ValueError:
            return Said(70, None, tuple(messages), f"the record is no JSON: {printed[:200]!r}")
        # Only readers of files say sentences of their own.
        messages += [each["text"] for each in record.get("notices", ()) if each.get("text")]
        facts = _facts(record)
    return Said(status, facts, tuple(messages), trace)


@contextlib.contextmanager
def _quick() -> Iterator[None]:
    """Keep what is the same in every call and takes most of the time of a small one."""
    with (
        warnings.catch_warnings(),
        mock.patch.object(cli, "build_parser", _parser),
        mock.patch.object(duckdb, "connect", _connect),
    ):
        yield


def _connect(config: Mapping[str, Any]) -> Any:
    """Return a connection of its own to one database, which takes a thousand times as long to make.

    It remembers nothing of files; where a damaged one has made it unusable, it is made again.
    """
    settings = tuple(config.items())
    try:
        _database(settings).execute("SELECT 1").fetchall()
    except duckdb.Error:
        _database.cache_clear()
    return _database(settings).cursor()


_make_database: Any = duckdb.connect


@cache
def _database(settings: tuple[tuple[str, Any], ...]) -> Any:
    return _make_database(config={**dict(settings), "enable_external_file_cache": "false"})


def _parser(words: Sequence[str] = ()) -> cli.Parser:
    """Return the parser of a verb, made once."""
    return _parser_of(words[0]) if words else _make_parser(words)


_make_parser = cli.build_parser


@cache
def _parser_of(verb: str) -> cli.Parser:
    return _make_parser([verb])


_BETWEEN: Final = re.compile(
    r"missing in|the document is not the one in|the files disagree|looks like another format"
)
"""What is said of files that do not fit one another, which is not the fault of one"""
_SUM: Final = re.compile(r"(no|\d+) errors?, (no|\d+) warnings?$")


def _facts(record: Any) -> Any:
    """Return what a record says of the data: not how it was tested, nor in which order it came."""
    systems = {each["name"]: _rounded(_without(each)) for each in record["systems"]}
    items = record.get("items")
    rows: list[str] = []
    if os.path.exists(COUNTS):
        rows = sorted(Path(COUNTS).read_text().splitlines())
    return systems, items, rows


def _without(system: Any) -> Any:
    kept = ("scores", "counts", "report")
    return {key: system[key] for key in kept if key in system}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}")  # sums depend on the order of what is summed
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise HangError in what takes too long."""

    def stop(*_: Any) -> None:
        raise HangError

    # Time of the processor first, which does not depend on what else the machine does.
    timers = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, stop) for number in timers}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, 10 * SECONDS)
    try:
        yield
    finally:
        for number, timer in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def shown_damage(case: Case) -> str:
    """Return the lines that differ, before and after."""
    before, after = (each.splitlines() for each in (case.file.data, case.data))
    start = next(
        (k for k, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
        min(len(before), len(after)),
    )
    parts = [f"{case.file.name}:{start + 1}: {', '.join(case.ways)}"]
    for sign, lines in (("-", before), ("+", after)):
        parts += [f"  {sign} {_short(line)}" for line in lines[start : start + 2]]
    return "\n".join(parts)


def _short(line: bytes) -> str:
    text = repr(line)[2:-1]
    return text if len(text) <= 160 else f"{text[:100]} … {text[-50:]}"


def kind_of_failure(verdict: Verdict) -> str:
    """Return what failures of one cause have in common: all but values, numbers and places."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "", f"{verdict.kind} {verdict.reason[-200:]}")


def failures(verdicts: Sequence[tuple[Case, Verdict]]) -> str:
    """Return failed cases as text, each with the command that shows it."""
    parts = [
        f"{verdict.kind}: {case.replay()}\n{shown_damage(case)}\n  {verdict.reason}"
        for case, verdict in verdicts
    ]
    return "\n\n".join(parts)

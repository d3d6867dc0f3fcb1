"""What participants send in: looked at before it counts, within limits, and never as a path.

A submission is read just as judging will read it, beside the gold and one system that is there.
What is wrong with it is told in sentences about the sender's own file: they name no place on this
machine, no other system, and nothing that only the gold or others' files hold.
"""

from __future__ import annotations

import ast
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from tellapart.campaign.campaign import Campaign, Laid, Person, Submission
from tellapart.campaign.judging import judging_of, read_outputs, reading_options
from tellapart.campaign.own_process import Crashed, TooSlow, in_own_process
from tellapart.campaign.settings import Settings
from tellapart.errors import Finding, TellapartError, UsageError
from tellapart.formats.problems import kind_of, shortened
from tellapart.formats.registry import TABLES, format_of
from tellapart.options import make_options
from tellapart.words import clean, several

CHECKED_FOR_S: Final = 120.0
"""How long reading a submission may take"""
TRIES: Final = 4
"""So many times the submissions of a day may be sent, refused ones among them"""
LONGEST_NAME: Final = 60
SHOWN: Final = 50
"""Findings; more are counted"""
_NEW: Final = ""  # no system is called so
_REFERENCE: Final = "the reference"
_PACKED: Final = {
    b"PK\x03\x04": "a zip archive", b"PK\x05\x06": "a zip archive", b"\x1f\x8b": "gzipped",
    b"BZh": "packed by bzip2", b"\xfd7zXZ": "packed by xz", b"(\xb5/\xfd": "packed by zstd",
    b"7z\xbc\xaf": "a 7z archive", b"Rar!": "a rar archive",
}  # fmt: skip
_ARCHIVES: Final = ("inspect",)
"""Formats whose files are archives; their reader bounds what comes out of them"""
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_checking = threading.Lock()
_waiting = threading.BoundedSemaphore(4)  # more would keep pages from being answered


class TooMany(UsageError):  # noqa: N818 (read as a sentence where it is caught)
    """A participant has sent as much as a day allows."""


class TooLarge(UsageError):  # noqa: N818
    """A submission is larger than the campaign takes."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody sent, under the name that messages give it."""

    system: str
    name: str
    content: bytes


Check = Callable[[str, Upload], Sequence[Finding]]


def receive(
    campaign: Campaign,
    person: Person,
    system: str,
    filename: str,
    content: bytes,
    *,
    check: Check | None = None,
) -> Submission:
    """Look at a submission, keep that it was made, and return whether it was accepted.

    What cannot be looked at at all (too many, too large, no name of a system) is an error, and is
    not kept. One is looked at after the other, in a process of its own.
    """
    upload = Upload(system_name(system), file_name(filename), content)
    check_size(campaign, len(content))
    if not _waiting.acquire(blocking=False):
        raise TooMany("other submissions are just being looked at; send yours in a minute")
    try:
        with _checking:
            return _received(campaign, person, upload, check or check_upload)
    finally:
        _waiting.release()


def _received(campaign: Campaign, person: Person, upload: Upload, check: Check) -> Submission:
    made, system = campaign.submissions(), upload.system
    _check_number(campaign, person, made)
    first = first_of(made, system)
    if first is not None and person.role != "organiser" and first.person != person.name:
        problem = f"there is a system {system!r} of somebody else; give yours another name"
        return campaign.refuse(system, [problem], person.name)
    found = [*_plain_problems(campaign, upload.name, upload.content)]
    found = found or _checked(campaign, upload, check)
    if any(each.fatal for each in found):
        return campaign.refuse(system, _few(found), person.name)
    # The spelling by which it became theirs: two that look alike are one system.
    called = system if first is None else first.system
    return campaign.submit(called, upload.name, upload.content, person.name, _few(found))


def check_size(campaign: Campaign, size: int) -> None:
    """Refuse what is too large for the campaign."""
    most = campaign.settings.megabytes
    if size > most * 1_000_000:
        raise TooLarge(f"the file is larger than {most:g} MB, the most that this campaign takes")


def file_name(given: str) -> str:
    r"""Return how messages and records call a file, whatever a client says that its name is.

    >>> file_name("../../etc/passwd"), file_name("C:\\runs\\a.txt"), file_name("\x00")
    ('passwd', 'a.txt', 'file')
    """
    last = given.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(c for c in last if c.isprintable()).strip()
    if len(kept) > LONGEST_NAME:
        stem, _, ending = kept.rpartition(".")
        kept = f"{(stem or ending)[:40]}….{ending[:12]}"
    return kept if kept.strip(".") else "file"


def system_name(given: str) -> str:
    """Return the name of a system, or refuse it."""
    name = unicodedata.normalize("NFC", given).strip()
    if not name:
        raise UsageError("the system has no name; give it one")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"the name of the system is longer than {LONGEST_NAME} characters")
    odd = next((c for c in name if not c.isprintable() or c in "=,"), None)
    if odd is not None or clean(name) != name:
        what = "in its words" if odd is None else repr(odd)
        raise UsageError(f"the name of a system cannot have {what} in it; give it another")
    return name


def _folded(name: str) -> str:
    """Return a name so that two which look alike are equal."""
    return unicodedata.normalize("NFKC", name).casefold()


def first_of(made: Iterable[Submission], system: str) -> Submission | None:
    """Return the submission by which a system became somebody's own; None if it is nobody's.

    >>> first = Submission(1, "GE", "ann", "", True, (), 1)
    >>> first_of([first], "ge") is first
    True
    """
    for each in made:
        if each.accepted and _folded(each.system) == _folded(system):
            return each
    return None


def _check_number(campaign: Campaign, person: Person, made: Iterable[Submission]) -> None:
    """Refuse more than a day allows; attempts have a limit of their own: nobody probes for ever."""
    if person.role == "organiser":
        return
    since = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="microseconds")
    recent = [each for each in made if each.person == person.name and each.made_at > since]
    accepted, most = [each for each in recent if each.accepted], campaign.settings.per_day
    for some, limit, what in (
        (accepted, most, "submission"),
        (recent, TRIES * most, "attempt"),
    ):
        if len(some) >= limit:
            again = datetime.fromisoformat(some[-limit].made_at) + timedelta(days=1)
            raise TooMany(
                f"you have made {several(limit, what)} within 24 hours, as many as this campaign "
                f"takes; the next one may come at {again:%H:%M} UTC on {again.day} {again:%B}"
            )


# Looking at one


def _plain_problems(campaign: Campaign, name: str, content: bytes) -> Iterator[Finding]:
    """Yield what is wrong with any file, before a reader of the format sees it."""
    if not content.strip():
        yield Finding(f"{name}: the file is empty")
    for magic, what in _PACKED.items():
        if content.startswith(magic) and campaign.settings.form not in _ARCHIVES:
            yield Finding(f"{name}: the file is {what}; send what is in it, unpacked")


def _checked(campaign: Campaign, upload: Upload, check: Check) -> list[Finding]:
    try:
        return list(
            in_own_process(
                check, campaign.folder, upload, returns=list[Finding], seconds=CHECKED_FOR_S
            )
        )
    except TooSlow:
        problem = (
            f"the file could not be read within {CHECKED_FOR_S:g} seconds; is it the right one?"
        )
    except Crashed:
        problem = "reading the file took too much memory, or failed; is it the right one?"
    return [Finding(f"{upload.name}: {problem}")]


def check_upload(folder: str, upload: Upload) -> list[Finding]:
    """Return what is wrong with a submission, held against the gold and one other system."""
    campaign = Campaign.open(folder)
    made = [each for each in campaign.systems() if each != upload.system] or campaign.systems()
    # Of templates each system is scored by itself; tables have to fit all others.
    beside = made[:1] if campaign.settings.judging == "fills" else made
    with campaign.laid_out({_NEW: (upload.name, upload.content)}, only=beside) as laid:
        own = laid.systems[_NEW]
        known = [path for name, path in laid.systems.items() if name != _NEW]
        called = _REFERENCE if not upload.system.startswith(_REFERENCE) else "another submission"
        systems = {called if k == 0 else f"{called} {k + 1}": path for k, path in enumerate(known)}
        whole = replace(laid, systems={**systems, upload.system: own})
        look = _Look(campaign.settings, whole, upload, called)
        found = look.findings()
        telling = _Telling(look)
        return [each for finding in found if (each := telling.told(finding)) is not None]


@dataclass(frozen=True, slots=True)
class _Look:
    """A submission on disk, beside the gold and one other."""

    settings: Settings
    laid: Laid
    """The other system, if there is one, and then the submission"""
    upload: Upload
    reference: str
    """What the other system is called here"""

    @property
    def own(self) -> Path:
        return self.laid.systems[self.upload.system]

    @property
    def others(self) -> list[Path]:
        """The files that the sender must not learn anything about."""
        systems = [path for path in self.laid.systems.values() if path != self.own]
        return [*self.laid.gold, *systems, *self.laid.options.values()]

    @property
    def before(self) -> Laid:
        """The campaign without the submission."""
        systems = {name: path for name, path in self.laid.systems.items() if path != self.own}
        return replace(self.laid, systems=systems)

    def items(self) -> Sequence[str]:
        """Return the items of the campaign, as the other systems or the gold itself have them."""
        before = self.before
        if not before.systems and self.laid.gold:
            before = replace(before, systems={self.reference: self.laid.gold[0]})
        with suppress(TellapartError):
            if before.systems:
                return judging_of(self.settings, before).items
        return ()

    def findings(self) -> list[Finding]:
        """Return all that is wrong."""
        found = [*self._of_format(self.laid.gold)]
        if not any(each.fatal for each in found):
            try:
                found += self._as_judged()
            except TellapartError as problem:
                found.append(Finding(str(problem)))
        return found

    def without_gold(self) -> set[str]:
        """Return what is wrong with the file by itself: sentences that cannot tell of the gold."""
        with suppress(TellapartError):
            return {each.text for each in self._of_format(())}
        return set()

    def _of_format(self, gold: Sequence[Path]) -> Iterable[Finding]:
        form = format_of(self.settings.form)
        # Those of tables are about scores, which tables of answers need not have.
        if form.findings is None or TABLES in form.names:
            return ()
        given = reading_options(self.settings, self.laid)
        options = make_options(form.options, given, form.name)
        return form.findings([str(self.own)], list(map(str, gold)), options)

    def _as_judged(self) -> Iterator[Finding]:
        known = self.items()
        judging = judging_of(self.settings, self.laid)
        more = [item for item in judging.items if item not in set(known)] if known else []
        if more:
            few = ", ".join(map(repr, more[:5]))
            yield Finding(
                f"{self.own}: {several(len(more), 'item')} that this campaign does not have "
                f"({few}{' …' if len(more) > 5 else ''}); send outputs for its own items alone"
            )
            return
        yield from self._about_items()
        notices = judging.counts().notices if len(judging.systems) > 1 else ()
        for notice in notices:
            if self.upload.system in notice.affected:
                yield Finding(notice.text.removesuffix("."), fatal=False)

    def _about_items(self) -> Iterator[Finding]:
        """Yield what a submission would change for all: what judges are shown, and the parts."""
        if self.settings.judging == "fills" or not self.before.systems:
            return
        before, after = (read_outputs(self.settings, each) for each in (self.before, self.laid))
        texts, new = before.texts, after.texts
        if texts is not None and new is not None:
            for what, known, told in (
                ("inputs", texts.inputs, new.inputs),
                ("gold answers", texts.golds, new.golds),
            ):
                if (known or ("",) * len(before.items)) != (told or ("",) * len(after.items)):
                    yield Finding(
                        f"{self.own}: it has {what} where the campaign has none; leave them out"
                    )
        for label in dict.fromkeys((*before.labels, *after.labels)):
            if before.labels.get(label) != after.labels.get(label):
                yield Finding(
                    f"{self.own}: {label!r} is not as the campaign has it; leave it out, or give "
                    "it as it is there"
                )


class _Telling:
    """Makes findings sentences for the sender, and for nobody else."""

    def __init__(self, look: _Look) -> None:
        self._look = look
        self._items = set(look.items())
        self._harmless = look.without_gold()
        self._own = look.upload.content.decode("utf-8", "replace")
        hidden = (path.read_bytes().decode("utf-8", "replace") for path in look.others)
        self._hidden = "\0".join(hidden)

    def told(self, finding: Finding) -> Finding | None:
        """Return a finding as its sender sees it; None if it is about the campaign's own files."""
        look, text = self._look, finding.text
        about, _ = kind_of(text)
        if about in map(str, look.others):
            problem = "the campaign's own files cannot be read with this one; ask the organiser"
            return Finding(f"{look.upload.name}: {problem}") if finding.fatal else None
        text = text.replace(str(look.own), look.upload.name)
        for path in look.laid.gold:
            text = text.replace(str(path), "the gold file")
        for path in look.others:
            text = text.replace(str(path), look.reference)
        text = text.replace(str(look.own.parent), "").replace(look.own.name, look.upload.name)
        if finding.text not in self._harmless:
            text = _QUOTED.sub(self._quoted, text)
        return Finding(clean(text), finding.fatal)

    def _quoted(self, found: re.Match[str]) -> str:
        """Return a quotation, unless it is of what only others know; ids of items are no secret."""
        quoted = found[0]
        try:
            value = str(ast.literal_eval(quoted))
        except (ValueError, SyntaxError):
            value = quoted[1:-1]
        told = value.rstrip("…")
        secret = told in self._hidden and told not in self._own and value not in self._items
        return "'…'" if secret else quoted


def _few(findings: Iterable[Finding]) -> list[str]:
    told = [str(each) for each in shortened(list(findings))]
    more = len(told) - SHOWN
    return told if more <= 0 else [*told[:SHOWN], f"and {several(more, 'more finding')}"]

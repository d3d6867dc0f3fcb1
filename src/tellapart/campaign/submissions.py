"""What participants send in: looked at before it counts, within limits, and never as a path.

A submission is read by itself, and then as judging will read it. What is wrong with it is told in
sentences about the sender's own file: nothing about the gold or others' files ever reaches them.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from tellapart.campaign.campaign import Campaign, Laid, Person, Submission
from tellapart.campaign.judging import judging_of, read_outputs, reading_options
from tellapart.campaign.own_process import Crashed, TooSlow, in_own_process, memory_within
from tellapart.campaign.settings import Settings
from tellapart.errors import Finding, TellapartError, UsageError
from tellapart.files import is_plain, unpacking_at_most
from tellapart.formats.problems import shortened
from tellapart.formats.records import ZIP
from tellapart.formats.registry import TABLES, format_of
from tellapart.options import make_options
from tellapart.words import clean, several

if TYPE_CHECKING:
    from tellapart.counts import Counts

CHECKED_FOR_S: Final = 120.0
"""How long reading a submission may take"""
TRIES: Final = 4
"""So many times the submissions of a day may be sent, refused ones among them"""
LONGEST_NAME: Final = 60
SHOWN: Final = 50
"""Findings; more are counted"""
LONGEST_FINDING: Final = 500
"""Characters, of which names in a file may take any number"""
LONGEST_ITEM: Final = 1_000
READ_TIMES: Final = 10
"""Unpacked, and as it is read, a submission may take so many times the most that may be sent"""
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


Check = Callable[[str, Upload], Sequence[tuple[str, bool]]]
"""Returns findings: texts, and whether they are fatal"""


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
    elif not is_plain(content, name) and (campaign.settings.form, content[:4]) != ("inspect", ZIP):
        yield Finding(f"{name}: the file is packed, or binary; send what is in it as UTF-8 text")


def _checked(campaign: Campaign, upload: Upload, check: Check) -> list[Finding]:
    try:
        found = in_own_process(check, campaign.folder, upload, seconds=CHECKED_FOR_S)
        return [Finding(str(text), bool(fatal)) for text, fatal in found]
    except TooSlow:
        problem = (
            f"the file could not be read within {CHECKED_FOR_S:g} seconds; is it the right one?"
        )
    except (Crashed, ValueError, TypeError):
        problem = "reading the file took too much memory, or failed; is it the right one?"
    return [Finding(f"{upload.name}: {problem}")]


def check_upload(folder: str, upload: Upload) -> list[tuple[str, bool]]:
    """Return what is wrong with a submission, in sentences that tell nothing but of itself.

    What is found when the file is read by itself is told as it is found. What is found beside the
    gold and other systems is told by the ids of items alone, which are no secret.
    """
    campaign = Campaign.open(folder)
    others = [each for each in campaign.systems() if each != upload.system]
    if campaign.settings.judging == "fills":
        others = others[:1]  # each system is scored by itself; tables have to fit all others
    new = {upload.system: (upload.name, upload.content)}
    most = int(READ_TIMES * campaign.settings.megabytes * 1_000_000)
    with campaign.laid_out(new, only=others) as laid, unpacking_at_most(most):
        path = laid.systems[upload.system]
        findings = [
            Finding(clean(each.text.replace(str(path), upload.name)), each.fatal)
            for each in _by_itself(campaign.settings, laid, upload.system)
        ]
        if not any(each.fatal for each in findings):
            findings += [
                Finding(f"{upload.name}: {each.text}", each.fatal)
                for each in _beside_others(campaign.settings, laid, upload.system)
            ]
        return [(each.text, each.fatal) for each in findings]


def _by_itself(settings: Settings, laid: Laid, system: str) -> list[Finding]:
    """Return what is wrong with a file without any other; if it fits here, it does in the server.

    Findings of tables are about scores, which tables of answers need not have.
    """
    form, path = format_of(settings.form), laid.systems[system]
    alone = replace(laid, gold=(), systems={system: path})
    try:
        with memory_within(max(READ_TIMES * settings.megabytes, 50), str(path)):
            if TABLES in form.names:
                texts = read_outputs(settings, alone).texts
                if texts is not None and any(texts.golds or ()):
                    return [Finding(f"{path}: there are gold answers in it; leave them out")]
            elif form.findings is not None:
                options = make_options(form.options, reading_options(settings, alone), form.name)
                return list(form.findings([str(path)], [], options))
            else:
                with suppress(TellapartError):  # which may be about the gold
                    judging_of(settings, replace(laid, systems={system: path}))
    except TellapartError as problem:
        return [Finding(str(problem))]
    return []


def _beside_others(settings: Settings, laid: Laid, system: str) -> Iterator[Finding]:
    """Yield what is wrong with a submission as judging will read it."""
    others = {name: path for name, path in laid.systems.items() if name != system}
    before = replace(laid, systems=others)
    known = _items(settings, before)
    try:
        judging = judging_of(settings, laid)
        more = [item for item in judging.items if item not in known] if known else []
        if more:
            few = ", ".join(repr(item[:60]) for item in more[:5])
            yield Finding(
                f"{several(len(more), 'item')} that this campaign does not have "
                f"({few}{' …' if len(more) > 5 else ''}); send outputs for its own items alone"
            )
            return
        if any(len(item) > LONGEST_ITEM for item in judging.items):
            yield Finding(f"an item has a name of more than {LONGEST_ITEM:,} characters")
            return
        notices = judging.counts().notices if others else ()
        if settings.judging != "fills" and others:
            yield from _changes(*(read_outputs(settings, each) for each in (before, laid)))
    except TellapartError:
        yield Finding(
            "it cannot be read beside the campaign's own files; does it have all that the "
            "organiser asks for, and nothing else?"
        )
        return
    for notice in notices:
        if system in notice.affected:
            yield Finding(notice.text.removesuffix("."), fatal=False)


def _items(settings: Settings, laid: Laid) -> set[str]:
    """Return the items of the campaign, as the other systems or the gold itself have them."""
    if not laid.systems and laid.gold:
        laid = replace(laid, systems={"gold": laid.gold[0]})
    with suppress(TellapartError):
        if laid.systems:
            return set(judging_of(settings, laid).items)
    return set()


def _changes(before: Counts, after: Counts) -> Iterator[Finding]:
    """Yield what a submission would change for all: what judges are shown, and the parts."""
    shown, new = before.texts, after.texts
    if shown is not None and new is not None:
        inputs = [texts.inputs or ("",) * len(before.items) for texts in (shown, new)]
        if inputs[0] != inputs[1]:
            yield Finding("it has inputs that the campaign does not have; leave them out")
    for label in dict.fromkeys((*before.labels, *after.labels)):
        if before.labels.get(label) != after.labels.get(label):
            yield Finding(
                f"{label!r} is not as the campaign has it; leave it out, or give it as it is there"
            )


def _few(findings: Iterable[Finding]) -> list[str]:
    told = [str(each) for each in shortened(list(findings))]
    told = [t if len(t) <= LONGEST_FINDING else f"{t[:LONGEST_FINDING]}…" for t in told]
    more = len(told) - SHOWN
    return told if more <= 0 else [*told[:SHOWN], f"and {several(more, 'more finding')}"]

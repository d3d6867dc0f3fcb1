"""What participants send in: looked at before it counts, within limits, and never as a path.

A submission is read by itself, and then as judging will read it. What is wrong with it is told in
sentences about the sender's own file: nothing about the gold or others' files ever reaches them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Final

from tellapart.campaign.campaign import (
    Campaign,
    Laid,
    Person,
    Submission,
    Taken,
    Upload,
    checked_name,
)
from tellapart.campaign.judging import format_options, judging_of, read_outputs
from tellapart.campaign.own_process import Ended, in_own_process, memory_within
from tellapart.campaign.settings import Settings
from tellapart.errors import Finding, TellapartError
from tellapart.files import is_plain, unpacking_at_most
from tellapart.formats.problems import shortened
from tellapart.formats.records import ZIP
from tellapart.formats.registry import TABLES, format_of
from tellapart.words import clean, listed, several

CHECKED_FOR_S: Final = 120.0
"""How long reading a submission may take"""
LONGEST_NAME: Final = 60
SHOWN: Final = 50
"""Findings; more are counted"""
LONGEST_FINDING: Final = 500
"""Characters, of which names in a file may take any number"""
LONGEST_ITEM: Final = 1_000
READ_TIMES: Final = 10
"""Unpacked, and as it is read, a submission may take so many times the most that may be sent"""
_checking = threading.Lock()


def receive(
    campaign: Campaign, person: Person, system: str, filename: str, content: bytes
) -> Submission:
    """Look at a submission, keep that it was made, and return whether it was accepted.

    What cannot be looked at at all (too many, no name of a system) is an error, and is not kept.
    One is looked at after the other, in a process of its own.
    """
    upload = Upload(system_name(system), file_name(filename), content)
    with _checking:
        found = _plain_problems(campaign, upload) or _checked(campaign, upload)
        if any(each.fatal for each in found):
            return campaign.refuse(upload.system, _few(found), person.name)
        try:
            return campaign.submit(upload.system, upload.name, content, person.name, _few(found))
        except Taken as problem:
            return campaign.refuse(upload.system, [str(problem)], person.name)


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
    return checked_name(given, LONGEST_NAME, without="=,")


# Looking at one


def _plain_problems(campaign: Campaign, upload: Upload) -> list[Finding]:
    """Return what is wrong with any file, before a reader of the format sees it."""
    name, content = upload.name, upload.content
    if not content.strip():
        return [Finding(f"{name}: the file is empty")]
    if not is_plain(content, name) and (campaign.settings.form, content[:4]) != ("inspect", ZIP):
        return [Finding(f"{name}: the file is packed, or binary; send what is in it as UTF-8 text")]
    return []


def _checked(campaign: Campaign, upload: Upload) -> list[Finding]:
    try:
        found = in_own_process(check_upload, campaign.folder, upload, seconds=CHECKED_FOR_S)
        return [Finding(str(text), bool(fatal)) for text, fatal in found]
    except (Ended, ValueError, TypeError) as problem:
        return [Finding(f"{upload.name}: {problem}; is it the right one?")]


def check_upload(folder: str, upload: Upload) -> list[tuple[str, bool]]:
    """Return what is wrong with a submission, in sentences that tell nothing but of itself."""
    campaign = Campaign.open(folder)
    with unpacking_at_most(int(READ_TIMES * campaign.settings.megabytes * 1_000_000)):
        return [(each.text, each.fatal) for each in findings_of(campaign, [upload])]


def findings_of(
    campaign: Campaign, uploads: Sequence[Upload], *, ours: bool = False
) -> list[Finding]:
    """Return what is wrong with files, each by itself and then beside those that are there.

    What is found when a file is read by itself is told as it is found. What is found beside the
    gold and other systems is told by the ids of items alone, which are no secret, unless the files
    are `ours`, an organiser's.
    """
    settings, found = campaign.settings, list[Finding]()
    new = {each.system: each.name for each in uploads}
    with campaign.laid_out(uploads) as laid:
        if ours:
            laid = replace(laid, trusted=laid.trusted.union(new))
        there = {name: path for name, path in laid.systems.items() if name not in new}
        for system in new:
            own = {system: laid.systems[system]}
            told = _by_itself(settings, replace(laid, systems=own), ours=ours)
            if not any(each.fatal for each in told):
                # Each system of templates is scored by itself; tables have to fit all others.
                others = dict(list(there.items())[:1]) if settings.judging == "fills" else there
                before = replace(laid, systems=others)
                told += _beside_others(settings, before, replace(laid, systems=own), ours=ours)
            if not any(each.fatal for each in told):
                there |= own
            found += told
    called = {
        str(path): new.get(name, f"the file of {name}") for name, path in laid.systems.items()
    }
    called |= {str(path): "the gold file" for path in laid.gold}
    called |= {str(path): f"the file of --{name}" for name, path in laid.options.items()}
    return list(dict.fromkeys(Finding(_renamed(each.text, called), each.fatal) for each in found))


def _renamed(text: str, called: Mapping[str, str]) -> str:
    for path, name in called.items():
        text = text.replace(path, name)
    return clean(text)


def _by_itself(settings: Settings, alone: Laid, *, ours: bool) -> list[Finding]:
    """Return what is wrong with a file without any other; if it fits here, it does in the server.

    Findings of tables are about scores, which tables of answers need not have.
    """
    form, ((system, path),) = format_of(settings.form), alone.systems.items()
    gold = [str(each) for each in alone.gold] if ours else []
    most = max(READ_TIMES * settings.megabytes, 50)
    try:
        with nullcontext() if ours else memory_within(most, str(path)):
            if TABLES in form.names:
                trusted = replace(alone, gold=(), trusted=frozenset((system,)))
                if any(read_outputs(settings, trusted).golds.values()) and not ours:
                    return [Finding(f"{path}: there are gold answers in it; leave them out")]
            elif form.findings is not None:
                return list(form.findings([str(path)], gold, format_options(settings, alone)))
            else:
                with suppress(TellapartError):  # which may be about the gold
                    judging_of(settings, alone)
    except TellapartError as problem:
        return [Finding(str(problem))]
    return []


def _beside_others(
    settings: Settings, others: Laid, alone: Laid, *, ours: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a submission as judging will read it."""
    ((system, path),) = alone.systems.items()
    try:
        judging = judging_of(settings, replace(others, systems={**others.systems, system: path}))
        known = set(judging_of(settings, others).items if others.systems else judging.items)
        more = [item[:60] for item in judging.items if item not in known]
        if more:
            yield Finding(
                f"{path}: {several(len(more), 'item')} that this campaign does not have "
                f"({listed(more, 5)}); send outputs for its own items alone"
            )
            return
        if any(len(item) > LONGEST_ITEM for item in judging.items):
            yield Finding(f"{path}: an item has a name of more than {LONGEST_ITEM:,} characters")
            return
        notices = judging.counts().notices if others.systems else ()
    except TellapartError as problem:
        hidden = f"{path}: it does not fit the campaign's own files; send what they have"
        yield Finding(str(problem) if ours else hidden)
        return
    for notice in notices:
        if system in notice.affected:
            yield Finding(f"{path}: {notice.text.removesuffix('.')}", fatal=False)


def _few(findings: Iterable[Finding]) -> list[str]:
    told = [str(each) for each in shortened(list(findings))]
    told = [t if len(t) <= LONGEST_FINDING else f"{t[:LONGEST_FINDING]}…" for t in told]
    more = len(told) - SHOWN
    return told if more <= 0 else [*told[:SHOWN], f"and {several(more, 'more finding')}"]

"""`tellapart campaign add` and `remove`: systems, and what is wrong with their files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tellapart.console import say, show
from tellapart.errors import DataError, Finding, UsageError
from tellapart.formats.problems import shortened
from tellapart.formats.registry import TABLES, format_of
from tellapart.formats.sources import default_name, parse_source
from tellapart.options import make_options
from tellapart.verbs.campaign_actions.action import Action, file_at, opened
from tellapart.words import listed, several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign, Laid
    from tellapart.campaign.questions import Judging


def _add_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="+", metavar="NAME=FILE", help="a system and its file")


def _add(args: argparse.Namespace) -> int:
    campaign = opened(args)
    given: dict[str, str] = {}
    for name, path in map(_system, args.systems):
        if name in given:
            raise UsageError(f"the system {name!r} is given twice; give each once")
        given[name] = path
    contents = {name: file_at(path) for name, path in given.items()}
    found = list(shortened(_findings(campaign, given, contents)))
    for each in found:
        show(f"{each}\n")
    errors = sum(each.fatal for each in found)
    if errors:
        say(f"{several(errors, 'error')}; nothing was added to {args.folder}")
        return 2
    before = set(campaign.systems())
    for name, (file, content) in contents.items():
        campaign.submit(name, file, content)
        show(f"{name}: {'replaced' if name in before else 'added'}\n")
    return 0


def _system(source: str) -> tuple[str, str]:
    """Return the name of a system and its file."""
    from tellapart.campaign.submissions import system_name

    parsed = parse_source(source)
    if len(parsed.paths) > 1:
        raise UsageError(f"{source}: a system of a campaign has one file, and here are several")
    (path,) = parsed.paths
    return system_name(parsed.name or default_name(path)), path


def _findings(
    campaign: Campaign, given: Mapping[str, str], contents: Mapping[str, tuple[str, bytes]]
) -> list[Finding]:
    """Return what is wrong with files, each by itself and all together, by the names they have."""
    from tellapart.campaign.judging import judging_of, reading_options

    settings = campaign.settings
    chosen = format_of(settings.form)
    found: list[Finding] = []
    with campaign.laid_out(contents) as laid:
        # What tables of scores must have, tables of answers need not.
        if chosen.findings is not None and TABLES not in chosen.names:
            owner = f"the format {chosen.name!r}"
            options = make_options(chosen.options, reading_options(settings, laid), owner)
            for name in given:
                own = [str(laid.systems[name])]
                found += chosen.findings(own, list(map(str, laid.gold)), options)
        if not any(each.fatal for each in found):
            try:
                found += _beside_others(judging_of(settings, laid), laid, given)
            except DataError as problem:
                found.append(Finding(str(problem)))
    called = {
        str(path): given.get(name, f"the file of {name}") for name, path in laid.systems.items()
    }
    called |= {str(path): "the gold file" for path in laid.gold}
    called |= {str(path): f"the file of --{name}" for name, path in laid.options.items()}
    # The gold is read with each system.
    return list(dict.fromkeys(Finding(_renamed(each.text, called), each.fatal) for each in found))


def _renamed(text: str, called: Mapping[str, str]) -> str:
    for there, here in called.items():
        text = text.replace(there, here)
    return text


def _beside_others(judging: Judging, laid: Laid, given: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what systems have more, or less, than the first one; what they lack counts as worst."""
    written = getattr(judging, "outputs", None)
    if written is None:
        return  # the gold says which items there are
    first = next(iter(laid.systems))
    expected = [item for item in judging.items if written.of(first, item) is not None]
    for name, path in given.items():
        own = [item for item in judging.items if written.of(name, item) is not None]
        more, fewer = set(own) - set(expected), set(expected) - set(own)
        if more:
            shown = listed([item for item in own if item in more], 5)
            yield Finding(
                f"{path}: {several(len(more), 'item')} that {first} does not have ({shown}); give "
                "all systems the same items"
            )
        elif fewer:
            shown = listed([item for item in expected if item in fewer], 5)
            yield Finding(
                f"{path}: no output for {several(len(fewer), 'item')} ({shown}), which count as "
                "the worst there is",
                fatal=False,
            )


def _add_remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="NAME", help="a system")


def _remove(args: argparse.Namespace) -> int:
    campaign = opened(args)
    for name in args.files:
        campaign.withdraw(name)
        show(f"{name}: removed; what was decided about its outputs stays\n")
    return 0


ADD: Final = Action(
    "add systems, or new files of them",
    _add_add,
    _add,
    "Adds systems. Their files are checked first; all problems are listed, and nothing is\n"
    "added if there is one.",
)
REMOVE: Final = Action(
    "let systems count no longer",
    _add_remove,
    _remove,
    "Takes systems out. The log keeps that they were there, and what was decided about their\n"
    "outputs; `add` brings them back.",
)

"""Makes campaigns, adds systems and people to them, and takes decisions in and out.

A campaign is a folder in which people judge what systems wrote, in the browser
(`tellapart serve DIR`) or at a terminal (`tellapart adjudicate DIR`).

Examples:
  tellapart campaign new answers/ --as items
  tellapart campaign add answers/ alder=alder.jsonl birch=birch.jsonl
  tellapart campaign people answers/ --add ann --role judge
  tellapart campaign status answers/
  tellapart campaign export answers/ --scores scores.csv

see tellapart campaign ACTION --help
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tellapart.console import remark, say, show
from tellapart.errors import UsageError
from tellapart.files import read_bytes
from tellapart.formats.contract import default_name, parse_source
from tellapart.options import COUNT
from tellapart.verbs import campaign_decisions, campaign_new, inputs
from tellapart.words import encodable, listed, several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign, Upload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, and the options of each."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    for name, (about, add, run) in ACTIONS.items():
        doc = campaign_new.__doc__ if name == "new" else f"{about[0].upper()}{about[1:]}"
        inner = actions.add_parser(name, help=about, doc=doc)
        inner.add_argument("folder", metavar="DIR", help="the folder of the campaign")
        inner.set_defaults(act=run)
        add(inner)


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    with extra_needed():
        import_module("tellapart.campaign.campaign")
    args.act(args)
    return 0


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


# Systems


def _add_systems(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="+", metavar="NAME=FILE", help="a system and its file")


def _add(args: argparse.Namespace) -> None:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.opinions import DEED
    from tellapart.campaign.submissions import findings_of

    campaign = Campaign.open(args.folder)
    uploads = [_upload(source) for source in args.systems]
    names = [each.system for each in uploads]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the system {twice!r} is given twice; give each once")
    errors = inputs.print_findings(findings_of(campaign, uploads, ours=True))
    if errors:
        raise UsageError(f"{several(errors, 'error')}; nothing was added to {args.folder}")
    before = set(campaign.systems())
    for each in uploads:
        campaign.submit(each.system, each.name, each.content)
        if each.system not in before:
            show(f"{each.system}: added\n")
            continue
        show(f"{each.system}: replaced; what was decided about its outputs stays\n")
        if paired := _paired_by_hand(campaign, each.system):
            say(
                f"warning: how templates of {each.system} are paired was decided for "
                f"{listed(paired, 5)}, and holds for the new file, too; see whether it fits by "
                "`repair` of `tellapart adjudicate`"
            )
    campaign.log.remark(None, DEED, f"campaign add {' '.join(names)}")


def _paired_by_hand(campaign: Campaign, system: str) -> list[str]:
    """Return the documents in which somebody has paired the templates of a system."""
    from tellapart.campaign.opinions import Opinions

    log = Opinions()
    log.add(campaign.log.since())
    paired = [json.loads(each[1]) for each in log.standing if each[0] == "pairing" and log.of(each)]
    return [each["message"] for each in paired if each["system"] == system]


def _upload(source: str) -> Upload:
    """Return a system and its file."""
    from tellapart.campaign.campaign import Upload
    from tellapart.campaign.submissions import system_name

    parsed = parse_source(source)
    if len(parsed.paths) > 1:
        raise UsageError(f"{source}: a system of a campaign has one file, and here are several")
    (path,) = parsed.paths
    name = system_name(parsed.name or default_name(path))
    return Upload(name, path, read_bytes(path))


def _add_names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="NAME", help="a system")


def _remove(args: argparse.Namespace) -> None:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.opinions import DEED

    campaign = Campaign.open(args.folder)
    for name in args.files:
        campaign.withdraw(name)
        show(f"{name}: removed; what was decided about its outputs stays\n")
    campaign.log.remark(None, DEED, f"campaign remove {' '.join(args.files)}")


# People


def _add_people(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--add", action="append", default=[], metavar="NAME",
        help="give somebody a new link, which is shown once; repeatable")  # fmt: skip
    add("--role", choices=("judge", "organiser", "participant"), default="judge",
        help="judge, also rule and see everything, or send in systems (default: judge)",
        )  # fmt: skip
    add("--days", type=COUNT, metavar="N",
        help="how long the link is good (default: until it is revoked)")  # fmt: skip
    add("--revoke", metavar="NAME", help="make somebody's link stop working")
    add("--address", default="", metavar="URL",
        help="where the pages are, as https://eval.example.org")  # fmt: skip


def _people(args: argparse.Namespace) -> None:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.opinions import DEED

    campaign = Campaign.open(args.folder)
    if args.revoke is not None:
        campaign.revoke(args.revoke)
        campaign.log.remark(None, DEED, f"campaign people --revoke {args.revoke}")
        show(f"{args.revoke}: the link no longer works\n")
    for name in args.add:
        token = campaign.add_person(encodable(name), args.role, args.days)
        campaign.log.remark(None, DEED, f"campaign people --add {name} as {args.role}")
        show(f"{args.address.rstrip('/')}/enter/{token}\n")
        after = "" if args.address else ", after the address that `tellapart serve` prints"
        remark(f"the link of {name}, {args.role}{after}; it is kept nowhere, so keep it")
    if not args.add and args.revoke is None:
        made = campaign.log.decided()
        for each in campaign.people():
            link = f", until {each.ends_at[:10]}" if each.ends_at else ""
            link = link if each.active else ", no link"
            decided = several(made.get(each.name, 0), "decision")
            show(f"{each.name}: {each.role}{link}, {decided}\n")
        for each in campaign.log.remarks(DEED)[::-1]:
            show(f"{each.made_at[:16]} {each.name or 'command line'}: {each.text}\n")


# What was found


def _status(args: argparse.Namespace) -> None:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.status import status_lines

    for line in status_lines(Campaign.open(args.folder)):
        show(f"{line}\n")


def _report(args: argparse.Namespace) -> None:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.status import report_text

    campaign = Campaign.open(args.folder)
    show(report_text(campaign))
    if len(campaign.systems()) < 2:
        remark("with two systems or more, it also tells how the verdict depends on who judged")


Add = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace], None]
ACTIONS: Final[dict[str, tuple[str, Add, Run]]] = {
    "new": (
        "make a campaign: a folder with settings and a database",
        campaign_new.add_arguments, campaign_new.run,
    ),
    "add": ("add systems, or new files of them; all, or none", _add_systems, _add),
    "remove": ("let systems count no longer; decisions stay", _add_names, _remove),
    "people": ("who takes part, what did organisers do? give links", _add_people, _people),
    "status": ("how far is it, what is settled, and what are the scores?", lambda _: None, _status),
    "report": ("how far do people agree, and what depends on who judged?", lambda _: None, _report),
    "export": (
        "write decisions (also of a history file), scores or a settled key",
        campaign_decisions.add_export, campaign_decisions.run_export,
    ),
    "import": (
        "add decisions to a campaign or a history file; none is replaced",
        campaign_decisions.add_import, campaign_decisions.run_import,
    ),
}  # fmt: skip
"""What can be done with a campaign: the help, the options, and what does it"""

"""`tellapart campaign`: make a campaign, add systems and people, and take decisions in and out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tellapart.console import remark, say, show
from tellapart.errors import UsageError
from tellapart.formats.contract import default_name, parse_source
from tellapart.formats.problems import shortened
from tellapart.limits import COUNT
from tellapart.verbs import campaign_decisions, campaign_new
from tellapart.words import clean, encodable, several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.submissions import Upload

DESCRIPTION = """\
A campaign is a folder in which several people judge what systems wrote, in the browser
(`tellapart serve DIR`) or at a terminal (`tellapart adjudicate DIR`)."""
EXAMPLES = """\
examples:
  tellapart campaign new answers/ --as items
  tellapart campaign add answers/ alder=alder.jsonl birch=birch.jsonl
  tellapart campaign people answers/ --add ann --role judge
  tellapart campaign status answers/
  tellapart campaign export answers/ --scores scores.csv

see tellapart campaign ACTION --help"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, and the options of each."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    for name, (about, add, run, description) in ACTIONS.items():
        inner = actions.add_parser(
            name,
            help=about,
            description=description,
            epilog=campaign_new.EXAMPLES if name == "new" else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        inner.add_argument("folder", metavar="DIR", help="the folder of the campaign")
        inner.set_defaults(act=run)
        add(inner)


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    with extra_needed():
        import_module("tellapart.campaign.campaign")
    status: int = args.act(args)
    return status


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


def _opened(args: argparse.Namespace) -> Campaign:
    from tellapart.campaign.campaign import Campaign

    return Campaign.open(args.folder)


# Systems


def _add_systems(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="+", metavar="NAME=FILE", help="a system and its file")


def _add(args: argparse.Namespace) -> int:
    from tellapart.campaign.submissions import findings_of

    campaign, uploads = _opened(args), [_upload(source) for source in args.systems]
    names = [each.system for each in uploads]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the system {twice!r} is given twice; give each once")
    findings = list(shortened(findings_of(campaign, uploads, ours=True)))
    for finding in findings:
        show(f"{finding}\n")
    errors = sum(finding.fatal for finding in findings)
    if errors:
        say(f"{several(errors, 'error')}; nothing was added to {args.folder}")
        return 2
    before = set(campaign.systems())
    for each in uploads:
        campaign.submit(each.system, each.name, each.content)
        show(f"{each.system}: {'replaced' if each.system in before else 'added'}\n")
    campaign.note_deed(None, f"campaign add {' '.join(names)}")
    return 0


def _upload(source: str) -> Upload:
    """Return a system and its file."""
    from tellapart.campaign.submissions import Upload, system_name

    parsed = parse_source(source)
    if len(parsed.paths) > 1:
        raise UsageError(f"{source}: a system of a campaign has one file, and here are several")
    (path,) = parsed.paths
    name = system_name(parsed.name or default_name(path))
    return Upload(name, path, campaign_new.file_at(path)[1])


def _add_names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="NAME", help="a system")


def _remove(args: argparse.Namespace) -> int:
    campaign = _opened(args)
    for name in args.files:
        campaign.withdraw(name)
        show(f"{name}: removed; what was decided about its outputs stays\n")
    campaign.note_deed(None, f"campaign remove {' '.join(args.files)}")
    return 0


# People


def _add_people(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--add", metavar="NAME",
        help="give somebody a new link, which is shown once")  # fmt: skip
    add("--role", choices=("judge", "organiser", "participant"), default="judge",
        help="judge, also rule and see everything, or send in systems (default: judge)",
        )  # fmt: skip
    add("--days", type=COUNT, metavar="N",
        help="how long the link is good (default: until it is revoked)")  # fmt: skip
    add("--revoke", metavar="NAME", help="make somebody's link stop working")
    add("--address", default="", metavar="URL",
        help="where the pages are, as https://eval.example.org")  # fmt: skip


def _people(args: argparse.Namespace) -> int:
    campaign = _opened(args)
    if args.revoke is not None:
        campaign.revoke(args.revoke)
        campaign.note_deed(None, f"campaign people --revoke {args.revoke}")
        show(f"{args.revoke}: the link no longer works\n")
    if args.add is not None:
        token = campaign.add_person(encodable(args.add), args.role, args.days)
        campaign.note_deed(None, f"campaign people --add {args.add} --role {args.role}")
        show(f"{args.address.rstrip('/')}/enter/{token}\n")
        after = "" if args.address else ", after the address that `tellapart serve` prints"
        remark(f"the link of {args.add}, {args.role}{after}; it is kept nowhere, so keep it")
    if args.add is None and args.revoke is None:
        made = _decisions_of(campaign)
        for each in campaign.people():
            link = "" if each.active else ", no link"
            decided = several(made.get(each.name, 0), "decision")
            show(f"{each.name}: {each.role}{link}, {decided}\n")
    return 0


def _decisions_of(campaign: Campaign) -> dict[str, int]:
    """Return how many questions each person has decided, what was taken back left out."""
    from tellapart.campaign.opinions import Opinions

    log = Opinions()
    log.add(campaign.log.since())
    return {name: len({each.question for each in log.made_by(name)}) for name in log.own}


# What was found


def _no_more(parser: argparse.ArgumentParser) -> None:
    """Declare nothing more."""


def _status(args: argparse.Namespace) -> int:
    from tellapart.campaign.judging import desk_of

    campaign = _opened(args)
    for line in _status_lines(campaign, desk_of(campaign)):
        show(f"{line}\n")
    return 0


def _status_lines(campaign: Campaign, desk: Desk) -> Iterator[str]:
    from tellapart.campaign.board import headline_of
    from tellapart.campaign.bounds import Bounds
    from tellapart.campaign.judging import compared
    from tellapart.report.sentences import verdict

    settings, judging, progress = campaign.settings, desk.judging, desk.progress("")
    keys = settings.judging == "keys"
    who = several(len(judging.systems), "annotator" if keys else "system")
    yield f"{settings.title}: {settings.judging} of {who}"
    conflicts = f" ({several(progress.conflicts, 'conflict')})" if progress.conflicts else ""
    yield (
        f"{several(progress.total, 'question')}: {progress.decided:,} decided, "
        f"{progress.open:,} open{conflicts}"
    )
    for name, number in _decisions_of(campaign).items():
        yield f"{name}: {several(number, 'decision')}"
    if len(judging.systems) < 2:
        yield f"{judging.systems[0]} is alone: add another system to compare it with"
        return
    counts = judging.counts()
    result = compared(settings, counts)
    metric = next(iter(result.metrics))
    stands = headline_of(settings, progress, Bounds(desk).update(), verdict(result, metric))
    yield stands.words
    for sentence in stands.settled:
        yield f"Settled: {sentence}"
    if stands.figures or keys:
        so_far = "So far" if stands.figures else "Against the settled key"
        scores = (f"{clean(each.name)} {each.scores[metric]:.3f}" for each in result.systems)
        yield f"{so_far}, by {metric}: {', '.join(scores)}"
    if stands.figures:
        yield stands.figures
    for notice in counts.notices:
        if notice.code != "open-questions":
            yield f"Note: {notice.text}"


def _report(args: argparse.Namespace) -> int:
    from tellapart.campaign.agreement import NAMED, agreement_of
    from tellapart.campaign.judges import who_judged
    from tellapart.campaign.judging import desk_of
    from tellapart.report.table import terminal
    from tellapart.report.text import filled

    campaign = _opened(args)
    systems = campaign.systems()
    questions = desk_of(campaign).questions if systems else {}
    agreement = agreement_of(campaign.log.since(), campaign.settings, questions)
    parts = [filled(agreement.sentence)]
    parts += ["\n".join(terminal(table)) for table in agreement.tables()]
    if agreement.kinds:
        parts.append(filled(NAMED))
    if len(systems) > 1:
        judged = who_judged(campaign)
        if judged.open_questions:
            parts.append(filled(judged.open_questions))
        parts.append("\n".join(terminal(judged.table())))
    show("\n\n".join(parts) + "\n")
    if len(systems) < 2:
        remark("with two systems or more, it also tells how the verdict depends on who judged")
    return 0


Add = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace], int]
ACTIONS: Final[dict[str, tuple[str, Add, Run, str]]] = {
    "new": (
        "make a campaign in a folder", campaign_new.add_arguments, campaign_new.run,
        "Makes a campaign: a folder with its settings (campaign.toml) and its database.",
    ),
    "add": (
        "add systems, or new files of them", _add_systems, _add,
        "Adds systems whose files have no problem; if one has, nothing is added.",
    ),
    "remove": (
        "let systems count no longer", _add_names, _remove,
        "Takes systems out; decisions about their outputs stay, and `add` brings them back.",
    ),
    "people": (
        "who takes part? give and revoke links", _add_people, _people,
        "Lists everybody who takes part, or gives and revokes links.",
    ),
    "status": (
        "how far is it, and what is the verdict so far?", _no_more, _status,
        "Counts questions that are decided, open and in conflict; gives the verdict so far.",
    ),
    "report": (
        "how far do people agree, and what depends on who judged?", _no_more, _report,
        "Tells how far people agree (share, kappa, alpha), and the verdict under each judge.",
    ),
    "export": (
        "write decisions, scores, a settled key or a backup", campaign_decisions.add_export,
        campaign_decisions.run_export,
        "Writes what a campaign holds, or a history file of `adjudicate`.",
    ),
    "import": (
        "add decisions from files or another campaign", campaign_decisions.add_import,
        campaign_decisions.run_import,
        "Adds decisions to a campaign or a history file; nothing is added twice or replaced.\n"
        "Where people differ there is a conflict, and where histories do, the first one stays.",
    ),
}  # fmt: skip
"""What can be done with a campaign: the help, the options, what does it, and a description"""

"""`tellapart campaign`: make a campaign, add systems and people, and take decisions in and out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tellapart.commands import inputs
from tellapart.commands.inputs import add_number
from tellapart.commands.outputs import Outputs, add_output, outputs_of
from tellapart.console import remark, say, show
from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import open_bytes
from tellapart.formats.problems import shortened
from tellapart.formats.registry import TABLES, format_of, names
from tellapart.formats.sources import default_name, parse_source
from tellapart.limits import Number
from tellapart.options import Output, make_options, options_of
from tellapart.words import clean, encodable, listed, several
from tellapart.writing import note_written

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign, Laid
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.exchange import Brought
    from tellapart.campaign.log import QuestionId
    from tellapart.campaign.questions import Judging
    from tellapart.campaign.settings import Settings
    from tellapart.formats.muc.slots import Design

DESCRIPTION = """\
A campaign is a folder in which several people judge what systems wrote: its settings
(campaign.toml) and a database with the files, the people and all decisions. People judge in
the browser (`tellapart serve DIR`) or at a terminal (`tellapart adjudicate DIR`)."""
EXAMPLES = """\
examples:
  tellapart campaign new answers/ --as items
  tellapart campaign add answers/ alder=alder.jsonl birch=birch.jsonl
  tellapart campaign people answers/ --add ann --role judge
  tellapart campaign status answers/
  tellapart campaign export answers/ --csv decisions.csv

see tellapart campaign ACTION --help"""

SHORT_WORDS: Final = {
    "--as": "how the files of the systems are read: items, inspect, lm-eval, text, muc, …",
}
"""What `--help` says of options; `--help-all` says more"""
HISTORY: Final = "history"
"""Whose decisions those of a history file are, unless it is said"""
SHARE: Final = Number(least=0.0, most=1.0)
MEGABYTES: Final = Number(above=0.0, most=10_000.0)
PER_DAY: Final = Number(whole=True, least=1, most=1_000_000)
LEVEL: Final = Number(between=(0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Action:
    """One of the things to do with a campaign."""

    about: str
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    description: str
    examples: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, and the options of each."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    for name, action in ACTIONS.items():
        own = actions.add_parser(
            name,
            help=action.about,
            description=action.description,
            epilog=action.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        own.add_argument("folder", metavar="DIR", help="the folder of the campaign")
        action.add(own)


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    try:
        import_module("tellapart.campaign.campaign")
    except ModuleNotFoundError as problem:
        if (problem.name or "").startswith("tellapart"):
            raise
        raise UsageError(
            f"campaigns need {problem.name}: pip install 'tellapart[campaign]'"
        ) from None
    return ACTIONS[args.action].run(args)


def _opened(args: argparse.Namespace) -> Campaign:
    from tellapart.campaign.campaign import Campaign

    return Campaign.open(args.folder)


# new


def _add_new(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what is judged").add_argument
    add("--as", dest="form", required=True, choices=names(), metavar="FORMAT",
        help=f"how the files of the systems are read: {', '.join(names())}")  # fmt: skip
    add("--gold", action="append", default=[], metavar="FILE", help="gold answers; repeatable")
    add("--item", metavar="COLUMN", help="what an item is: the column that names it")
    add("--history", metavar="FILE",
        help="decisions that were made before: a history of 1992")  # fmt: skip
    add("--judge", metavar="NAME", default=HISTORY,
        help=f"whose decisions those of a history are (default: {HISTORY})")  # fmt: skip
    group = parser.add_argument_group("how")
    add = group.add_argument
    add("--title", metavar="TEXT", help="what pages are headed by (default: the folder's name)")
    add("--judging", choices=("rating", "preference", "fills"),
        help="rate each output, prefer one of two, or decide about fills of templates (default: "
        "fills for muc, rating for others)")  # fmt: skip
    add("--scale", type=_scale, metavar="NAME=X,…",
        help="the answers of a rating and what they are worth (default: "
        "right=1,partly=0.5,wrong=0)")  # fmt: skip
    add_number(group, "--second", SHARE, default=0.2, metavar="SHARE",
               help="of the questions that two people answer (default: 0.2)")  # fmt: skip
    add("--metric", default="", metavar="NAME",
        help="what systems are compared by (default: f1 for fills, the mean rating, or the rate "
        "of wins)")  # fmt: skip
    add_number(group, "--alpha", LEVEL, default=0.05,
               help="the level at which systems are told apart (default: 0.05)")  # fmt: skip
    add("--database", default="", metavar="URL",
        help="PostgreSQL, as postgresql+psycopg://user@host/name, or env:NAME if that stands in "
        "the environment (default: SQLite in the folder)")  # fmt: skip
    group = parser.add_argument_group("submissions")
    add_number(group, "--megabytes", MEGABYTES, default=20.0,
               help="the largest file that participants may send (default: 20)")  # fmt: skip
    add_number(group, "--per-day", PER_DAY, default=5,
               help="how many they may send in 24 hours (default: 5)")  # fmt: skip
    inputs.add_format_options(parser, "campaign")


def _scale(text: str) -> dict[str, float]:
    """Return the answers of a scale and what they are worth.

    >>> _scale("right=1,partly=.5,wrong=0")
    {'right': 1.0, 'partly': 0.5, 'wrong': 0.0}
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, worth = (each.strip() for each in part.partition("="))
        if not equals or not name:
            raise UsageError(f"--scale wants NAME=X, such as right=1,wrong=0, not {text!r}")
        if name in found:
            raise UsageError(f"--scale has {name!r} twice; give each answer once")
        found[encodable(name)] = Number(least=-1e6, most=1e6).parsed(worth, "--scale")
    return found


def _new(args: argparse.Namespace) -> int:
    from tellapart.campaign.campaign import GOLD, Campaign

    chosen, files = _options(args)
    read = [*args.gold, *files.values(), *([args.history] if args.history else [])]
    Outputs({"DIR": Output("DIR", args.folder, True)}, tuple(read))
    settings = _settings(args, chosen)
    contents = [(GOLD, *_file(path)) for path in args.gold]
    contents += [(name, *_file(path)) for name, path in files.items()]
    if args.history:
        from tellapart.formats.muc.slots import load_design

        if settings.judging != "fills":
            raise UsageError(
                f"--history {args.history}: a history of 1992 has decisions about fills, and this "
                f"campaign asks for a {settings.judging}; use `tellapart campaign import`"
            )
        _check_history(args.history, load_design(getattr(args, "slots", "muc4")))
    campaign = Campaign.create(args.folder, settings, contents)
    note_written(campaign.database.label)
    show(f"{args.folder}: the campaign {settings.title!r} asks {_ASKED[settings.judging]}\n")
    if args.history:
        _import_history(campaign, args.history, args.judge)
    return 0


def _check_history(path: str, design: Design) -> None:
    """Refuse a history that cannot be read, before anything is made or added."""
    from tellapart.formats.muc.history_files import read_history
    from tellapart.formats.muc.problems import raise_fatal

    _, problems = read_history(path, design)
    raise_fatal(problems)


def _import_history(campaign: Campaign, path: str, judge: str) -> None:
    from tellapart.campaign.histories import import_history

    before = _conflicts(campaign)
    added = import_history(campaign, path, judge)
    note_written(campaign.database.label)
    new = len(_conflicts(campaign) - before)
    show(f"{path}: {several(added, 'decision')} of {judge} added, {several(new, 'new conflict')}\n")


def _conflicts(campaign: Campaign) -> set[QuestionId]:
    from tellapart.campaign.log import Opinions

    log = Opinions()
    log.add(campaign.log.since())
    return set(log.conflicts())


_ASKED: Final = {
    "fills": "what fills and templates of the key those of the systems match",
    "rating": "how good each output is",
    "preference": "which of two outputs is better",
}


def _settings(args: argparse.Namespace, options: Mapping[str, str]) -> Settings:
    from tellapart.campaign.settings import RIGHT_PARTLY_WRONG, checked_settings

    templates = "muc" in format_of(args.form).names
    judging = args.judging or ("fills" if templates else "rating")
    if (judging == "fills") != templates:
        raise UsageError(
            f"--judging {judging} does not go with --as {args.form}: fills are judged of muc, "
            "ratings and preferences of formats with outputs"
        )
    if args.scale is not None and judging != "rating":
        raise UsageError(f"--scale goes with --judging rating, not with {judging}; drop it")
    metric = args.metric or ("f1" if judging == "fills" else "")
    _check_metric(judging, metric)
    title = encodable(args.title or Path(os.path.abspath(args.folder)).name)
    return checked_settings(
        {
            "title": title, "form": args.form, "judging": judging, "metric": metric,
            "alpha": args.alpha, "second_opinions": args.second,
            "scale": args.scale or dict(RIGHT_PARTLY_WRONG), "options": dict(options),
            "megabytes": args.megabytes, "per_day": args.per_day, "database": args.database,
        },
        "tellapart campaign new",
    )  # fmt: skip


_METRICS: Final = {
    "fills": ("f1", "recall", "precision", "f0.5"),
    "rating": ("rating", "mean"),
    "preference": ("win_rate", "bradley_terry", "elo"),
}


def _check_metric(judging: str, metric: str) -> None:
    from tellapart.metrics.definitions import alternatives

    known = _METRICS[judging]
    if metric and metric not in known and not (judging == "fills" and alternatives(metric)):
        asked = "fills" if judging == "fills" else f"a {judging}"
        raise UsageError(f"--metric {metric} is no score of {asked}; there are {', '.join(known)}")


def _options(args: argparse.Namespace) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the format as texts, and those that are files by their paths."""
    chosen = format_of(args.form)
    inputs.format_options(args, chosen)  # which refuses those of other formats
    texts: dict[str, str] = {} if args.item is None else {"item": args.item}
    files: dict[str, str] = {}
    for each in options_of(chosen.options, "campaign"):
        if each.name not in vars(args):
            continue
        value = getattr(args, each.name)
        if each.option.reads and (each.default is None or os.path.exists(value)):
            files[each.name] = value
        elif value is True:
            texts[each.name] = "true"
        else:
            texts[each.name] = ",".join(value) if isinstance(value, tuple | list) else str(value)
    return texts, files


def _file(path: str) -> tuple[str, bytes]:
    """Return the name and the content of a file."""
    with open_bytes(path) as stream:
        return Path(path).name, stream.read()


# add


def _add_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="+", metavar="NAME=FILE", help="a system and its file")


def _add(args: argparse.Namespace) -> int:
    campaign = _opened(args)
    given: dict[str, str] = {}
    for name, path in map(_system, args.systems):
        if name in given:
            raise UsageError(f"the system {name!r} is given twice; give each once")
        given[name] = path
    contents = {name: _file(path) for name, path in given.items()}
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
        note_written(campaign.database.label)
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
    campaign = _opened(args)
    for name in args.files:
        campaign.withdraw(name)
        note_written(campaign.database.label)
        show(f"{name}: removed; what was decided about its outputs stays\n")
    return 0


# people


def _add_people(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--add", metavar="NAME",
        help="give somebody a link, which is shown once; a link they had is good for nothing "
        "then")  # fmt: skip
    add("--role", choices=("judge", "organiser", "participant"), default="judge",
        help="what they may do: judge, also rule and see everything, or send in systems (default: "
        "judge)")  # fmt: skip
    add("--revoke", metavar="NAME", help="let somebody's link be good for nothing")
    add("--address", default="", metavar="URL",
        help="where the pages are, such as https://eval.example.org, for the link")  # fmt: skip


def _people(args: argparse.Namespace) -> int:
    campaign = _opened(args)
    if args.revoke is not None:
        campaign.revoke(args.revoke)
        show(f"{args.revoke}: the link is good for nothing any more\n")
    if args.add is not None:
        token = campaign.add_person(encodable(args.add), args.role)
        show(f"{args.address.rstrip('/')}/enter/{token}\n")
        remark(f"this is the link of {args.add}, {args.role}; it is kept nowhere, so keep it")
    if args.add is None and args.revoke is None:
        made = _decisions_of(campaign)
        for each in campaign.people():
            link = "" if each.active else ", no link"
            decided = several(made.get(each.name, 0), "decision")
            show(f"{each.name}: {each.role}{link}, {decided}\n")
    return 0


def _decisions_of(campaign: Campaign) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in campaign.log.since():
        if each.undoes is None:
            found[each.person] = found.get(each.person, 0) + 1
    return found


# status


def _no_more(parser: argparse.ArgumentParser) -> None:
    """Declare nothing more."""


def _status(args: argparse.Namespace) -> int:
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.judging import load_judging

    campaign = _opened(args)
    desk = Desk(campaign, load_judging)
    for line in _status_lines(campaign, desk):
        show(f"{line}\n")
    return 0


def _status_lines(campaign: Campaign, desk: Desk) -> Iterator[str]:
    from tellapart.campaign.bounds import Bounds
    from tellapart.campaign.headline import headline_of
    from tellapart.campaign.judging import compared
    from tellapart.report.verdict import verdict

    settings, judging, progress = campaign.settings, desk.judging, desk.progress("")
    yield f"{settings.title}: {settings.judging} of {several(len(judging.systems), 'system')}"
    open_ = progress.total - progress.decided - progress.conflicts
    yield (
        f"{several(progress.total, 'question')}: {progress.decided:,} decided, {open_:,} open, "
        f"{several(progress.conflicts, 'conflict')}"
    )
    for name, number in _decisions_of(campaign).items():
        yield f"{name}: {several(number, 'decision')}"
    if len(judging.systems) < 2:
        yield f"{judging.systems[0]} is alone: add another system to compare it with"
        return
    outlook = Bounds(desk).update()
    names = {name: name for name in judging.systems}
    result = compared(settings, judging)
    metric = outlook.metric if outlook and outlook.metric in result.metrics else ""
    metric = metric or next(iter(result.metrics))
    stands = headline_of(settings, progress, outlook, (metric, verdict(result, metric)), names)
    yield stands.words
    for each in stands.settled if len(judging.systems) > 2 else ():
        yield f"Settled: {each}"
    for metric in result.metrics if stands.figures else ():
        scores = (f"{clean(each.name)} {each.scores[metric]:.3f}" for each in result.systems)
        yield f"So far, by {metric}: {', '.join(scores)}"
    if stands.figures:
        yield stands.figures
    for notice in judging.counts().notices:
        if notice.code != "open-questions":
            yield f"Note: {notice.text}"
    if outlook is not None and outlook.may_stop:
        yield "You may stop." if outlook.open else outlook.words
    elif outlook is not None and outlook.metric not in ("", metric):
        yield outlook.words


# report


def _add_report(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    add_output(output, "--html", "the report as one page, with figures")


def _report(args: argparse.Namespace) -> int:
    from tellapart.campaign.agreement import agreement_of
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.judges import who_judged
    from tellapart.campaign.judging import load_judging
    from tellapart.campaign.people_report import report_html, report_text

    campaign = _opened(args)
    outputs = outputs_of(args, [args.folder])
    systems = campaign.systems()
    questions = Desk(campaign, load_judging).questions if systems else {}
    agreement = agreement_of(campaign.log.since(), campaign.settings, questions)
    judged = who_judged(campaign) if len(systems) > 1 else None
    show(report_text(agreement, judged))
    if judged is None:
        remark("with two systems or more, it also tells how the verdict depends on who judged")
    outputs.write({"--html": lambda: report_html(campaign.settings.title, agreement, judged)})
    return 0


# export, import, merge


def _add_export(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    add_output(output, "--json", "all decisions and remarks, with who made them")
    add_output(output, "--csv", "all decisions as a table")
    add_output(output, "--scores", "what the systems have by what holds now: a table (CSV) that "
               "`compare` reads")  # fmt: skip
    add_output(output, "--history", "what holds about fills, as a history of 1992")
    add_output(output, "--backup", "settings and database as one archive (.zip)")
    add_output(output, "--site", "the board as static pages, which need no server", "DIR")


def _export(args: argparse.Namespace) -> int:
    from tellapart.campaign import exchange
    from tellapart.campaign.desk import Desk
    from tellapart.campaign.histories import history_of
    from tellapart.campaign.judging import load_judging
    from tellapart.formats.muc.history_files import history_content

    if not getattr(args, "outputs", None):
        raise UsageError(
            "there is nothing to export: name --json, --csv, --scores, --history, --backup or "
            "--site"
        )
    campaign = _opened(args)
    outputs = outputs_of(args, [args.folder])
    outputs.write(
        {
            "--json": lambda: exchange.log_json(campaign),
            "--csv": lambda: exchange.log_csv(campaign),
            "--scores": lambda: exchange.scores(Desk(campaign, load_judging).judging),
            "--history": lambda: history_content(history_of(campaign)),
            "--backup": lambda: exchange.backup(campaign),
            "--site": lambda: _site(campaign),
        }
    )
    return 0


def _site(campaign: Campaign) -> dict[str, str]:
    """Return the board as static pages."""
    try:
        from tellapart.campaign.web.static_site import site_files
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"--site needs {problem.name}: pip install 'tellapart[campaign]'"
        ) from None
    return site_files(campaign)


def _add_import(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="JSON or CSV as `export` writes them, or a history of 1992")  # fmt: skip
    add("--judge", metavar="NAME", default=HISTORY,
        help=f"whose decisions those of a history are (default: {HISTORY})")  # fmt: skip


def _import(args: argparse.Namespace) -> int:
    from tellapart.campaign.exchange import check, read_brought
    from tellapart.campaign.histories import design_of

    campaign = _opened(args)
    found = {path: read_brought(path, _file(path)[1]) for path in args.files}
    for path, each in found.items():  # all, before anything is added
        if each is None:
            _check_history(path, design_of(campaign))
        else:
            check(campaign, each)
    for path, each in found.items():
        if each is None:
            _import_history(campaign, path, args.judge)
        else:
            _bring_in(campaign, each)
    return 0


def _add_merge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="OTHER", help="folders of other campaigns")


def _merge(args: argparse.Namespace) -> int:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.exchange import brought_from, check

    campaign = _opened(args)
    for other in args.files:
        if os.path.realpath(other) == os.path.realpath(args.folder):
            raise UsageError(f"{other}: this is the campaign itself; name another one")
    found = [brought_from(Campaign.open(other)) for other in args.files]
    for each in found:  # all, before anything is added
        check(campaign, each)
    for each in found:
        _bring_in(campaign, each)
    return 0


def _bring_in(campaign: Campaign, brought: Brought) -> None:
    from tellapart.campaign.exchange import bring_in

    done = bring_in(campaign, brought)
    note_written(campaign.database.label)
    told = [several(done.added, "decision") + " added"]
    if done.known:
        told.append(f"{done.known:,} there already")
    told.append(several(done.conflicts, "new conflict"))
    show(f"{brought.place}: {listed(told, len(told))}\n")
    if done.overruled:
        rulings = several(done.overruled, "ruling")
        differ = "differs" if done.overruled == 1 else "differ"
        say(
            f"warning: {rulings} of {brought.place} {differ} from what was ruled here, which "
            "stays; it is kept as an opinion"
        )


ACTIONS: Final = {
    "new": Action(
        "make a campaign in a folder",
        _add_new,
        _new,
        "Makes a campaign: a folder with its settings (campaign.toml) and its database.",
        """examples:
  tellapart campaign new answers/ --as items
  tellapart campaign new answers/ --as inspect --judging preference --second 0.1
  tellapart campaign new news/ --as text --gold reference.txt --scale good=1,fair=0.5,bad=0
  tellapart campaign new muc/ --as muc --gold key.txt --texts texts.txt --history old.txt""",
    ),
    "add": Action(
        "add systems, or new files of them",
        _add_add,
        _add,
        "Adds systems. Their files are checked first; all problems are listed, and nothing is\n"
        "added if there is one.",
    ),
    "remove": Action(
        "let systems count no longer",
        _add_remove,
        _remove,
        "Takes systems out. The log keeps that they were there, and what was decided about their\n"
        "outputs; `add` brings them back.",
    ),
    "people": Action(
        "who takes part? give and revoke links",
        _add_people,
        _people,
        "Lists everybody who takes part, gives a link to one (--add), or revokes it (--revoke).",
    ),
    "status": Action(
        "how far is it, and what is the verdict so far?",
        _no_more,
        _status,
        "Shows how many questions are decided, open and in conflict, and the verdict so far.",
    ),
    "report": Action(
        "how far do people agree, and what depends on who judged?",
        _add_report,
        _report,
        "Tells how far people agree (raw, Cohen's kappa, Krippendorff's alpha, by slot or task),\n"
        "what was taken for what, the verdict under each judge's decisions, and an interval of\n"
        "each difference that carries their disagreement.",
    ),
    "export": Action(
        "write decisions or a backup",
        _add_export,
        _export,
        "Writes what a campaign holds.",
    ),
    "import": Action(
        "add decisions from files",
        _add_import,
        _import,
        "Adds decisions from files, with who made them and when. Nothing is added twice, nothing\n"
        "that is there is replaced: where people differ there is a conflict.",
    ),
    "merge": Action(
        "add the decisions of another campaign",
        _add_merge,
        _merge,
        "Adds the decisions and remarks of other campaigns to those of DIR; people are kept by\n"
        "name. Nothing is added twice; where people differ there is a conflict.",
    ),
}
"""By name"""

"""`tellapart campaign people`, `status` and `report`: who takes part, and what was found so far."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tellapart.console import remark, show
from tellapart.limits import COUNT
from tellapart.verbs.campaign_actions.action import Action, opened
from tellapart.words import clean, encodable, several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.desk import Desk


def _add_people(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--add", metavar="NAME",
        help="give somebody a link, which is shown once; a link they had before "
        "stops working")  # fmt: skip
    add("--role", choices=("judge", "organiser", "participant"), default="judge",
        help="what they may do: judge, also rule and see everything, or send in systems (default: "
        "judge)")  # fmt: skip
    add("--days", type=COUNT, metavar="N",
        help="for how many days the link is good (default: until it is revoked)")  # fmt: skip
    add("--revoke", metavar="NAME", help="make somebody's link stop working")
    add("--address", default="", metavar="URL",
        help="where the pages are, such as https://eval.example.org, for the link")  # fmt: skip


def _people(args: argparse.Namespace) -> int:
    campaign = opened(args)
    if args.revoke is not None:
        campaign.revoke(args.revoke)
        show(f"{args.revoke}: the link no longer works\n")
    if args.add is not None:
        token = campaign.add_person(encodable(args.add), args.role, args.days)
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


def _no_more(parser: argparse.ArgumentParser) -> None:
    """Declare nothing more."""


def _status(args: argparse.Namespace) -> int:
    from tellapart.campaign.judging import desk_of

    campaign = opened(args)
    for line in _status_lines(campaign, desk_of(campaign)):
        show(f"{line}\n")
    return 0


def _status_lines(campaign: Campaign, desk: Desk) -> Iterator[str]:
    from tellapart.campaign.bounds import Bounds
    from tellapart.campaign.headline import headline_of
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
    outlook = Bounds(desk).update()
    result = compared(settings, judging)
    metric = outlook.metric if outlook and outlook.metric in result.metrics else ""
    metric = metric or next(iter(result.metrics))
    said = metric, verdict(result, metric)
    stands = headline_of(settings, progress, outlook, said, judging.systems)
    yield stands.words
    for each in stands.settled if len(judging.systems) > 2 else ():
        yield f"Settled: {each}"
    so_far = "So far" if stands.figures else "Against the settled key"
    for metric in result.metrics if stands.figures or keys else ():
        scores = (f"{clean(each.name)} {each.scores[metric]:.3f}" for each in result.systems)
        yield f"{so_far}, by {metric}: {', '.join(scores)}"
    if stands.figures:
        yield stands.figures
    for notice in judging.counts().notices:
        if notice.code != "open-questions":
            yield f"Note: {notice.text}"
    if outlook is not None and outlook.may_stop:
        yield "You may stop." if outlook.open else outlook.words
    elif outlook is not None and outlook.metric not in ("", metric):
        yield outlook.words


def _report(args: argparse.Namespace) -> int:
    from tellapart.campaign.agreement import NAMED, agreement_of
    from tellapart.campaign.judges import who_judged
    from tellapart.campaign.judging import desk_of
    from tellapart.report.table import terminal
    from tellapart.report.text import filled

    campaign = opened(args)
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


PEOPLE: Final = Action(
    "who takes part? give and revoke links",
    _add_people,
    _people,
    "Lists everybody who takes part, gives a link to one (--add), or revokes it (--revoke).",
)
STATUS: Final = Action(
    "how far is it, and what is the verdict so far?",
    _no_more,
    _status,
    "Shows how many questions are decided and open, conflicts among these, and the verdict so far.",
)
REPORT: Final = Action(
    "how far do people agree, and what depends on who judged?",
    _no_more,
    _report,
    "Tells how far people agree (raw, Cohen's kappa, Krippendorff's alpha, by slot or task),\n"
    "and the verdict under each judge's decisions.",
)

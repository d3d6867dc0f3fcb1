"""`tellapart plan`: how many items it takes to see a difference of some size."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tellapart.console import say, show, terminal_width
from tellapart.errors import UsageError
from tellapart.limits import ALPHA, COUNT, MARGIN, SHARE, Number
from tellapart.verbs import inputs, judged
from tellapart.verbs.inputs import add_comparison_options
from tellapart.verbs.outputs import Outputs, add_output, outputs_of

if TYPE_CHECKING:
    from tellapart.comparison.plan import Question, Scenario
    from tellapart.counts import Counts

DESCRIPTION = """\
Tells the smallest difference that a test set can show, and how many items it takes
to show another: with the paired randomization test, at a level, so many times out
of so many. From a pilot (SYSTEM is what `tellapart compare` takes; two systems), or
from assumed scores of items that are right or wrong."""
_ASSUMED = ("scores", "correlation", "cluster_size", "icc")
_OF_PILOTS = ("pair", "cluster", "where", "gold", "form", "item", "missing")
EXAMPLES = """\
examples:
  tellapart plan pilot.csv --metric f1 --difference 0.02
  tellapart plan pilot.csv --pair old new --cluster document --power 0.9
  tellapart plan --scores 0.70 0.75 --items 500 --difference 0.03
  tellapart plan old.jsonl new.jsonl --margin 0.01
  tellapart plan --scores 0.70 0.75 --cluster-size 10 --icc 0.1 --pairs 3
  tellapart plan scores.csv --metric judge --human human --label-first list.csv"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "plan", files="*")
    _add_pilot(parser.add_argument_group("from a pilot"))
    _add_assumptions(parser.add_argument_group("from assumed scores"))
    _add_question(parser.add_argument_group("the question"))
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the record; - for standard output, alone")
    add_output(group, "--svg", "draw the curve: a file .svg, or plan.svg in a folder", "PATH")
    first = "list which items people should label first beside a judge, as CSV or TSV"
    add_output(group, "--label-first", first)


def _add_pilot(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--pair", nargs=2, metavar=("A", "B"), help="the two systems of the plan")
    add_comparison_options(group, "cluster")
    inputs.add_human(group)


def _add_assumptions(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--scores", type=_score, metavar="X", nargs="+",
        help="two: the one you have and the one you hope for; shares of right items")  # fmt: skip
    add("--correlation", type=Number(least=-1, most=1), metavar="R",
        help="of the systems over items: do both fail on the same? (default: 0.5)")  # fmt: skip
    add("--agreement", type=SHARE, metavar="X",
        help="instead: the share of items both get right or both get wrong")  # fmt: skip
    add("--cluster-size", type=COUNT, metavar="N", help="items in a cluster, such as a document")
    add("--icc", type=SHARE, metavar="X",
        help="intra-cluster correlation: how alike the differences within one are")  # fmt: skip


def _score(text: str) -> float:
    """Return one of the two scores; both in one word, as 60,70, are no decimal comma."""
    first, comma, second = text.partition(",")
    try:
        scores = (float(first), float(second)) if comma else ()
    except ValueError:
        scores = ()
    if scores and (scores[0] > 1 or "." in text):
        size = 100 if max(scores) > 1 else 1
        words = " ".join(f"{score / size:g}" for score in scores)
        raise UsageError(f"--scores: {text!r} is one word; write two numbers, --scores {words}")
    score: float = SHARE(text)
    return score


def _add_question(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--items", type=COUNT, metavar="N", help="in the test set (default: those of the pilot)")
    add("--difference", type=MARGIN, metavar="X",
        help="that should be found (default: that of the scores; half of what the pilot's items "
        "show)")  # fmt: skip
    add("--margin", type=MARGIN, metavar="X",
        help="instead: the margin of a build check that a system as good as the old one should "
        "pass; with a pilot, --agreement, or nothing assumed")  # fmt: skip
    add("--power", type=ALPHA, metavar="X", default=0.8,
        help="how often it should be found (default: 0.8)")  # fmt: skip
    add_comparison_options(group, "alpha")
    add("--pairs", type=COUNT, metavar="N", default=1,
        help="pairs that will be compared; the level is divided by it (default: 1)")  # fmt: skip
    add_comparison_options(group, "seed", help="of drawn test sets (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Make a plan from a pilot or from assumptions, and print it."""
    if args.human or args.label_first is not None:
        return _plan_labels(args)
    request = inputs.request(args) if args.files else None
    outputs = outputs_of(args, [] if request is None else request.files)
    from tellapart.comparison.plan import make_plan, plan_margin
    from tellapart.report.figures.layout import standalone
    from tellapart.report.plan import picture, render_plan

    question = _question(args)
    contents: dict[str, Callable[[], Any]] = {}
    if args.margin is None:
        scenario = _assumed(args) if request is None else _pilot(args, request, question)
        plan = make_plan(scenario, question)
        contents["--svg"] = lambda: {"plan.svg": standalone(picture(plan))}
    else:
        _refuse(args, ("difference", *_ASSUMED), "a plan for a margin goes by a pilot, or by how "
                "many answers change: drop {}")  # fmt: skip
        changed = None if args.agreement is None else 1 - args.agreement
        pilot = None if request is None else _pilot(args, request, question)
        plan = plan_margin(question, pilot, changed)
    outputs.write({"--json": plan.to_json, **contents})
    if not outputs.on_standard_output:
        show(render_plan(plan, terminal_width()))
    return 0


def _question(args: argparse.Namespace) -> Question:
    from tellapart.comparison.plan import Question

    return Question(
        items=args.items,
        difference=args.difference,
        margin=args.margin,
        power=args.power,
        alpha=args.alpha,
        pairs=args.pairs,
        seed=args.seed,
    )


def _plan_labels(args: argparse.Namespace) -> int:
    """Plan how many items people should label beside a judge, and which first."""
    from tellapart.comparison.items import two_of
    from tellapart.comparison.labels import from_labels, label_first
    from tellapart.comparison.plan import make_plan
    from tellapart.report.plan import about_list, list_content, render_plan

    judged.refuse_others(args, add_arguments, judged.PLANNING)
    if not args.files:
        raise UsageError("--human and --label-first are about files of a judge's scores: name them")
    scores, outputs = judged.read(args) if args.human else _unlabelled(args)
    scores = scores.systems[two_of(scores.names, args.pair)]
    plan = None
    if args.human:
        plan = make_plan(from_labels(scores, cluster=args.cluster), _question(args))

    def record() -> str:
        if plan is None:
            raise UsageError("without --human there is nothing to plan by: drop --json")
        return plan.to_json()

    def table() -> str:
        listed = label_first(scores, args.seed)
        return list_content(listed, scores.kind, scores.names, args.label_first)

    outputs.write({"--json": record, "--label-first": table})
    if not outputs.on_standard_output:
        for notice in scores.notices:
            say(notice.text)
        parts = [] if plan is None else [render_plan(plan, terminal_width())]
        if args.label_first is not None:
            parts.append(about_list(args.label_first, scores.names, terminal_width()))
        show("\n".join(parts))
    return 0


def _unlabelled(args: argparse.Namespace) -> tuple[Counts, Outputs]:
    """Return the judge's scores, of which people have seen none yet."""
    from tellapart.counts.judged import without_people
    from tellapart.formats.judged import judge_metric

    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    counts = request.read()
    return without_people(counts, judge_metric(request.sources)), outputs


def _refuse(args: argparse.Namespace, names: Sequence[str], message: str) -> None:
    """Refuse options that have no place in a plan; the message has room for one."""
    for name in names:
        if getattr(args, name) not in (None, [], (), ""):
            option = "--as" if name == "form" else "--" + name.replace("_", "-")
            raise UsageError(message.format(option))


def _assumed(args: argparse.Namespace) -> Scenario:
    from tellapart.comparison.plan import from_scores

    _refuse(args, _OF_PILOTS, "{} is about a pilot: name its files (assumed clusters have a "
            "--cluster-size and an --icc)")  # fmt: skip
    if args.scores is None:
        raise UsageError("give a pilot, or what you assume: --scores")
    if args.metric not in (None, ["accuracy"]):
        raise UsageError(
            f"--metric {','.join(args.metric)}: from scores, plans are for accuracy; for other "
            "metrics, give a pilot"
        )
    if len(args.scores) != 2:
        raise UsageError(
            f"--scores needs two values, one for each system, not {len(args.scores)}: what you "
            "have, and what you hope for"
        )
    return from_scores(
        *args.scores,
        correlation=args.correlation,
        agreement=args.agreement,
        cluster_size=args.cluster_size,
        icc=args.icc,
    )


def _pilot(args: argparse.Namespace, request: inputs.Request, question: Question) -> Scenario:
    from tellapart.comparison.plan import from_pilot, one_metric

    _refuse(args, (*_ASSUMED, "agreement"), "{} goes without a pilot: a pilot shows that itself")
    counts = request.read()
    inputs.print_notices(counts)
    metric = one_metric(counts, request.metrics(counts), args.metric is not None)
    return from_pilot(counts, metric, question, pair=args.pair, cluster=args.cluster)

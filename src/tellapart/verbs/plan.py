"""`tellapart plan`: how many items it takes to see a difference of some size."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tellapart.console import say, show, terminal_width
from tellapart.errors import UsageError
from tellapart.limits import (
    AGREEMENT,
    CLUSTER_SIZE,
    CORRELATION,
    DIFFERENCE,
    GOLD_PER_ITEM,
    ICC,
    ITEMS,
    MARGIN,
    PLANNED_PAIRS,
    POWER,
    SCORE,
    SIMULATED_SETS,
)
from tellapart.verbs import inputs, judged
from tellapart.verbs.inputs import add_comparison_options, add_number
from tellapart.verbs.outputs import Outputs, add_output, outputs_of

if TYPE_CHECKING:
    from tellapart.comparison.plan import Question
    from tellapart.comparison.scenarios import Clustering, Scenario
    from tellapart.counts.judged import JudgedScores

DESCRIPTION = """\
Tells the smallest difference that a test set can show, and how many items it takes
to show another: with the paired randomization test, at a level, so many times out
of so many. From a pilot (SYSTEM is what `tellapart compare` takes; two systems), or
from assumed scores of items that are right or wrong, or of F1."""
EXAMPLES = """\
examples:
  tellapart plan pilot.csv --metric f1 --difference 0.02
  tellapart plan pilot.csv --pair old new --cluster document --power 0.9
  tellapart plan --scores 0.70 0.75 --items 500 --difference 0.03
  tellapart plan old.jsonl new.jsonl --margin 0.01
  tellapart plan --scores 0.70 0.75 --cluster-size 10 --icc 0.1 --pairs 3
  tellapart plan scores.csv --metric judge --human human --label-first list.csv
  tellapart plan --precision 0.80 0.82 --recall 0.60 0.65 --gold-per-item 2.5"""


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
    add_number(group, "--scores", SCORE, nargs="+",
        help="two: the one you have and the one you hope for; shares of right items, or F1 "
        "with --metric f1 (precision and recall are then taken to be equal)")  # fmt: skip
    add_number(group, "--precision", SCORE, nargs="+", help="two, for F1")
    add_number(group, "--recall", SCORE, nargs="+", help="two, for F1")
    add_number(group, "--gold-per-item", GOLD_PER_ITEM,
        help="things to find in an item, on average, for F1 (default: 1)")  # fmt: skip
    add_number(group, "--correlation", CORRELATION, metavar="R",
        help="of the systems over items: do both fail on the same? (default: 0.5)")  # fmt: skip
    add_number(group, "--agreement", AGREEMENT,
        help="instead: the share of items both get right or both get wrong")  # fmt: skip


def _add_question(group: argparse._ArgumentGroup) -> None:
    add_number(group, "--items", ITEMS, help="in the test set (default: those of the pilot)")
    add_number(group, "--difference", DIFFERENCE,
        help="that should be found (default: that of the scores; half of what the pilot's items "
        "show)")  # fmt: skip
    add_number(group, "--margin", MARGIN,
        help="instead: the margin of a build check that a system as good as the old one should "
        "pass; with a pilot, --agreement, or nothing assumed")  # fmt: skip
    add_number(group, "--power", POWER, default=0.8,
        help="how often it should be found (default: 0.8)")  # fmt: skip
    add_comparison_options(group, "alpha")
    add_number(group, "--pairs", PLANNED_PAIRS, default=1,
        help="pairs that will be compared; the level is divided by it (default: 1)")  # fmt: skip
    add_number(group, "--cluster-size", CLUSTER_SIZE, help="items in a cluster, such as a document")
    add_number(group, "--icc", ICC,
        help="intra-cluster correlation: how alike the differences within one are")  # fmt: skip
    add_number(group, "--simulate", SIMULATED_SETS,
        help="test sets to check each figure on (default: up to 2,000; 0: none)")  # fmt: skip
    add_comparison_options(group, "seed", help="of the simulations (default: 0)")


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
        plan = make_plan(_scenario(args, request), question)
        contents["--svg"] = lambda: {"plan.svg": standalone(picture(plan))}
    else:
        _refuse_beside_margin(args, request)
        changed = None if args.agreement is None else 1 - args.agreement
        pilot = None if request is None else _pilot_scenario(args, request, None)
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
        sets=args.simulate,
    )


def _plan_labels(args: argparse.Namespace) -> int:
    """Plan how many items people should label beside a judge, and which first."""
    from tellapart.comparison.labels import chosen_pair, label_first, plan_labels
    from tellapart.report.plan import list_content, render_labels

    judged.refuse_others(args, add_arguments, judged.PLANNING)
    if not args.files:
        raise UsageError("--human and --label-first are about files of a judge's scores: name them")
    scores, outputs = judged.read(args) if args.human else _unlabelled(args)
    chosen = chosen_pair(scores, None if args.pair is None else (args.pair[0], args.pair[1]))
    found = plan_labels(chosen, _question(args), cluster=args.cluster) if args.human else None

    def record() -> str:
        if found is None:
            raise UsageError("without --human there is nothing to plan by: drop --json")
        return found.to_json()

    def table() -> str:
        listed = label_first(chosen, args.seed)
        return list_content(listed, chosen.kind, chosen.names, args.label_first)

    outputs.write({"--json": record, "--label-first": table})
    if not outputs.on_standard_output:
        for notice in scores.notices:
            say(notice.text)
        show(render_labels(found, args.label_first, chosen.names, terminal_width()))
    return 0


def _unlabelled(args: argparse.Namespace) -> tuple[JudgedScores, Outputs]:
    """Return the judge's scores, of which people have seen none yet."""
    from tellapart.counts.judged import JudgedScores
    from tellapart.formats.judged import judge_metric

    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    counts = request.read()
    return JudgedScores.unlabelled(counts, judge_metric(request.sources)), outputs


def _refuse_beside_margin(args: argparse.Namespace, request: inputs.Request | None) -> None:
    for name in ("difference", "precision", "recall", "gold_per_item", "correlation", "scores",
                 "cluster_size", "icc", "simulate"):  # fmt: skip
        if getattr(args, name) is not None:
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"a plan for a margin goes by a pilot, or by how many answers change: drop {option}"
            )
    if request is None:
        _refuse_pilot_options(args)


def _scenario(args: argparse.Namespace, request: inputs.Request | None) -> Scenario:
    from tellapart.comparison.scenarios import Clustering, from_detections, from_scores

    clustering = Clustering.of(args.cluster_size, args.icc)
    if request is not None:
        return _pilot_scenario(args, request, clustering)
    _refuse_pilot_options(args)
    f1 = args.metric == ["f1"] or args.precision is not None or args.recall is not None
    if not f1 and args.scores is None:
        raise UsageError("give a pilot, or what you assume: --scores, or --precision and --recall")
    if not f1 and args.metric not in (None, ["accuracy"]):
        raise UsageError(
            f"--metric {','.join(args.metric)}: from scores, plans are for accuracy or f1; for "
            "other metrics, give a pilot"
        )
    common = {"correlation": args.correlation, "clustering": clustering, "seed": args.seed}
    if not f1:
        if args.gold_per_item is not None:
            raise UsageError("--gold-per-item is for F1: add --metric f1")
        return from_scores(*_two("--scores", args.scores), agreement=args.agreement, **common)
    precision, recall = _detection_scores(args)
    return from_detections(precision, recall, gold_per_item=args.gold_per_item or 1.0, **common)


def _pilot_scenario(
    args: argparse.Namespace, request: inputs.Request, clustering: Clustering | None
) -> Scenario:
    from tellapart.comparison.scenarios import from_pilot, one_metric

    assumed = ("scores", "precision", "recall", "gold_per_item", "correlation", "agreement")
    given = [name for name in assumed if getattr(args, name) is not None]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise UsageError(f"{option} goes without a pilot: a pilot shows that itself")
    counts = request.read()
    inputs.print_notices(counts)
    return from_pilot(
        counts,
        one_metric(counts, request.metrics(counts), args.metric is not None),
        pair=args.pair,
        cluster=args.cluster,
        clustering=clustering,
        level=args.alpha / args.pairs,
        seed=args.seed,
    )


def _refuse_pilot_options(args: argparse.Namespace) -> None:
    for name in ("pair", "systems", "cluster", "where", "gold", "form", "item", "missing"):
        if getattr(args, name):
            option = "--as" if name == "form" else f"--{name}"
            hint = "; for assumed clusters give --cluster-size and --icc" * (name == "cluster")
            raise UsageError(f"{option} is about a pilot: name its files{hint}")


def _detection_scores(args: argparse.Namespace) -> tuple[tuple[float, float], tuple[float, float]]:
    if args.agreement is not None:
        raise UsageError("--agreement is for items that are right or wrong; give --correlation")
    if args.scores is not None:
        if args.precision is not None or args.recall is not None:
            raise UsageError("give --scores, or --precision and --recall, not both")
        both = _two("--scores", args.scores)
        return both, both
    if args.precision is None or args.recall is None:
        raise UsageError("F1 needs --precision and --recall, two values each, or --scores")
    return _two("--precision", args.precision), _two("--recall", args.recall)


def _two(option: str, values: list[float]) -> tuple[float, float]:
    if len(values) != 2:
        raise UsageError(
            f"{option} needs two values, one for each system, not {len(values)}: what you have, "
            "and what you hope for"
        )
    return values[0], values[1]

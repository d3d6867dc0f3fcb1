"""Tells which difference a test set can show, and how many items show another.

It goes by a pilot (two systems, as for `compare`) or by assumed scores.

Examples:
  tellapart plan pilot.csv --metric f1 --difference 0.02 --power 0.9
  tellapart plan --scores 0.70 0.75 --items 500 --difference 0.03
  tellapart plan old.jsonl new.jsonl --margin 0.01
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

from tellapart.console import terminal_width
from tellapart.errors import UsageError
from tellapart.options import ALPHA, COUNT, MARGIN, SHARE, Number
from tellapart.verbs import inputs
from tellapart.verbs.inputs import add_comparison_options
from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.comparison.plan import Plan, Question

_ASSUMED = ("--scores", "--correlation")
_OF_PILOTS = ("--pair", "--cluster", "--where", "--gold", "--as", "--item", "--missing", "--human")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, in the groups of the help text."""
    inputs.add_arguments(parser, "plan", files="*")
    pilot = parser.add_argument_group("from a pilot")
    pilot.add_argument("--pair", nargs=2, metavar=("A", "B"), help="the two systems of the plan")
    add_comparison_options(pilot, "cluster")
    inputs.add_human(pilot)
    add = parser.add_argument_group("from assumed scores").add_argument
    add("--scores", type=SHARE, metavar=("OLD", "NEW"), nargs=2,
        help="shares of right items: now, and hoped for")  # fmt: skip
    add("--correlation", type=Number(least=-1, most=1), metavar="R",
        help="of the systems over items (default: 0.5)")  # fmt: skip
    add("--agreement", type=SHARE, metavar="X",
        help="of a margin: the share of items with the same outcome")  # fmt: skip
    question = parser.add_argument_group("the question")
    add = question.add_argument
    add("--items", type=COUNT, metavar="N", help="in the test set (default: those of the pilot)")
    add("--difference", type=MARGIN, metavar="X",
        help="to be found (default: that of the scores; half of what a pilot finds)")  # fmt: skip
    add("--margin", type=MARGIN, metavar="X",
        help="instead: of a build check that an equal system passes")  # fmt: skip
    add("--power", type=ALPHA, metavar="X", default=0.8,
        help="how often it should be found (default: 0.8)")  # fmt: skip
    add_comparison_options(question, "alpha")
    add("--pairs", type=COUNT, metavar="N", default=1,
        help="pairs that will be compared (default: 1)")  # fmt: skip
    add("--costs", type=_costs, metavar="NAME=X,…",
        help="of item, run, prompt and answer: item=2,answer=0.1 (default: answer=1)")  # fmt: skip
    add_comparison_options(question, "seed", help="of drawn test sets (default: 0)")
    group = parser.add_argument_group("output")
    add_output(group, "--json", "write the record; - for standard output, alone")


def _costs(text: str) -> dict[str, float]:
    known = ("item", "run", "prompt", "answer")
    costs = dict(part.partition("=")[::2] for part in text.split(","))
    if not set(costs) <= set(known) or "answer" not in costs:
        names = listed(known)
        raise UsageError(f"--costs is of {names}, as item=2,answer=0.01 is, not {text!r}")
    return {name: MARGIN(cost) for name, cost in costs.items()}


def run(args: argparse.Namespace) -> int:
    """Make a plan from a pilot or from assumptions, and print it."""
    _check(args)
    request = inputs.request(args) if args.files else None
    outputs = outputs_of(args, [] if request is None else request.files)
    from tellapart.comparison.plan import Question
    from tellapart.report.plan import render_plan

    question = Question(**{field.name: getattr(args, field.name) for field in fields(Question)})
    plan = _assumed(args, question) if request is None else _pilot(args, request, question)
    outputs.write({"--json": plan.to_json}, render_plan(plan, terminal_width()))
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse options that have no place in this kind of plan."""
    refuse = partial(inputs.refuse, args)
    if args.margin is not None:
        refuse("a plan for a margin goes by a pilot, or by how many answers change",
               "--difference", *_ASSUMED)  # fmt: skip
    if args.human:
        refuse("of labels beside a judge, neither items nor margins are planned",
               "--items", "--margin", "--gold", "--weights")  # fmt: skip
    if args.files:
        refuse("a pilot shows that itself", *_ASSUMED, "--agreement")
    else:
        refuse("that is about a pilot: name its files", *_OF_PILOTS)


def _assumed(args: argparse.Namespace, question: Question) -> Plan:
    from tellapart.comparison.plan import from_scores, make_plan, plan_margin

    if args.margin is not None:
        return plan_margin(question, changed=None if args.agreement is None else 1 - args.agreement)
    if args.scores is None:
        raise UsageError("give a pilot, or what you assume: --scores")
    if args.metric not in (None, ["accuracy"]):
        raise UsageError(f"--metric {','.join(args.metric)} needs a pilot: give its files")
    inputs.refuse(args, "that is about a --margin", "--agreement")
    return make_plan(from_scores(*args.scores, correlation=args.correlation), question)


def _pilot(args: argparse.Namespace, request: inputs.Request, question: Question) -> Plan:
    """Plan by what a pilot shows; beside a judge, how many items people should label."""
    from tellapart.comparison.items import two_of
    from tellapart.comparison.plan import (
        from_labels,
        from_pilot,
        make_plan,
        one_metric,
        plan_margin,
    )

    counts = request.read()
    inputs.print_notices(counts)
    if args.human:
        counts = counts.systems[two_of(counts.names, args.pair)]
        return make_plan(from_labels(counts, cluster=args.cluster), question)
    metric = one_metric(counts, request.metrics(counts), args.metric is not None)
    pilot = from_pilot(counts, metric, question, pair=args.pair, cluster=args.cluster)
    return make_plan(pilot, question) if args.margin is None else plan_margin(question, pilot)

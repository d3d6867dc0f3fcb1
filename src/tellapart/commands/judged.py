"""`--human` of `compare` and `plan`: an automatic judge's scores, corrected by people's."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tellapart.commands import inputs
from tellapart.commands.outputs import Outputs, origin, outputs_of
from tellapart.console import remark, say, send, show
from tellapart.errors import UsageError
from tellapart.options import options_of
from tellapart.progress import DelayedProgress

if TYPE_CHECKING:
    from tellapart.comparison.judged_record import JudgedComparison
    from tellapart.counts.judged import JudgedScores

_READING: Final = (
    "systems", "form", "metric", "item", "item_labels", "missing", "human", "where",
    "lower_is_better", "cluster", "alpha", "json", "svg",
)  # fmt: skip
_PLANNING: Final = (*_READING, "pair", "difference", "power", "pairs", "seed", "label_first")
_COMPARING: Final = (*_READING, "correction", "baseline", "html", "format", "fail_if_worse")


def compare(args: argparse.Namespace) -> int:
    """Compare systems by a judge whom people checked."""
    from tellapart.commands import compare as verb
    from tellapart.comparison.judged import compare_judged

    refuse_others(args, verb.add_arguments, _COMPARING)
    if args.format not in ("text", "tsv", "md"):
        raise UsageError(f"with --human, a report is text, tsv or md: drop --format {args.format}")
    scores, outputs = read(args)
    if args.fail_if_worse and args.baseline is None and len(scores.names) != 2:
        raise UsageError(
            f"--fail-if-worse is about the last of two systems, and here are {len(scores.names)}: "
            "name with --baseline the one that the others are held against"
        )
    result = compare_judged(
        scores,
        cluster=args.cluster,
        alpha=args.alpha,
        correction=args.correction,
        baseline=args.baseline,
    )
    _write(result, args, outputs)
    worse = list(_worse(result)) if args.fail_if_worse else []
    for reason in worse:
        say(reason)
    return 1 if worse else 0


def plan(args: argparse.Namespace) -> int:
    """Plan how many items people should label, and which first."""
    from tellapart.commands import plan as verb
    from tellapart.planning.labels import chosen_pair, label_first, plan_labels
    from tellapart.report.plan import list_content, render_labels

    refuse_others(args, verb.add_arguments, _PLANNING)
    if not args.systems:
        raise UsageError("--human and --label-first are about files of a judge's scores: name them")
    scores, outputs = read(args) if args.human else _unlabelled(args)
    pair = None if args.pair is None else (args.pair[0], args.pair[1])
    chosen = chosen_pair(scores, pair)
    found = None
    if args.human:
        found = plan_labels(
            chosen,
            difference_wanted=args.difference,
            power=args.power,
            alpha=args.alpha,
            pairs=args.pairs,
            cluster=args.cluster,
        )

    def record() -> str:
        if found is None:
            raise UsageError("without --human there is nothing to plan by: drop --json")
        return found.to_json()

    listed = label_first(chosen, args.seed)
    outputs.write(
        {
            "--json": record,
            "--label-first": lambda: list_content(
                listed, chosen.kind, chosen.names, args.label_first
            ),
        }
    )
    if not outputs.on_standard_output:
        for notice in scores.notices:
            say(notice.text)
        show(render_labels(found, args.label_first, chosen.names))
    return 0


def _unlabelled(args: argparse.Namespace) -> tuple[JudgedScores, Outputs]:
    """Return the judge's scores, of which people have seen none yet."""
    from tellapart.counts.judged import JudgedScores
    from tellapart.formats.judged import judge_metric

    request = inputs.request(args)
    outputs = outputs_of(args, request.files)
    counts = inputs.chosen_items(request.read(), args.where)
    return JudgedScores.unlabelled(counts, judge_metric(request.sources)), outputs


def refuse_others(args: argparse.Namespace, add_arguments: object, taken: Collection[str]) -> None:
    """Refuse options that have no place beside people's scores, rather than ignore them."""
    from tellapart.formats.registry import formats

    parser = argparse.ArgumentParser(add_help=False)
    assert callable(add_arguments)
    add_arguments(parser)
    own = {each.name for form in formats() for each in options_of(form.options)}
    for action in parser._actions:
        given = getattr(args, action.dest, action.default)
        if action.dest in taken or action.dest in own or given == action.default:
            continue
        raise UsageError(
            f"{action.option_strings[0]} has no place beside --human, whose test is that of "
            "prediction-powered means; drop it"
        )


def read(args: argparse.Namespace) -> tuple[JudgedScores, Outputs]:
    """Return the scores that a command line names, and what it asks to be written."""
    from tellapart.counts.judged import STRATUM
    from tellapart.formats.judged import own_files, read_judged_from
    from tellapart.formats.sources import paths_of

    own = own_files(args.human)
    request = inputs.request(args)
    outputs = outputs_of(args, [*request.files, *paths_of(own)])
    with DelayedProgress() as progress:
        sources = request.sources_with(progress)
        scores = read_judged_from(request.format, sources, request.options, args.human)
        if own and "" in scores.labels.get(STRATUM, ()):
            # A list of what to label tells the stratum of every item, labelled or not.
            sources = replace(sources, item_labels=(*sources.item_labels, *paths_of(own)))
            scores = read_judged_from(request.format, sources, request.options, args.human)
    wanted = inputs.wanted_labels(args.where)
    scores = scores.where(wanted) if wanted else scores
    named = getattr(args, "lower_is_better", None) or ()
    if True in named or {scores.judge_name, scores.people_name} & set(map(str, named)):
        scores = replace(scores, higher_is_better=False)
    elif named:
        raise UsageError(
            f"--lower-is-better names {named[0]!r}; the scores are {scores.judge_name} and "
            f"{scores.people_name}"
        )
    if request.sources.form is None:
        judges = f"{scores.judge_name} by the judge, {scores.people_name} by people"
        remark(f"read {scores.extent}: {judges}")
    return scores, outputs


def _write(result: JudgedComparison, args: argparse.Namespace, outputs: Outputs) -> None:
    from tellapart.report import judged
    from tellapart.report.figures.judged import draw
    from tellapart.report.figures.svg import standalone
    from tellapart.report.html.judged import render_page

    def figures() -> dict[str, str]:
        if not result.pairs:
            raise UsageError("--svg draws differences, and there is one system; drop it")
        pairs = judged.ordered_pairs(result)
        return {"judge-and-people.svg": standalone(draw(result, pairs, "differences"))}

    outputs.write(
        {
            "--json": result.to_json,
            "--html": lambda: render_page(result, origin(args.command_line, outputs.read)),
            "--svg": figures,
        }
    )
    if outputs.on_standard_output:
        return
    if args.format == "text":
        show(judged.render_judged(result))
        return
    for notice in result.warnings:
        say(f"warning: {notice.text}")
    send(judged.tsv(result) if args.format == "tsv" else judged.markdown(result))


def _worse(result: JudgedComparison) -> list[str]:
    """Return which systems in question are shown to be worse: the last of two, or all others."""
    from tellapart.report.numbers import size
    from tellapart.words import p_text

    old = result.baseline or result.systems[0].name
    return [
        f"{pair.b if pair.a == old else pair.a} is worse: {size(pair.both.value)} behind {old} by "
        f"{result.judge}, corrected by {result.people} (p = {p_text(pair.p_adjusted)})"
        for pair in result.pairs
        if pair.favours == old
    ]

"""`--human` of `compare` and `plan`: an automatic judge's scores, corrected by people's."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tellapart.console import remark
from tellapart.errors import UsageError
from tellapart.progress import DelayedProgress
from tellapart.verbs import inputs
from tellapart.verbs.outputs import Outputs, outputs_of

if TYPE_CHECKING:
    from tellapart.counts import Counts

_READING: Final = (
    "files", "form", "system", "columns", "labels", "condition", "systems", "metric", "item", "item_labels", "missing", "human", "where",
    "lower_is_better", "cluster", "alpha", "json", "svg",
)  # fmt: skip
PLANNING: Final = (*_READING, "pair", "difference", "power", "pairs", "seed", "label_first")
COMPARING: Final = (
    *_READING, "correction", "baseline", "html", "pdf", "pair", "format", "full",
    "fail_if_worse",
)  # fmt: skip


def refuse_others(args: argparse.Namespace, add_arguments: object, taken: Collection[str]) -> None:
    """Refuse options that have no place beside people's scores, rather than ignore them."""
    parser = argparse.ArgumentParser(add_help=False)
    assert callable(add_arguments)
    add_arguments(parser)
    for action in parser._actions:
        given = getattr(args, action.dest, action.default)
        if action.dest in taken or given == action.default:
            continue
        raise UsageError(
            f"{action.option_strings[0]} has no place beside --human, whose test is that of "
            "prediction-powered means; drop it"
        )


def read(args: argparse.Namespace) -> tuple[Counts, Outputs]:
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
    scores = inputs.directed(scores, getattr(args, "lower_is_better", None))
    if request.sources.form is None:
        judges = f"{scores.columns[0]} by the judge, {scores.people_name} by people"
        remark(f"read {scores.extent}: {judges}")
    return scores, outputs

"""`read_judged`: what a judge says of all items, and what people say of some, from any format.

People's scores are a value beside the judge's in the same files (a column of a table, a scorer of
a log), or files of their own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from tellapart.counts import Counts, errors
from tellapart.counts.judged import join_people
from tellapart.errors import DataError, UsageError
from tellapart.files import reading_once
from tellapart.formats.contract import Format, Sources
from tellapart.formats.reading import Paths, paths_of_argument, read_counts
from tellapart.formats.registry import format_of, guess_format
from tellapart.formats.sources import parse_source
from tellapart.metrics import metric as metric_of
from tellapart.options import make_options, one_or_several
from tellapart.words import listed

_OF_GAPS = frozenset({"missing", "no-score", "failed", "labels-differ", "fewer-items"})
"""Remarks on items without a score, which here are those that nobody looked at"""


@reading_once()
def read_judged(
    sources: Paths,
    human: Paths,
    *,
    metric: str | None = None,
    form: str | None = None,
    item: str | None = None,
    missing: str | None = None,
    item_labels: Paths = (),
    **options: Any,
) -> Counts:
    r"""Read scores of a judge, and those that people gave to a part of the items.

    `human` names people's value in the same files, or files of their own; `metric` names the
    judge's value, where there are several. The others are the arguments of `read`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "scores.csv"
    ...     _ = table.write_text("system,item,judge,human\nA,q1,1,0\nA,q2,0,\nB,q1,1,1\nB,q2,1,\n")
    ...     read_judged(table, "human", metric="judge")
    <Counts: 2 systems × 2 items × 1 column, 1 item labelled by people>
    """
    named = paths_of_argument(sources, "sources")
    chosen = format_of(form) if form is not None else guess_format(named, ())
    return read_judged_from(
        chosen,
        Sources(
            tuple(named),
            metrics=() if metric is None else (metric,),
            item=item,
            missing=missing or chosen.missing,
            form=form,
            item_labels=tuple(paths_of_argument(item_labels, "item_labels")),
        ),
        make_options(chosen.options, options, f"the format {chosen.name!r}"),
        [str(each) for each in one_or_several(human, (str, os.PathLike), "human", "name")],
    )


def read_judged_from(
    chosen: Format, sources: Sources, options: Any, human: Sequence[str]
) -> Counts:
    """Return the scores that sources name; `human` is a value in them, or files."""
    judge_name = judge_metric(sources)
    judge = _of_value(chosen, sources, options, judge_name)
    own = own_files(human)
    if own:
        people = _of_files(own, sources)
    elif len(human) == 1:
        alone = replace(sources, missing="own", item_labels=())
        people = replace(_of_value(chosen, alone, options, human[0]), notices=())
    else:
        raise UsageError(f"there are {len(human)} names of people's scores; name one, or files")
    beside = None if own else people.columns[0]
    column = judge.columns[0] if judge_name is not None else _judge_column(judge, beside)
    notices = tuple(each for each in judge.notices if beside not in each.affected)
    counts = join_people(replace(judge, notices=notices), people, column)
    (name,), lower = counts.columns, bool(set(counts.lower) & set(counts.columns))
    if own:  # a file may call its only value a score, whoever gave it
        name = "judge" if name == "score" else name
        people_name = "human" if counts.people_name == "score" else counts.people_name
        counts = replace(counts, columns=(name,), people_name=people_name)
    by_name = (metric_of(each, (each,), items=True) for each in (name, counts.people_name))
    lower = lower or not all(metric.higher_is_better for metric in by_name)
    return errors(counts, lower)


def own_files(human: Sequence[str]) -> list[str]:
    """Return what people's scores are read from, if these are files and not the name of a value.

    >>> own_files(["human"]), own_files(["/dev/null"])
    ([], ['/dev/null'])
    """
    paths = [path for each in human for path in parse_source(each).paths]
    there = [os.path.isfile(path) or (os.sep in path and os.path.exists(path)) for path in paths]
    if any(there) and not all(there):
        lost = [path for path, found in zip(paths, there, strict=True) if not found]
        raise DataError(f"{listed(lost)}: there is no such file of people's scores")
    return list(human) if there and all(there) else []


def judge_metric(sources: Sources) -> str | None:
    """Return the name of the judge's value, if one was given; it cannot be several."""
    if len(sources.metrics) > 1:
        raise UsageError(
            f"--metric names {listed(sources.metrics)}: with people's scores, one value is the "
            "judge's"
        )
    return sources.metrics[0] if sources.metrics else None


def _of_value(chosen: Format, sources: Sources, options: Any, name: str | None) -> Counts:
    """Return the counts of one value: a column of a table, or a score of a log."""
    if name is None:
        return read_counts(chosen, sources, options)
    if any(each.name == "columns" for each in fields(options)):
        sources, options = replace(sources, form="items"), replace(options, columns=(name,))
        return read_counts(chosen, replace(sources, metrics=()), options)
    return read_counts(chosen, replace(sources, metrics=(name,)), options)


def _of_files(human: Sequence[str], sources: Sources) -> Counts:
    """Return people's scores from files of their own, whatever format these have."""
    chosen = guess_format(human, ())
    own = Sources(tuple(human), item=sources.item, missing="own")
    people = read_counts(chosen, own, chosen.options())
    kept = tuple(each for each in people.notices if each.code not in _OF_GAPS)
    return replace(people, notices=kept)


def _judge_column(judge: Counts, people: str | None) -> str:
    """Return the judge's value, which nobody named: the only one beside people's."""
    others = [name for name in judge.columns if name != people]
    if len(others) > 1:
        raise UsageError(f"the files hold {listed(others)}: name the judge's value with --metric")
    if not others:
        raise UsageError(f"the files hold {people!r} alone: there is no value of a judge")
    return others[0]

"""What a judge says of all items, and what people say of some, from any format.

People's scores are a value beside the judge's in the same files (a column of a table, a scorer of
a log), or files of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from tellapart.counts import Counts, errors
from tellapart.counts.judged import join_people
from tellapart.errors import UsageError
from tellapart.formats.contract import Format, Sources
from tellapart.formats.reading import read_counts
from tellapart.formats.registry import guess_format
from tellapart.metrics import metric as metric_of
from tellapart.words import listed

_OF_GAPS = frozenset({"missing", "no-score", "failed", "labels-differ", "fewer-items"})
"""Remarks on items without a score, which here are those that nobody looked at"""


def read_judged(chosen: Format, sources: Sources, options: Any) -> Counts:
    """Return the scores of a judge, and those of people, which `sources.human` names."""
    if len(sources.metrics) > 1:
        raise UsageError(f"--human goes with one --metric, not {listed(sources.metrics)}")
    judge_name = next(iter(sources.metrics), None)
    own, human = sources.human_files, sources.human
    sources = replace(sources, human=())
    judge = _of_value(chosen, sources, options, judge_name)
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

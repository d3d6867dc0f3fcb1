"""`ta.compare`, and its `Result`: the record of a comparison, its scores, and doors to reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tellapart.comparison import compare as comparison
from tellapart.comparison.options import DEFAULTS, Options
from tellapart.comparison.record import Answer, Comparison, Pair, System
from tellapart.comparison.scored import Scored
from tellapart.console import Progress, no_progress
from tellapart.counts import KNOWN_COLUMNS, Counts, errors
from tellapart.counts.arrays import holds_frames
from tellapart.counts.large import LargeTable
from tellapart.errors import UsageError, in_python_words
from tellapart.files import refuse_replacing, write_text
from tellapart.metrics import Function, Metric, Ratio
from tellapart.metrics import metric as metric_named
from tellapart.options import OPTIONS_OF_READ, is_truth, names_among, one_or_several, options_of
from tellapart.words import nearest, several

if TYPE_CHECKING:
    from tellapart.report.figures.collection import Picture

_LIBRARIES: Final = ("pandas", "polars", "pyarrow")
"""The first that is installed makes a frame, unless one is named"""
_SYSTEM_COLUMNS: Final = (
    "system", "metric", "score", "low", "high", "letters", "best_rank", "worst_rank",
)  # fmt: skip
_PAIR_COLUMNS: Final = (
    "metric", "a", "b", "difference", "interval_level", "p", "p_adjusted", "different",
    "items_a_better", "items_tied", "items_b_better", "method",
)  # fmt: skip


@in_python_words()
def compare(
    data: Any,
    other: Any = None,
    *more: Any,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    systems: str | Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    lower_is_better: bool | str | Sequence[str] = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Result:
    """Return which of the systems differ, by which metrics, and how sure that is.

    Args:
        data: what `read` returns, or what it takes: a file, a data frame (pandas, polars, pyarrow,
            a data set of Hugging Face), a dictionary of columns, a list of rows, or arrays, series
            or frames by system.
        other: with an array or series as data, the scores of a second system on the same items
            (of series, those of the same index); with a file as data, a second file.
        more: nothing; of three systems or more, data are arrays by system, or a list of files.
        metrics: one or several, by name (``"f1"``) or as values (``ta.ratio(…)``); by default those
            that the data bring along.
        systems: only these, in this order.
        where: only items with these labels: a value, or several, by label.
        lower_is_better: the ready values that count errors, or true where all of them do.
        progress: a function that is told how far the work is.
        options: those of the command line, with `_` for `-`: `test`, `shuffles`, `seed`, `alpha`,
            `tail`, `correction`, `runs`, `baseline`, `cluster`, `by`, `margin`, `cost`,
            `min_confidence`, `intervals`, `workers`; and what `read` takes (`missing`, `item`,
            `system`, …).

    >>> compare([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0]).pair("a", "b").p
    0.03125
    """
    if more:
        raise UsageError("more than two go in one: {name: array, …}, or [file, file, file]")
    if not callable(progress):
        raise UsageError(f"progress is a function, not {progress!r}")
    chosen = Options(**{name: options.pop(name) for name in tuple(options) if name in DEFAULTS})
    kinds = str | Ratio | Function
    only = one_or_several(systems, str, "systems", "name")
    wanted = one_or_several(metrics, kinds, "metrics", "metric") or None
    files = data if isinstance(data, list | tuple) else [data]
    if chosen.cost and all(isinstance(file, str | Path) for file in files):
        options["cost"] = chosen.cost
    counts: Any = _as_counts(data, other, options)
    if where:
        counts = counts.where(dict(where))
    if isinstance(counts, LargeTable):
        if only:
            raise UsageError("a table that is not loaded is compared whole: drop --systems")
        counts = reduced(counts, wanted, chosen)
        chosen = replace(chosen, cluster=None)  # summed up already
    elif only:
        counts = counts.systems[tuple(names_among(only, counts.names))]
    if lower_is_better:
        every = is_truth(lower_is_better)
        names = every or one_or_several(lower_is_better, str, "lower_is_better", "name")
        counts = errors(counts, names)
    return Result(*comparison.compare(counts, wanted, chosen, progress))


def reduced(table: LargeTable, metrics: Sequence[str | Metric] | None, options: Options) -> Counts:
    """Return the distinct rows of a large table, as far as metrics and clusters need them."""
    used = None
    if metrics:
        ready = not set(table.columns) & KNOWN_COLUMNS
        known = (metric_named(m, table.columns, items=ready) if isinstance(m, str) else m
                 for m in metrics)  # fmt: skip
        used = {column for metric in known for column in metric.columns}
    return table.counts(used, options.cluster)


def _as_counts(data: Any, other: Any, options: dict[str, Any]) -> Any:
    """Return counts as they are, and what is read from anything else."""
    from tellapart.formats.reading import read

    ready = isinstance(data, Counts | LargeTable) and other is None
    _refuse_unknown(options, of_reading=not ready)
    if ready:
        return data
    files = all(isinstance(file, str | Path) and exists(file) for file in (data, other))
    if other is None or files:
        return read([data, other] if files else data, **options)
    if isinstance(data, Counts | LargeTable | str | Path | Mapping):
        raise UsageError("two arrays go together; metrics are metrics=[…], files compare([…])")
    if holds_frames({"a": data}) != holds_frames({"b": other}):  # no ids of both
        data, other = np.asarray(data), np.asarray(other)
    return read({"a": data, "b": other}, **options)


def _refuse_unknown(options: Collection[str], *, of_reading: bool) -> None:
    """Refuse an option that neither a comparison nor the reading of what it compares has."""
    from tellapart.formats.reading import OF_ARRAYS
    from tellapart.formats.registry import formats

    known = {*OPTIONS_OF_READ, *OF_ARRAYS} if of_reading else set[str]()
    if of_reading and not known.issuperset(options):
        known |= {option.name for form in formats() for option in options_of(form.options)}
    for name in options:
        if name not in known:
            near = nearest(name, [*DEFAULTS, "metrics", "systems", "where", *sorted(known)])
            raise UsageError(f"there is no option {name!r} here; {near}")


class Result:
    """The result of a comparison: `str` prints it, and all that its record holds is an attribute.

    `pair` finds one pair, seen from whichever system is named first; `verdict` is the finding in
    words.

    >>> result = compare({"item": ["q1", "q2", "q3"], "A": [1, 0, 1], "B": [0, 0, 1]})
    >>> round(result.pair("B", "A").difference, 3), result.pair("B", "A").p
    (-0.333, 1.0)
    """

    pairs: tuple[Pair, ...]
    systems: tuple[System, ...]
    answers: Mapping[str, Answer]
    # All three are those of the record.

    def __init__(self, record: Comparison, scored: Sequence[Scored] = ()) -> None:
        self.record = record
        self.scored = tuple(scored)
        """The scores that it rests on; () of a record that was read back"""

    def __getattr__(self, name: str) -> Any:
        """Return what the record has by that name."""
        if name.startswith("_") or name == "record":
            raise AttributeError(name)
        if not hasattr(self.record, name):
            doors = "str, for_paper, to_frame, save_html, save_json, figure"
            raise AttributeError(f"a Result has no {name!r}; reports are {doors}")
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self.record)]

    def __eq__(self, other: object) -> bool:
        """Return whether two results have the same record."""
        return isinstance(other, Result) and self.record == other.record

    __hash__ = None  # type: ignore[assignment]  # records hold dictionaries

    def pair(self, a: str, b: str, metric: str | None = None) -> Pair:
        """Return the result of a minus b under a metric (the first one if none is named)."""
        return self.record.pair(a, b, metric)

    @property
    def verdict(self) -> str:
        """Question, answer and finding in a paragraph for each metric."""
        from tellapart.report.document import conclusion

        return " ".join(conclusion(self.record, metric) for metric in self.record.metrics)

    def __str__(self) -> str:
        from tellapart.report.terminal import render

        return render(self.record)

    def __repr__(self) -> str:
        systems = several(len(self.record.systems), "system")
        pairs = several(len(self.record.pairs) // len(self.record.metrics), "pair")
        return f"<Result: {systems}, {pairs}, by {', '.join(self.record.metrics)}>"

    def for_paper(self) -> str:
        """Return sentences for a paper, with the method and what to cite."""
        from tellapart.report.formats import find_writer

        return find_writer("paper").write(self.record)

    def figure(self, name: str = "systems", metric: str | None = None) -> Picture:
        """Return a figure, by the first metric unless another is named.

        It is `systems`, `matrix` or `groups` (of three systems or more), or `plane` (recall and
        precision); a notebook shows it, and `save` writes SVG, PDF or PNG.
        """
        from tellapart.report.figures.collection import figure_named

        return figure_named(self.record, name, metric, self.scored)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: answer, picture and pairs, without script."""
        from tellapart.report.html.page import notebook_view

        return notebook_view(self.record)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Return the comparison that JSON holds."""
        return cls(Comparison.from_json(text))

    def to_html(self) -> str:
        """Return the whole report as one page."""
        from tellapart.comparison.details import details_of
        from tellapart.report.html.page import render_html

        return render_html(self.record, details_of(self.record, self.scored))

    def save_json(self, path: str | Path) -> None:
        """Write the record as JSON: whole or not at all."""
        self._save(path, self.record.to_json())

    def save_html(self, path: str | Path) -> None:
        """Write the whole report as one page: whole or not at all."""
        self._save(path, self.to_html())

    def _save(self, path: str | Path, text: str) -> None:
        read = [name for metric in self.scored for name in metric.unclustered.counts.files]
        refuse_replacing([path], read)
        write_text(path, text)

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each system and metric: of pandas, if installed.

        `library` is ``pandas``, ``polars`` or ``pyarrow``.
        """
        record, none = self.record, (None, None)
        rows = [
            (
                system.name, metric, system.scores[metric], *system.intervals.get(metric, none),
                record.letters.get(metric, {}).get(system.name),
                *record.ranks.get(metric, {}).get(system.name, none),
            )
            for metric in record.metrics
            for system in record.systems
        ]  # fmt: skip
        return _frame(_SYSTEM_COLUMNS, rows, library)

    def pairs_frame(self, library: str | None = None) -> Any:
        """Return a data frame with a row for each pair and metric, like `to_frame`."""
        rows = [
            (*(getattr(pair, name) for name in _PAIR_COLUMNS), *(pair.interval or (None, None)))
            for pair in self.record.pairs
        ]
        return _frame((*_PAIR_COLUMNS, "low", "high"), rows, library)


def _frame(names: Sequence[str], rows: Sequence[tuple[Any, ...]], library: str | None) -> Any:
    """Return rows as a frame of a library, by its name; columns without any value are left out."""
    library = library or next(filter(find_spec, _LIBRARIES), _LIBRARIES[0])
    if library not in _LIBRARIES:
        raise UsageError(f"frames are of {', '.join(_LIBRARIES)}, not {library!r}")
    if find_spec(library) is None:
        raise UsageError(f"{library} is not installed: pip install {library}")
    import narwhals as nw

    columns = zip(names, zip(*rows, strict=True), strict=False)  # no row has no columns
    filled = {name: list(own) for name, own in columns if any(cell is not None for cell in own)}
    backend = nw.Implementation.from_string(library)
    return nw.from_dict(filled, backend=backend).to_native()  # type: ignore[arg-type]

"""What a report contains, once: answers, tables and sentences, made of a record alone.

Every face of a report shows parts of this document: terminal, page, Markdown, LaTeX and TSV.
Statistics are never computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.comparison2.ranking import (
    as_reported,
    headline,
    margin_p,
    ranking,
    reported_pairs,
)
from tellapart.comparison2.record import Comparison, Ends, Pair, Slice
from tellapart.comparison2.suites import reversals
from tellapart.report2.findings import (
    correction_of_tasks,
    cost_sentences,
    judged_sentences,
    preference_sentences,
    seen_from,
    turns_sentence,
)
from tellapart.report2.method import CORRECTIONS, for_paper, margin_correction, method
from tellapart.report2.notices import notice_sentences
from tellapart.report2.numbers import (
    SAME,
    ends,
    p_text,
    pair_adjusted,
    pair_p,
    percent,
    plain,
    short_p,
    signed,
    whole_percent,
)
from tellapart.report2.sentences import (
    answer_text,
    apart_words,
    better_direction,
    claim_word,
    claim_words,
    disagreement,
    interval_scope,
    is_corrected,
    items_words,
    p_name,
    pairs_words,
    question,
    ranks_words,
    two_metrics_sentence,
    verdict,
)
from tellapart.report2.table import Cell, Column, Row, Table, cell
from tellapart.report2.text import cut
from tellapart.words import plural, several

OVERALL: Final = "overall"
BEST, WORSE = "+", "-"
"""What marks the best score of a task, and those that are shown to be worse than it"""
_MOST_SLICED = 3  # pairs whose slices are all shown
_MOST_MET = 9  # systems whose win rates make a table
_LONGEST_LETTERS = 12
_RANKS_PER_LINE = 6


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a report: of what kind, about which metric, and its sentences or its table."""

    kind: str
    """``disagreement``, ``answer`` (question, answer, verdict), ``costs``, ``systems``, ``pairs``,
    ``matrix``, ``two-metrics``, ``wins``, ``preferences``, ``judged``, ``tasks``, ``slices``,
    ``notices``, ``method`` (in words, signature) or ``paper``"""
    text: tuple[str, ...] = ()
    table: Table | None = None
    metric: str | None = None


def document(
    record: Comparison, *, listed: Sequence[str] | None = None, most_tasks: int | None = None
) -> Iterator[Part]:
    """Yield the parts of a report, in order; those that have nothing to say are left out.

    `listed` are the metrics whose pairs are listed, by default all. Of more than `most_tasks` tasks
    of a suite, those are shown on which something is.
    """
    for part in _parts(record, list(record.metrics) if listed is None else listed, most_tasks):
        if part.table is not None or any(part.text):
            yield part


def _parts(record: Comparison, listed: Sequence[str], most_tasks: int | None) -> Iterator[Part]:
    yield Part("disagreement", (disagreement(record),))
    for metric in record.metrics:
        yield Part("answer", finding(record, metric), metric=metric)
    yield Part("costs", tuple(cost_sentences(record)))
    for metric in record.metrics:
        yield Part("systems", table=system_table(record, metric), metric=metric)
        yield Part("matrix", table=sign_matrix(record, metric), metric=metric)
    if listed:
        yield Part("pairs", table=pair_table(record, listed))
    yield Part("two-metrics", (two_metrics_sentence(record),))
    yield Part("wins", table=win_table(record))
    yield Part("preferences", tuple(preference_sentences(record)))
    for table in judged_tables(record):
        yield Part("judged", table=table)
    for metric in record.suite:
        yield Part("tasks", table=task_table(record, metric, most_tasks), metric=metric)
    for table in slice_tables(record):
        yield Part("slices", table=table)
    yield Part("notices", tuple(notice_sentences(record)))
    yield Part("method", (method(record), record.signature))
    yield Part("paper", tuple(for_paper(record, metric) for metric in record.metrics))


def finding(record: Comparison, metric: str) -> tuple[str, str, str]:
    """Return question, answer and verdict by a metric."""
    words = [verdict(record, metric, below_answer=True), *judged_sentences(record)]
    return question(record, metric), answer_text(record, metric), " ".join(words)


# Systems


def rank_text(record: Comparison, metric: str, name: str, dash: str = "-") -> str:
    """Return the places of a system that are not ruled out: `1`, `2-4`, or nothing if not known."""
    best, worst = record.ranks.get(metric, {}).get(name, (0, 0))
    return "" if not best else f"{best}" if best == worst else f"{best}{dash}{worst}"


def group_text(letters: str, dash: str = "-") -> str:
    """Return the letters of a system's groups, three or more in a row as their first and last.

    >>> group_text("ab"), group_text("abcdf"), group_text("y z aa ab ad")
    ('ab', 'a-d f', 'y-ab ad')
    """
    named = letters.split(" ") if " " in letters else list(letters)
    runs: list[list[str]] = []
    for letter in named:
        if runs and _place(letter) == _place(runs[-1][-1]) + 1:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    if all(len(run) < 3 for run in runs):
        return letters
    return " ".join(f"{r[0]}{dash}{r[-1]}" if len(r) > 2 else " ".join(r) for r in runs)


def _place(letter: str) -> int:
    """Return the number of a letter: a is 1, z 26, aa 27."""
    place = 0
    for each in letter:
        place = 26 * place + ord(each) - 96
    return place


def system_table(record: Comparison, metric: str, most: int | None = None) -> Table:
    """Return the systems by a metric, the best first, with intervals, ranks and groups."""
    systems = ranking(record, metric)[:most]
    letters, ranked = record.letters.get(metric, {}), metric in record.ranks
    intervals = any(metric in system.intervals for system in systems)
    columns = [Column("system", "name"), Column("score")]
    if intervals and record.confidence_level is not None:
        columns += [Column(f"{percent(record.confidence_level)} CI", "range"), Column("", "strip")]
    columns += [Column("rank")] if ranked else []
    columns += [Column("group", "text")] if letters else []
    best = letters.get(systems[0].name, "")[:1]
    rows = []
    for system in systems:
        score, interval = system.scores[metric], system.intervals.get(metric, (None, None))
        cells = [Cell((system.name,)), cell(plain(score))]
        if len(columns) > 3 and columns[2].kind == "range":
            cells.append(Cell(ends(interval, plain)))
            cells.append(Cell(drawn=(interval[0], score, interval[1])))
        cells += [cell(rank_text(record, metric, system.name))] if ranked else []
        own = letters.get(system.name, "")
        cells += [cell(cut(group_text(own), _LONGEST_LETTERS))] if letters else []
        rows.append(Row(tuple(cells), bold=bool(best) and best in own))
    return Table(
        tuple(columns),
        tuple(rows),
        f"{metric}, {items_words(record, metric)}",
        better_direction(record, metric),
        _system_notes(record) if metric == next(reversed(record.metrics)) else (),
    )


def _system_notes(record: Comparison) -> tuple[str, ...]:
    """Return what letters and ranks of systems mean, where there are any."""
    notes = [ranks_words(record)] if record.ranks else []
    if record.letters:
        notes.insert(0, "Systems with a letter in common are not shown to differ.")
    return tuple(notes)


def scores_table(scores: Mapping[str, Mapping[str, float]]) -> Table:
    """Return systems × metrics, as `score` prints them."""
    metrics = list(next(iter(scores.values())))
    rows = (
        Row((Cell((name,)), *(cell(plain(own[metric])) for metric in metrics)))
        for name, own in scores.items()
    )
    heads = (Column(metric, of_system=True) for metric in metrics)
    return Table((Column("system", "name"), *heads), tuple(rows))


def paper_table(record: Comparison) -> Table:
    """Return systems × metrics for a paper: the best in bold, and who is shown to differ.

    Letters join systems that are not shown to differ. Where only some pairs were compared, daggers
    mark systems that are better (†) and worse (‡) than the baseline; of two, the better one.
    """
    lettered = len(record.systems) > 2 and bool(record.letters)
    best = {metric: ranking(record, metric)[0].scores[metric] for metric in record.metrics}
    rows, marks = [], set()
    for system in ranking(record, next(iter(record.metrics))):
        cells = [Cell((system.name,))]
        for metric, score in system.scores.items():
            mark = record.letters[metric].get(system.name, "") if lettered else ""
            mark = mark or ("" if lettered else _dagger(record, metric, system.name))
            marks.add(mark)
            cells.append(cell(plain(score), mark, best=abs(score - best[metric]) < SAME))
        rows.append(Row(tuple(cells)))
    lower = [name for name, info in record.metrics.items() if not info.higher_is_better]
    level = f"{p_name(record)} at most {record.alpha:g}"
    if is_corrected(record):
        level += f", {CORRECTIONS[record.correction]} over {pairs_words(record)}"
    than = record.baseline or "the other"
    daggers = {"†": f"† shown to be better than {than}", "‡": f"‡ shown to be worse than {than}"}
    notes = [f"Lower is better: {', '.join(lower)}"] if lower else []
    if lettered:
        notes.append(f"Systems with a letter in common are not shown to differ ({level})")
    elif marks & daggers.keys():
        told = "; ".join(words for mark, words in daggers.items() if mark in marks)
        notes.append(f"{told} ({level})")
    on = items_words(record, next(iter(record.metrics)))
    return Table(
        (Column("system", "name"), *(Column(metric, "text") for metric in record.metrics)),
        tuple(rows),
        f"Scores of {several(len(record.systems), 'system')} on {on}; bold: best",
        notes=tuple(notes),
    )


def _dagger(record: Comparison, metric: str, name: str) -> str:
    """Return the mark of a system that is shown to differ from the baseline, or from the other."""
    own = [pair for pair in record.pairs_of(metric) if pair.different and name in (pair.a, pair.b)]
    if name == record.baseline or not own:
        return ""
    if any(pair.favours == name for pair in own):
        return "†"
    return "" if record.baseline is None else "‡"


# Pairs


def pair_table(record: Comparison, metrics: Sequence[str]) -> Table:
    """Return the pairs of some metrics, the better system first."""
    pairs = [pair for metric in metrics for pair in reported_pairs(record, metric)]
    levels = {pair.interval_level for pair in pairs if pair.interval_level is not None}
    columns = [Column("pair", "name"), Column("difference", "difference")]
    if levels:
        same = f"{percent(next(iter(levels)))} CI" if len(levels) == 1 else "CI"
        columns.append(Column(same, "interval"))
    won = any(pair.items_a_better or pair.items_b_better or pair.items_tied for pair in pairs)
    columns += [Column("won"), Column("tied"), Column("lost")] if won else []
    columns.append(Column("p", "p"))
    columns += [Column("adjusted", "p")] if is_corrected(record) else []
    columns += [Column("margin p", "p")] if record.margin is not None else []
    columns += [Column("sure")] if record.min_confidence is not None else []
    rows = []
    for metric in metrics:
        heading = metric if len(record.metrics) > 1 else ""
        for pair in reported_pairs(record, metric):
            if heading and len(levels) > 1 and pair.interval_level is not None:
                heading += f" ({percent(pair.interval_level)} CI)"
            cells = _pair_cells(record, pair, bool(levels), won)
            rows.append(Row(tuple(cells), heading))
            heading = ""
    return Table(tuple(columns), tuple(rows), notes=tuple(_pair_notes(record, pairs)))


def _pair_cells(record: Comparison, pair: Pair, intervals: bool, won: bool) -> Iterator[Cell]:
    yield Cell((pair.a, pair.b))
    yield cell(signed(pair.difference))
    if intervals:
        yield Cell(ends(pair.interval), open_at_zero=pair.different)
    if won:
        for number in (pair.items_a_better, pair.items_tied, pair.items_b_better):
            yield cell(f"{number:,}")
    star = " *" if pair.different else ""
    corrected = is_corrected(record)
    yield cell(pair_p(pair, record.alpha), "" if corrected else star)
    if corrected:
        yield cell(pair_adjusted(pair, record.alpha), star)
    if record.margin is not None:
        mark = " =" if pair.equivalent else ""
        yield cell(p_text(margin_p(record, pair), record.alpha), mark)
    if record.min_confidence is not None:
        yield cell(_probability(pair.confidence))


def _probability(value: float | None) -> str:
    """Return a probability of which only the first digits matter."""
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else ">.999" if value > 0.999 else f"{value:.3f}"[1:]


def _pair_notes(record: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield what explains marks, intervals and p-values."""
    if any(pair.different for pair in pairs):
        yield f"* {p_name(record)} at most {record.alpha:g}"
    if any(pair.equivalent for pair in pairs):
        yield f"= equivalent: the difference is shown to lie within {record.margin:g}"
    if record.margin is not None:
        what = "loss" if record.baseline or len(record.systems) == 2 else "difference"
        many = f", {margin_correction(record)}" if margin_correction(record) else ""
        yield f"margin p: against a {what} of {record.margin:g} or more{many}"
    known = [pair for pair in pairs if pair.interval_level is not None]
    if known:
        decides = [pair for pair in known if pair.margin is not None]
        scope = interval_scope(record, known[0])
        if decides:
            level = percent(decides[0].interval_level or 0.0)
            yield f"CI: confidence interval; the one of {level} decides the margin"
        else:
            yield f"CI: confidence interval{f', {scope}' if scope else ''}"
    if record.tail != "two":
        yield f"Tested: whether the first is {claim_word(record)} than the second."
    if record.min_confidence is not None:
        yield f"sure: confidence that the exact test would reject at {record.alpha:g}"
    if any(pair.statistic is not None for pair in pairs):
        yield f"Statistics, in this order: {'; '.join(map(_statistic, pairs))}."


def _statistic(pair: Pair) -> str:
    if pair.statistic is None:
        return "-"
    df = "" if pair.df is None else f" ({round(pair.df, 2):.12g} df)"
    return f"{abs(pair.statistic):.4g}{df}"


def latex_pair_table(record: Comparison) -> Table:
    """Return the pairs for a paper, narrow enough for a column, with the ranks as notes."""
    whole = pair_table(record, list(record.metrics))
    kept = [k for k, c in enumerate(whole.columns) if c.head not in ("won", "tied", "lost", "sure")]
    table = whole.taken(kept)
    notes = list(table.notes)
    for metric in record.ranks:
        by = f" by {metric}" if len(record.ranks) > 1 else ""
        ranks = [f"{s.name} {rank_text(record, metric, s.name, '--')}"
                 for s in ranking(record, metric)]  # fmt: skip
        for start in range(0, len(ranks), _RANKS_PER_LINE):
            words = "" if start else f"ranks{by}: "
            notes.append(words + ", ".join(ranks[start : start + _RANKS_PER_LINE]))
    notes += [ranks_words(record)] if record.ranks else []
    return Table(table.columns, table.rows, notes=tuple(notes))


def pairs_for_programs(record: Comparison, *, turned: bool = False) -> Table:
    """Return the pairs with plain heads: in the order of the record, or `turned` for readers.

    A suite has a column that names the task, and rows for every task after those of the overall
    score, which have none.
    """
    pairs = list(record.pairs)
    if turned:
        pairs = [pair for metric in record.metrics for pair in reported_pairs(record, metric)]
    labels = {metric: table.label for metric, table in record.suite.items()}
    rows = [_program_row(record, pair) for pair in pairs]
    heads = list(rows[0])
    if labels and not turned:
        tasks = [part for part in record.slices if part.by == labels.get(part.metric)]
        heads.append(next(iter(labels.values())))
        rows += [{**_task_row(record, part), heads[-1]: part.value} for part in tasks]
    words = ("metric", "a", "b", "different", "claim", "interval_for", *labels.values())
    return Table(
        tuple(Column(head, "text" if head in words else "number") for head in heads),
        tuple(Row(tuple(cell(row.get(head, "" if head in labels.values() else "-"))
                        for head in heads)) for row in rows),
    )  # fmt: skip


def _program_row(record: Comparison, pair: Pair) -> dict[str, str]:
    low, high = ends(pair.interval)
    row = {
        "metric": pair.metric, "a": pair.a, "b": pair.b, "difference": signed(pair.difference),
        "low": low, "high": high, "won": str(pair.items_a_better), "tied": str(pair.items_tied),
        "lost": str(pair.items_b_better), "p": pair_p(pair, record.alpha),
        "adjusted": pair_adjusted(pair, record.alpha), "different": _yes(pair.different),
    }  # fmt: skip
    if record.margin is not None:
        p = (None, None) if pair.margin is None else (pair.margin.p_a_adjusted,
                                                      pair.margin.p_b_adjusted)  # fmt: skip
        row |= {"p_a_no_worse": p_text(p[0], record.alpha),
                "p_b_no_worse": p_text(p[1], record.alpha),
                "equivalent": _yes(pair.equivalent), "a_no_worse": _yes(pair.a_no_worse),
                "b_no_worse": _yes(pair.b_no_worse)}  # fmt: skip
    if record.tail != "two":
        row["claim"] = claim_words(record, as_reported(record, pair))
    if record.ranks:
        row |= {f"rank_{side}": rank_text(record, pair.metric, name)
                for side, name in (("a", pair.a), ("b", pair.b))}  # fmt: skip
    if record.confidence_level is not None:
        scope = "margin" if pair.margin is not None else "all" if pair.simultaneous else "pair"
        level = pair.interval_level
        row |= {"interval_for": "-" if level is None else scope,
                "interval_level": "-" if level is None else f"{level:g}"}  # fmt: skip
    return row


def _task_row(record: Comparison, part: Slice) -> dict[str, str]:
    low, high = ends(part.interval)
    row = {
        "metric": part.metric, "a": part.a, "b": part.b, "difference": signed(part.difference),
        "low": low, "high": high, "p": p_text(part.p, record.alpha),
        "adjusted": p_text(part.p_adjusted, record.alpha), "different": _yes(part.different),
    }  # fmt: skip
    if part.interval is not None and record.confidence_level is not None:
        row |= {"interval_for": "all", "interval_level": f"{record.confidence_level:g}"}
    return row


def _yes(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "no"


# Matrices of all pairs


def sign_matrix(record: Comparison, metric: str) -> Table | None:
    """Return all pairs with one sign each, systems in order; None where not all were tested."""
    if metric not in record.groups or len(record.systems) < 3:
        return None
    order = [system.name for system in ranking(record, metric)]
    different = {frozenset((p.a, p.b)) for p in record.pairs_of(metric) if p.different}
    rows = []
    for row, name in enumerate(order):
        signs = ["#" if frozenset((name, other)) in different else "." for other in order]
        signs[row] = "\\"
        rows.append(Row((Cell((name,)), cell(" ".join(signs)))))
    return Table(
        (Column("", "name"), Column("# told apart   . not told apart", "text")), tuple(rows)
    )


def group_lines(record: Comparison, metric: str) -> list[str]:
    """Return the groups of systems that are not shown to differ, and whom each skips."""
    order = [system.name for system in ranking(record, metric)]
    lines = []
    for group in record.groups[metric]:
        places = [order.index(name) for name in group]
        skipped = [name for name in order[min(places) : max(places)] if name not in group]
        without = f" (without {', '.join(skipped)})" if skipped else ""
        lines.append(f"{', '.join(group)}{without}")
    return lines


def p_matrices(record: Comparison) -> list[Table]:
    """Return the p-values of all pairs, one metric over another, so that each metric stands once.

    As the Message Understanding Conferences had it: p stands where the row scores better than the
    column. A row with many p-values is that of a good system; one whose p-values are all above, or
    all below, is good by one of the two metrics alone (Chinchor, Hirschman and Lewis 1993).
    """
    two = record.two_metrics
    both = () if two is None else (two.first, two.second)
    groups = dict.fromkeys(both if metric in both else (metric,) for metric in record.metrics)
    return [p_matrix(record, metrics) for metrics in groups]


def p_matrix(record: Comparison, metrics: tuple[str, ...]) -> Table:
    """Return the p-values of all pairs by one metric, or by one above another."""
    order = [system.name for system in ranking(record, metrics[0])]
    scores = {s.name: [plain(s.scores[metric]) for metric in metrics] for s in record.systems}
    cells: dict[tuple[str, str, str], str] = {}
    for pair in (as_reported(record, p) for p in record.pairs if p.metric in metrics):
        star = "*" if pair.different else ""
        cells[pair.a, pair.b, pair.metric] = f"{star}{short_p(pair.p_adjusted, record.alpha)}"
    rows = [
        Row((Cell(("",)), cell(""), *(cell(scores[name][k]) for name in order)))
        for k in range(len(metrics))
    ]
    for name in order:
        for k, metric in enumerate(metrics):
            own = ("." if name == other else cells.get((name, other, metric), "")
                   for other in order)  # fmt: skip
            first = Cell((name,) if k == 0 else ("",))
            rows.append(Row((first, cell(scores[name][k]), *map(cell, own))))
    heads = (Column(name, "p", of_system=True) for name in order)
    where = "p stands where the row scores better than the column"
    if record.tail != "two":
        where = f"p is that of the claim that the row is {claim_word(record)}"
    if len(metrics) == 2:
        where += f"; {metrics[0]} above, {metrics[1]} below"
    apart = two_metrics_sentence(record) if len(metrics) == 2 else ""
    return Table(
        (Column("", "name"), Column(""), *heads),
        tuple(rows),
        f"{p_name(record)}-values of all pairs, {' over '.join(metrics)}; "
        f"{several(len(order), 'system')}",
        notes=(f"{where}; * {p_name(record)} at most {record.alpha:g}: told apart. "
               f"{apart or apart_words(record, metrics[0])}",),
        keys=2,
    )  # fmt: skip


# Tasks and slices


def task_table(record: Comparison, metric: str, most: int | None = None) -> Table:
    """Return systems × tasks, the overall scores first; of two systems, their difference too.

    Of more than `most` tasks, those on which something is shown or the order turns.
    """
    suite, order = record.suite[metric], [system.name for system in ranking(record, metric)]
    slices: dict[str, list[Slice]] = {}
    for part in record.slices:
        if part.by == suite.label and part.metric == metric:
            slices.setdefault(part.value, []).append(part)
    turned = _reversals(record, metric)
    told = {part.value for part in turned[: most or 0]} if len(order) == 2 else set()
    two = len(order) == 2 and bool(record.slices)
    intervals = two and any(part.interval for own in slices.values() for part in own)
    named = any(task.score for task in suite.tasks)
    scores = {system.name: system.scores[metric] for system in record.systems}
    items = record.metrics[metric].items
    lines: list[tuple[str, int, str, dict[str, float], Sequence[Pair | Slice]]]
    lines = [(OVERALL, items.count, "", scores, record.pairs_of(metric))]
    lines += [
        (t.name, t.items, t.score or "", t.scores, slices.get(t.name, [])) for t in suite.tasks
    ]
    rows: list[Row] = []
    left_out = 0
    for name, count, score, own, parts in lines:
        marked = _task_marks(record, metric, order, own, parts)
        tells = name == OVERALL or name in told or WORSE in marked.values()
        if most is not None and len(suite.tasks) > most and not (tells and len(rows) <= most):
            left_out += 1
            continue
        cells = [Cell((name,)), cell(f"{count:,}"), *([cell(score)] if named else [])]
        cells += [cell(plain(own[s]), marked[s], best=marked[s] == BEST) for s in order]
        cells += _difference_cells(record, order, parts, intervals) if two else []
        rows.append(Row(tuple(cells)))
    columns = [Column(suite.label, "name"), Column(plural(items.kind))]
    columns += [Column("score", "text")] if named else []
    keys = len(columns)
    columns += [Column(name, of_system=True) for name in order]
    if two:
        columns.append(Column("difference", "difference"))
        level = percent(record.confidence_level or 1 - record.alpha)
        columns += [Column(f"{level} CI", "interval")] if intervals else []
        columns.append(Column("adjusted p", "p"))
    note = f"{BEST} best; {WORSE} shown to be worse than it: adjusted p at most {record.alpha:g}, "
    note += correction_of_tasks(record, metric)
    if intervals:
        number = len(suite.tasks)
        every = "both" if number == 2 else f"all {number}"
        note += f"; intervals of {plural(suite.label)} hold for {every} at once"
    more = f"{several(left_out, f'further {suite.label}')}: --full." if left_out else ""
    notes = (note, more, turns_sentence(record, metric, turned))
    return Table(
        tuple(columns),
        tuple(rows),
        f"{metric} by {suite.label}; {OVERALL}: {suite.aggregate}",
        notes=tuple(filter(None, notes)),
        keys=keys,
    )


def _reversals(record: Comparison, metric: str) -> list[Slice]:
    """Return the tasks on which two systems stand the other way round than overall."""
    pairs = [as_reported(record, pair) for pair in record.pairs_of(metric)]
    ahead = {frozenset((pair.a, pair.b)): pair.a for pair in pairs if pair.difference}
    own = [part for part in record.slices if part.metric == metric]
    higher = record.metrics[metric].higher_is_better
    return reversals(own, record.suite[metric], ahead, higher)


def _task_marks(
    record: Comparison,
    metric: str,
    order: Sequence[str],
    scores: Mapping[str, float],
    parts: Sequence[Pair | Slice],
) -> dict[str, str]:
    """Return the marks of systems on a task: the best, and those shown to be worse than it."""
    sign = 1 if record.metrics[metric].higher_is_better else -1
    top = max(sign * scores[name] for name in order)
    best = {name for name in order if sign * scores[name] == top}
    differ = {frozenset((part.a, part.b)) for part in parts if part.different}
    marks = {name: WORSE if any(frozenset((name, one)) in differ for one in best) else ""
             for name in order}  # fmt: skip
    return marks | dict.fromkeys(best if len(best) < len(order) else (), BEST)


def _difference_cells(
    record: Comparison, order: Sequence[str], parts: Sequence[Pair | Slice], intervals: bool
) -> Iterator[Cell]:
    """Yield the difference of two systems on a task, or overall: interval and p."""
    part = next(iter(parts), None)
    if part is not None and part.a != order[0]:
        part = part.turned()
    yield cell(signed(None if part is None else part.difference))
    if intervals:
        ends_: Ends | None = None if part is None else part.interval
        if isinstance(part, Pair) and part.margin is not None:
            ends_ = None  # it is of another level, and stands in the table of pairs
        yield Cell(ends(ends_))
    star = " *" if part is not None and part.different else ""
    yield cell(p_text(None if part is None else part.p_adjusted, record.alpha), star)


def slice_tables(record: Comparison) -> list[Table]:
    """Return a small table for each pair, metric and label that slices were asked for.

    Of many pairs, it is the one that the verdict speaks of.
    """
    chosen = [headline(record, metric) for metric in record.metrics]
    if len(record.pairs) <= _MOST_SLICED * len(record.metrics):
        chosen = [pair for metric in record.metrics for pair in reported_pairs(record, metric)]
    tasks = {table.label for table in record.suite.values()}  # which have a table of their own
    tables = []
    for label in dict.fromkeys(part.by for part in record.slices if part.by not in tasks):
        for pair in chosen:
            own = [
                part if part.a == pair.a else part.turned()
                for part in record.slices
                if (part.by, part.metric) == (label, pair.metric)
                and {part.a, part.b} == {pair.a, pair.b}
            ]
            last = len(chosen) < len(record.pairs) and pair is chosen[-1]
            more = ("The same for all other pairs: --json FILE.",) if last else ()
            tables += [_slice_table(record, pair, label, own, more)] if own else []
    return tables


def _slice_table(
    record: Comparison, pair: Pair, label: str, slices: Sequence[Slice], notes: tuple[str, ...]
) -> Table:
    intervals = any(part.interval is not None for part in slices)
    columns = [Column(label, "name"), Column(plural(record.items.kind)),
               Column("difference", "difference")]  # fmt: skip
    if intervals:
        level = percent(record.confidence_level or 1 - record.alpha)
        columns.append(Column(f"{level} CI", "interval"))
    rows = []
    for part in slices:
        cells = [Cell((part.value,)), cell(f"{part.items:,}"), cell(signed(part.difference))]
        cells += [Cell(ends(part.interval))] if intervals else []
        cells.append(cell(p_text(part.p_adjusted, record.alpha), " *" if part.different else ""))
        rows.append(Row(tuple(cells)))
    by = f", by {pair.metric}" if len(record.metrics) > 1 else ""
    return Table(
        (*columns, Column("adjusted p", "p")),
        tuple(rows),
        f"{pair.a} - {pair.b}{by}, for each {label} (exploratory; Holm)",
        notes=notes,
    )


# Preferences and judges


def win_table(record: Comparison) -> Table | None:
    """Return the win rates of systems that met, row against column; None for two, or for many."""
    found = record.preferences
    if found is None or found.scale is None or len(record.systems) > _MOST_MET:
        return None
    order = [system.name for system in ranking(record, next(iter(record.metrics)))]
    met = {(one.a, one.b): one for m in found.head_to_head for one in (m, seen_from(m, m.b))}
    rows = []
    for a in order:
        cells = [Cell((a,))]
        for b in order:
            pair = met.get((a, b))
            text = "" if a == b else "-" if pair is None else whole_percent(pair.win_rate)
            cells.append(cell(text, "*" if pair is not None and pair.different else ""))
        rows.append(Row(tuple(cells)))
    return Table(
        (Column("won of", "name"), *(Column(name, of_system=True) for name in order)),
        tuple(rows),
        notes=(
            f"Shares of {plural(record.items.kind)} on which the two met, row against column, ties "
            f"as half; * not even, adjusted p at most {record.alpha:g}",
        ),
    )


def judged_tables(record: Comparison) -> Iterator[Table]:
    """Yield what judge and people say alone, and how far the judge is from people."""
    judged = record.judged
    if judged is None:
        return
    metric = next(iter(record.metrics))
    systems = {system.name: system for system in judged.systems}
    order = [systems[system.name] for system in ranking(record, metric) if system.name in systems]
    items, level = record.items, percent(record.confidence_level or 1 - record.alpha)
    name, ci = Column("system", "name"), Column(f"{level} CI", "interval")
    yield Table(
        (name, Column("judge alone"), Column("people alone"), Column(f"{level} CI", "range"),
         Column("labels"), Column("worth")),
        tuple(Row((Cell((s.name,)), cell(plain(s.judge)), cell(plain(s.people)),
                   Cell(ends(s.people_interval, plain)), cell(f"{s.labels:,}"),
                   cell(f"{s.worth:,.0f}"))) for s in order),
        f"{judged.judge}, corrected by {judged.people}: {several(items.count, items.kind)}, "
        f"{judged.labelled:,} labelled",
        notes=("worth: labels that would tell as much without the judge",),
    )  # fmt: skip
    yield Table(
        (name, Column("judge - people", "difference"), ci, Column("agree"), Column("kappa"),
         Column("correlation")),
        tuple(Row((
            Cell((s.name,)),
            cell(signed(None if s.bias is None else s.bias.value)),
            Cell(ends(None if s.bias is None else s.bias.interval)),
            cell("-" if (share := s.agreement.get("share")) is None else whole_percent(share)),
            cell(_two_decimals(s.agreement.get("kappa"))),
            cell(_two_decimals(s.agreement.get("correlation"))),
        )) for s in order),
        "The judge against people",
    )  # fmt: skip
    rows = []
    for pair in reported_pairs(record, metric):
        found = next(p for p in judged.pairs if {p.a, p.b} == {pair.a, pair.b})
        for who, own in (("judge alone", found.judge), ("people alone", found.people)):
            low, high = own.interval
            value, both = own.value, own.interval
            if found.a != pair.a:
                value = -value
                both = None if high is None else -high, None if low is None else -low
            rows.append(Row((Cell((pair.a, pair.b)), cell(who), cell(signed(value)),
                             Cell(ends(both)), cell(p_text(own.p, record.alpha)))))  # fmt: skip
    columns = (Column("pair", "name"), Column("by", "text"), Column("difference", "difference"),
               ci, Column(p_name(record), "p"))  # fmt: skip
    yield Table(columns, tuple(rows), "Differences by the judge alone, and by people alone")


def _two_decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

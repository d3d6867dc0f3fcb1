"""What a report contains, once: answers and tables, made of a record alone.

Every face of a report shows some of them: terminal, page, Markdown, LaTeX and TSV. Statistics are
never computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Final

from tellapart.comparison.answers import (
    as_reported,
    headline,
    margin_p,
    pair_conditions,
    ranking,
    reported_pairs,
    shown_alone,
)
from tellapart.comparison.record import (
    Comparison,
    Ends,
    JudgedSystem,
    Pair,
    Slice,
    System,
    Task,
)
from tellapart.comparison.slices import reversals
from tellapart.report.findings import (
    judged_sentences,
)
from tellapart.report.method import correction_words
from tellapart.report.sentences import (
    NAMED,
    advice,
    answer_text,
    apart_words,
    better_direction,
    claim_word,
    condition_words,
    different_words,
    interval_disagrees,
    interval_scope,
    is_corrected,
    items_words,
    p_name,
    question,
    ranks_words,
    two_metrics_sentence,
    verdict,
)
from tellapart.report.table import Cell, Column, Table, columns_of, starred
from tellapart.report.text import (
    SAME,
    cut,
    ends,
    has_ends,
    p_text,
    pair_adjusted,
    pair_p,
    percent,
    plain,
    signed,
)
from tellapart.words import listed, plural, several

OVERALL: Final = "overall"
BEST, WORSE = "+", "-"
"""What marks the best score of a task, and those that are shown to be worse than it"""
_PAIR: Final = Column("pair", "name", lambda pair: Cell((pair.a, pair.b)))
_LETTERS = 12  # columns for the letters of a system's groups
_LONGEST_METRIC = 24
_RIGHT_WRONG = {
    "sensitivity": "the share of what people call right that the judge calls right",
    "specificity": "the share of what people call wrong that the judge calls wrong",
}
_AGREEMENT = {"share": "how often both give the same score", "kappa": "the same, beyond chance"}
"""What each column of a judge's table says"""


def finding(record: Comparison, metric: str) -> tuple[str, str, str, str]:
    """Return question, answer, verdict and what to do, by a metric."""
    judged = () if record.judged is None else judged_sentences(record)
    words = " ".join([verdict(record, metric), *judged])
    return question(record, metric), answer_text(record, metric), words, advice(record, metric)


def conclusion(record: Comparison, metric: str) -> str:
    """Return the same as a paragraph."""
    asked, answer, *more = finding(record, metric)
    return " ".join([asked, f"{answer}.", *filter(None, more)])


# Systems


def rank_text(record: Comparison, metric: str, name: str) -> str:
    """Return the places of a system that are not ruled out: `1`, `2-4`, or nothing if not known."""
    best, worst = record.ranks.get(metric, {}).get(name, (0, 0))
    return "" if not best else f"{best}" if best == worst else f"{best}-{worst}"


def letters_of(record: Comparison, metric: str, name: str) -> str:
    """Return the groups of a system among three or more, as far as there is room."""
    if len(record.systems) < 3:
        return ""
    return cut(record.letters.get(metric, {}).get(name, ""), _LETTERS)


def metric_table(record: Comparison, metrics: Sequence[str]) -> Table | None:
    """Return a row for each of some metrics: the pair that its answer speaks of, and the answer.

    What a system costs is of interest beside how good it is: costs are those of the verdict's pair.
    """
    if not metrics:
        return None
    about = headline(record, next(iter(record.metrics)))
    # Whether a system is the best is one claim, whose p is not corrected.
    best = record.answers[metrics[0]].question == "best"

    def pair_of(metric: str) -> Pair:
        if record.is_side(metric):
            return as_reported(record, record.pair(about.a, about.b, metric))
        return headline(record, metric)

    def answer(pair: Pair) -> str:
        if not record.is_side(pair.metric):
            told = record.answers[pair.metric]
            supposed = told.answer != "Cannot tell" and {*told.conditions} - {"whatever-missing"}
            return f"{told.answer}, if …" if supposed else told.answer
        shown = shown_alone(record, pair, pair.a) if best else pair.different
        return "Yes" if shown else "Cannot tell"

    def held(pair: Pair) -> bool:
        return record.margin_of(pair.metric) is not None  # unlike costs

    p_head, p_of = ("p", pair_p) if best else (p_name(record), pair_adjusted)
    columns = [
        _PAIR,
        Column("metric", "text", lambda p: cut(p.metric, _LONGEST_METRIC)),
        _difference(record),
        Column(p_head, "p", lambda p: p_of(p, record.alpha)),
        Column(f"within {record.margin or 0:g}?", "text", lambda p: answer(p) if held(p) else ""),
        Column("really better?", "text", lambda p: "" if held(p) else answer(p)),
    ]
    caption = "Further metrics; in full: --full"
    return Table.of(map(pair_of, metrics), columns, caption, keys=2)


def system_table(
    record: Comparison, metric: str, most: int | None = None, *, last: bool = True
) -> Table:
    """Return the systems by a metric, the best first, with intervals, ranks and groups.

    The `last` one of several tables has the notes.
    """
    systems, letters = ranking(record, metric)[:most], record.letters.get(metric, {})
    (best, *_), decimals = record.groups.get(metric) or [[]], record.metrics[metric].decimals
    columns = [
        Column("system", "name", lambda s: s.name),
        Column("score", write=lambda s: plain(s.scores[metric], decimals)),
        Column(
            _ci(record), "range", lambda s: Cell(ends(s.intervals.get(metric), decimals, plain))
        ),
        Column("rank", write=lambda s: rank_text(record, metric, s.name)),
        Column("group", "text", lambda s: letters_of(record, metric, s.name)),
    ]
    lettered = len(record.systems) > 2 and letters
    shared = ["Systems with a letter in common are not shown to differ."] if lettered else []
    if len(systems) < len(record.systems):
        more = len(record.systems) - len(systems)
        shared.insert(0, f"{more} more systems, all groups and warnings: --full")
    return Table.of(
        systems,
        columns,
        f"{metric}, {items_words(record, metric)}; {better_direction(record, metric)}",
        bold=lambda s: s.name in best,
        notes=(*shared, *([ranks_words(record)] if record.ranks else [])) if last else (),
    )


def _ci(record: Comparison, level: float | None = None) -> str:
    """Return the head of a column of confidence intervals."""
    return f"{percent(level or record.confidence_level or 1 - record.alpha)} CI"


def paper_table(record: Comparison) -> Table:
    """Return systems × metrics for a paper: the best in bold, and who is shown to differ.

    Letters join systems that are not shown to differ. Where only some pairs were compared, daggers
    mark systems that are better (†) and worse (‡) than the baseline; of two, the better one.
    """
    lettered = len(record.systems) > 2 and bool(record.letters)
    marks = {
        (m, s.name): record.letters[m][s.name] if lettered else _dagger(record, m, s.name)
        for m, s in product(record.metrics, record.systems)
    }
    best = {metric: ranking(record, metric)[0].scores[metric] for metric in record.metrics}

    def score(system: System, metric: str) -> Cell:
        value, mark = system.scores[metric], marks[metric, system.name]
        shown = plain(value, record.metrics[metric].decimals)
        return Cell((shown,), mark, abs(value - best[metric]) < SAME)

    columns = [Column("system", "name", lambda s: s.name)]
    columns += columns_of(record.metrics, score, "text")
    level = different_words(record)
    level += f", {correction_words(record)}" if is_corrected(record) else ""
    than = record.baseline or "the other"
    both = (("†", "better"), ("‡", "worse"))
    told = [f"{m} shown to be {how} than {than}" for m, how in both if m in marks.values()]
    told = ["Systems with a letter in common are not shown to differ"] if lettered else told
    lower = [name for name, info in record.metrics.items() if not info.higher_is_better]
    notes = [f"Lower is better: {', '.join(lower)}"] if lower else []
    notes += [f"{'; '.join(told)} ({level})"] if told else []
    codes = (code for p in record.pairs if p.different for code in pair_conditions(record, p))
    # What missing items leave of one pair, they may not leave of another.
    said = (code for code in codes if len(record.pairs) == 1 or code != "whatever-missing")
    supposed = condition_words(record, dict.fromkeys(said))
    notes += [f"Differences hold {', '.join(supposed)}"] if supposed else []
    first = next(iter(record.metrics))
    scored = f"Scores of {several(len(record.systems), 'system')} on {items_words(record, first)}"
    return Table.of(ranking(record, first), columns, f"{scored}; bold: best", notes=tuple(notes))


def _dagger(record: Comparison, metric: str, name: str) -> str:
    """Return the mark of a system that is shown to differ from the baseline, or from the other."""
    own = [pair for pair in record.pairs_of(metric) if pair.different and name in (pair.a, pair.b)]
    if name == record.baseline or not own or (len(record.systems) > 2 and not record.baseline):
        return ""
    if any(pair.favours == name for pair in own):
        return "†"
    return "" if record.baseline is None else "‡"


# Pairs


def reported(record: Comparison, metrics: Iterable[str]) -> list[Pair]:
    """Return the pairs of some metrics, the better system first."""
    return [pair for metric in metrics for pair in reported_pairs(record, metric)]


def pair_table(record: Comparison, pairs: Sequence[Pair]) -> Table:
    """Return a table of pairs, given as reports show them."""
    levels = {pair.interval_level for pair in pairs if pair.interval_level is not None}
    alpha, corrected = record.alpha, is_corrected(record)
    notes = list(_pair_notes(record, pairs))
    ci = _ci(record, max(levels)) if len(levels) == 1 else "CI"
    columns = [_PAIR, _difference(record), Column(ci, "interval", lambda p: _ends(record, p))]
    if any(pair.items_a_better or pair.items_b_better for pair in pairs):
        columns.append(Column("won", write=lambda p: f"{p.items_a_better:,}"))
        columns.append(Column("tied", write=lambda p: f"{p.items_tied:,}", spare=True))
        columns.append(Column("lost", write=lambda p: f"{p.items_b_better:,}"))
        if record.judged is not None:
            notes.append(f"won, tied, lost: by {record.judged.judge} alone")
            notes.append("difference: estimated for the pair, not taken from the scores")
    if corrected:
        columns.append(Column("p", "p", lambda p: pair_p(p, alpha)))
    decides = "adjusted" if corrected else "p"
    columns.append(Column(decides, "p", lambda p: starred(pair_adjusted(p, alpha), p.different)))
    if record.margin is not None:

        def kept(pair: Pair) -> Cell:
            return starred(p_text(margin_p(record, pair), alpha), pair.equivalent, "=")

        columns.append(Column("margin p", "p", kept))
    if record.min_confidence is not None:
        columns.append(Column("sure", write=lambda p: _sure(p.confidence)))

    several_metrics = len({pair.metric for pair in pairs}) > 1

    def section(pair: Pair) -> str:
        level = f" ({_ci(record, pair.interval_level)})" if len(levels) > 1 else ""
        return f"{pair.metric}{level}" if several_metrics else ""

    return Table.of(pairs, columns, section=section, bold=lambda p: p.different, notes=tuple(notes))


def _difference(record: Comparison) -> Column:
    """Return the column of differences, of pairs or of slices."""

    def written(part: Pair | Slice) -> str:
        return signed(part.difference, record.metrics[part.metric].decimals)

    return Column("difference", "difference", written)


def _ends(record: Comparison, part: Pair | Slice) -> Cell:
    return Cell(ends(part.interval, record.metrics[part.metric].decimals))


def _sure(confidence: float | None) -> str:
    if confidence is None or 0.001 <= confidence <= 0.999:
        return p_text(confidence)
    return "<.001" if confidence < 0.001 else ">.999"


def _pair_notes(record: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield what explains marks, intervals and p-values."""
    if any(pair.different for pair in pairs):
        yield f"* {different_words(record)}"
    if any(pair.equivalent for pair in pairs):
        yield f"= equivalent within {record.margin:g}"
    if record.margin is not None:
        what = "loss" if record.baseline or len(record.systems) == 2 else "difference"
        many = correction_words(record, margin=True)
        yield f"margin p: against a {what} of {record.margin:g} or more{f', {many}' * bool(many)}"
    known = [pair for pair in pairs if has_ends(pair.interval)]
    known.sort(key=lambda pair: pair.a_no_worse is None)
    if known:
        decides = [_ci(record, p.interval_level) for p in known if p.a_no_worse is not None]
        scope = interval_scope(record, known[0])
        scope = f"; the {decides[0]} is {scope}" if decides else f", {scope}" * bool(scope)
        yield f"CI: confidence interval{scope}"
    yield from _disagreeing(pairs)
    if record.tail != "two":
        yield f"Tested: whether the first is {claim_word(record)} than the second."
    if record.min_confidence is not None:
        yield f"sure: confidence that the exact test would reject at {record.alpha:g}"


def for_programs(record: Comparison) -> Table:
    """Return the pairs of the record with plain heads and all digits; of one system, its scores."""
    rows: list[dict[str, object]] = []
    for pair in record.pairs:
        row: dict[str, object] = {
            "metric": pair.metric, "a": pair.a, "b": pair.b, "difference": pair.difference,
            **_whole_ends(pair.interval), "won": pair.items_a_better, "tied": pair.items_tied,
            "lost": pair.items_b_better, "p": pair.p, "adjusted": pair.p_adjusted,
            "different": pair.different,
        }  # fmt: skip
        if record.margin is not None:
            row |= {"p_a_no_worse": pair.p_a_adjusted, "p_b_no_worse": pair.p_b_adjusted,
                    "a_no_worse": pair.a_no_worse, "b_no_worse": pair.b_no_worse}  # fmt: skip
        rows.append(row)
    for system, metric in product(record.systems, () if record.pairs else record.metrics):
        score = {"metric": metric, "system": system.name, "score": system.scores[metric]}
        rows.append({**score, **_whole_ends(system.intervals.get(metric))})
    return Table.of(rows, columns_of(rows[0], lambda row, head: _whole(row[head])))


def _whole_ends(interval: Ends | None) -> dict[str, str]:
    low, high = ends(interval, write=lambda end, _: _whole(end))
    return {"low": low, "high": high}


def _whole(value: object) -> str:
    """Return a number with all its digits, or another value as programs take it."""
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else repr(value)


# The matrix of p-values


def p_matrix_metrics(record: Comparison) -> list[tuple[str, ...]]:
    """Return the metrics of each matrix of p-values: two of them together, every other alone."""
    two = record.two_metrics
    both = () if two is None else (two.first, two.second)
    return list(dict.fromkeys(both if m in both else (m,) for m in record.metrics))


def p_matrix(record: Comparison, metrics: tuple[str, ...]) -> Table:
    """Return the p-values of all pairs by one metric, or by one above another.

    As the Message Understanding Conferences had it: p stands where the row scores better than the
    column. A row with many p-values is that of a good system; one whose p-values are all above, or
    all below, is good by one of the two metrics alone (Chinchor, Hirschman and Lewis 1993).
    """
    order = [system.name for system in ranking(record, metrics[0])]
    scores = {
        (s.name, m): plain(s.scores[m], record.metrics[m].decimals)
        for s, m in product(record.systems, metrics)
    }
    cells = {(name, name, metric): "." for name, metric in scores}
    for pair in (as_reported(record, p) for p in record.pairs if p.metric in metrics):
        star, p = "*" if pair.different else "", pair.p_adjusted
        tiny = p if p is not None and p < 0.0001 else 0.0  # of which one digit is enough
        cells[pair.a, pair.b, pair.metric] = f"{star}{p_text(p, record.alpha, error=tiny)}"

    def written(row: tuple[str, str], other: str) -> str:
        name, metric = row
        return cells.get((name, other, metric), "") if name else scores[other, metric]

    columns = [
        Column("", "name", lambda row: row[0] if row[1] == metrics[0] else ""),
        Column("", write=lambda row: scores.get(row, "")),
        *columns_of(order, written, "p", of_systems=True),
    ]
    where = "p stands where the row scores better than the column"
    if record.tail != "two":
        where = f"p is that of the claim that the row is {claim_word(record)}"
    if len(metrics) == 2:
        where += f"; {metrics[0]} above, {metrics[1]} below"
    apart = two_metrics_sentence(record) if len(metrics) == 2 else ""
    return Table.of(
        product(("", *order), metrics),
        columns,
        f"{p_name(record)}-values of all pairs, {' over '.join(metrics)}; "
        f"{several(len(order), 'system')}",
        notes=(
            where,
            f"* {different_words(record)}: told apart",
            apart or apart_words(record, metrics[0]),
        ),
        keys=2,
    )


# Tasks and slices


def task_table(record: Comparison, metric: str, most: int | None = None) -> Table:
    """Return systems × tasks, the overall scores first; of two systems, their difference too.

    Of more than `most` tasks, those on which something is shown or the order turns.
    """
    suite, turned = record.suite[metric], _reversals(record, metric)
    order = [system.name for system in ranking(record, metric)]
    scores = {system.name: system.scores[metric] for system in record.systems}
    overall = Task(OVERALL, record.metrics[metric].items.count, 1.0, scores)
    parts: dict[str, list[Pair | Slice]] = {OVERALL: [*record.pairs_of(metric)]}
    for part in record.slices:
        if (part.by, part.metric) == (suite.label, metric):
            parts.setdefault(part.value, []).append(part)
    higher = record.metrics[metric].higher_is_better
    marks = {t.name: _marks(t, parts.get(t.name, []), higher) for t in (overall, *suite.tasks)}
    shown = suite.tasks
    if most is not None and len(suite.tasks) > most:
        other_way = {part.value for part in turned[:most]} if len(order) == 2 else set()
        telling = other_way | {name for name, own in marks.items() if WORSE in own.values()}
        shown = tuple([task for task in suite.tasks if task.name in telling][:most])

    def score(task: Task, name: str) -> Cell:
        mark = marks[task.name].get(name, "")
        shown = plain(task.scores[name], record.metrics[metric].decimals)
        return Cell((shown,), mark, mark == BEST)

    def difference(task: Task) -> Pair | Slice:
        (part,) = parts[task.name]
        return part if part.a == order[0] else part.turned()

    columns = [
        Column(suite.label, "name", lambda task: task.name),
        Column(plural(record.items.kind), write=lambda task: f"{task.items:,}"),
        Column("score", "text", lambda task: task.score or ""),
        *columns_of(order, score, of_systems=True),
    ]
    notes = []
    if record.pairs:
        pairs = len(record.pairs_of(metric))
        over = several(len(suite.tasks), suite.label) + (f" × {pairs} pairs" if pairs > 1 else "")
        level = f"adjusted p at most {record.alpha:g}, Holm over {over}"
        notes.append(f"{BEST} best; {WORSE} shown to be worse: {level}")
    if len(order) == 2 and parts.keys() == marks.keys():
        columns += [column.mapped(difference) for column in _difference_columns(record)]
        if record.confidence_level is not None:
            notes.append(f"Intervals of {plural(suite.label)} hold for all at once")
        notes += _disagreeing([difference(task) for task in (overall, *shown)])
    if left_out := len(suite.tasks) - len(shown):
        notes.append(f"{several(left_out, f'further {suite.label}')}: --full.")
    reversed_on = [f"{p.b} is better than {p.a} on {p.value}" for p in turned if p.different]
    if reversed_on:
        notes.append(f"The order reverses: {listed(reversed_on, NAMED)}.")
    caption = f"{metric} by {suite.label}; {OVERALL}: {suite.aggregate}"
    return Table.of((overall, *shown), columns, caption, notes=tuple(notes), keys=1)


def _marks(task: Task, parts: Sequence[Pair | Slice], higher: bool) -> dict[str, str]:
    """Return `+` at the best scores of a task, and `-` at those shown to be worse than one."""
    top = (max if higher else min)(task.scores.values())
    best = {name for name, score in task.scores.items() if score == top}
    marks = dict.fromkeys(best if len(best) < len(task.scores) else (), BEST)
    worse = ({part.a, part.b} - best for part in parts if part.different)
    return marks | {name: WORSE for names in worse if len(names) == 1 for name in names}


def _disagreeing(parts: Iterable[Pair | Slice]) -> list[str]:
    """Return the note on intervals that say otherwise than p; nothing where none does."""
    return ["Where CI and p disagree, p decides."] if any(map(interval_disagrees, parts)) else []


def _difference_columns(record: Comparison) -> list[Column]:
    """Return the columns of a difference on a task or a slice: its interval and its adjusted p."""

    def interval(part: Pair | Slice) -> Cell:
        decides = isinstance(part, Pair) and part.a_no_worse is not None  # at another level
        return Cell(("-", "-")) if decides else _ends(record, part)

    def adjusted(part: Pair | Slice) -> Cell:
        return starred(p_text(part.p_adjusted, record.alpha), part.different)

    return [
        _difference(record),
        Column(_ci(record), "interval", interval),
        Column("adjusted p", "p", adjusted),
    ]


def _reversals(record: Comparison, metric: str) -> list[Slice]:
    """Return the tasks on which two systems stand the other way round than overall."""
    pairs = [as_reported(record, pair) for pair in record.pairs_of(metric)]
    ahead = {frozenset((pair.a, pair.b)): pair.a for pair in pairs if pair.difference}
    own = [part for part in record.slices if part.metric == metric]
    higher = record.metrics[metric].higher_is_better
    return reversals(own, record.suite[metric], ahead, higher)


def slice_tables(record: Comparison) -> Iterator[Table]:
    """Yield a table for each label and metric: the slices of the pair that the verdict is about."""
    tasks = {table.label for table in record.suite.values()}  # which have a table of their own
    for label in dict.fromkeys(part.by for part in record.slices if part.by not in tasks):
        for metric in record.metrics:
            yield slice_table(record, headline(record, metric), label)


def slice_table(record: Comparison, pair: Pair, label: str) -> Table:
    """Return the differences of a pair on the items of each value of a label."""
    columns = [
        Column(label, "name", lambda s: s.value),
        Column(plural(record.items.kind), write=lambda s: f"{s.items:,}"),
        *_difference_columns(record),
    ]
    own = [
        part if part.a == pair.a else part.turned()
        for part in record.slices
        if (part.by, part.metric) == (label, pair.metric) and {part.a, part.b} == {pair.a, pair.b}
    ]
    by = f", by {pair.metric}" if len(record.metrics) > 1 else ""
    caption = f"{pair.a} - {pair.b}{by}, for each {label} (exploratory)"
    at_once = "; CI for all of them at once" * (record.confidence_level is not None)
    notes = [f"* adjusted p at most {record.alpha:g}"] if any(p.different for p in own) else []
    notes += [f"p adjusted by Holm{at_once}"]
    return Table.of(own, columns, caption, notes=(*notes, *_disagreeing(own)))


# Preferences and judges


def judged_table(record: Comparison) -> Table | None:
    """Return what judge and people say alone, and how well they agree; None without a judge."""
    judged = record.judged
    if judged is None:
        return None
    place = {s.name: k for k, s in enumerate(ranking(record, next(iter(record.metrics))))}
    two = any(own.agreement.get("sensitivity") is not None for own in judged.systems)
    decimals = next(iter(record.metrics.values())).decimals
    agreement = _AGREEMENT | (_RIGHT_WRONG if two else {"correlation": "Pearson's r"})

    def agreed(own: JudgedSystem, what: str) -> str:
        value = own.agreement.get(what)
        return "-" if value is None else f"{value:.2f}"

    columns = [
        Column("system", "name", lambda s: s.name),
        Column("judge", write=lambda s: plain(s.judge, decimals)),
        Column("people", write=lambda s: plain(s.people, decimals)),
        Column(_ci(record), "range", lambda s: Cell(ends(s.people_interval, decimals, plain))),
        Column("labels", write=lambda s: f"{s.labels:,}"),
        Column("worth", write=lambda s: f"{s.worth:,.0f}"),
        Column("judge - people", "difference", lambda s: signed(s.bias, decimals)),
        Column(_ci(record), "interval", lambda s: Cell(ends(s.bias_interval, decimals))),
        *columns_of(agreement, agreed),
    ]
    meanings = {"worth": "labels that would tell as much without the judge", **agreement}
    return Table.of(
        sorted(judged.systems, key=lambda own: place[own.name]),
        columns,
        f"{judged.judge} and {judged.people} by themselves; people labelled "
        f"{judged.labelled:,} of {several(record.items.count, record.items.kind)}",
        notes=("; ".join(f"{head}: {what}" for head, what in meanings.items()),),
        keys=1,
    )

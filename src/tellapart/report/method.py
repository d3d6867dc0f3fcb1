"""The method of a comparison: in one line for the report, and as a sentence for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tellapart.comparison.options import JOINT, RANDOMIZATION
from tellapart.comparison.ranking import as_reported, favours_worse_scorer, headline
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.sentences import (
    claim_words,
    equals,
    exchanged_kind,
    exchanged_words,
    interval_name,
    interval_scope,
    is_corrected,
    is_one_claim,
    items_words,
    pairs_words,
    score_words,
)
from tellapart.report.text import ends, p_text, pair_adjusted, pair_p, percent, plain, signed
from tellapart.words import clean, plural, several

CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "maxt": "maxT, step-down",
    "tukey": "randomized Tukey",
}
_TEXTBOOK = {
    "bootstrap": "bootstrap test of the shifted difference",
    "unpaired": "unpaired randomization test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "t": "paired t test",
    "mcnemar": "McNemar's test",
}
_ASSUMED = {
    "sign": "independent {items}",
    "mcnemar": "independent {items}",
    "wilcoxon": "independent {items} and symmetric differences",
    "t": "independent {items} and differences that are normal, or many",
}
_MARGINS = {
    "exact score": "the exact unconditional score test of right and wrong {items}",
    "score": "Tango's score test of right and wrong {items}",
    "bounded score": "the score test of a bounded mean over {items}",
    "runs": "a score test over {items} and t over {items} and runs",
}
_JUDGED = "prediction-powered means (PPI++), the judge's weight tuned"


def method(record: Comparison) -> str:
    """Return how it was done, so that anyone can do it again."""
    parts = [f"alpha {record.alpha:g}", _intervals(record)]
    if record.pairs:
        sure = record.min_confidence
        parts = [
            _tests(record),
            f"alpha {record.alpha:g}",
            "" if sure is None else f"different only with confidence {sure:g}",
            _margin(record),
            _over_budget(record),
            _correction(record),
            _intervals(record),
            *(f"{metric} is the {table.aggregate}" for metric, table in record.suite.items()),
            *_assumptions(record),
        ]
    words = "; ".join(filter(None, parts))
    return clean(f"{words[0].upper()}{words[1:]}.")


def _in_items(record: Comparison, words: str) -> str:
    return words.format(items=plural(exchanged_kind(record)))


def name_of_test(record: Comparison, pair: Pair) -> str:
    """Return the test of a pair, with the hypothesis that it tests.

    `auto` tests equal scores; `exact` and `shuffle` exchange whole outputs, and so does `auto`
    where items have no share of their own in a score.
    """
    if pair.method == "runs":
        return _in_items(record, "t test over {items} and runs")
    if record.test not in RANDOMIZATION:
        return _TEXTBOOK.get(record.test, f"{record.test} test")
    exchange = record.test != "auto" or pair.reason == "exchange"
    null = "that exchanges whole outputs" if exchange else "of equal scores"
    return f"paired randomization test {null}"


def _counted(pair: Pair) -> bool:
    return pair.method in ("exact", "enumeration")


def _tests(record: Comparison) -> str:
    """Return the tests with their sides, how p was found, and the seed."""
    tested = [pair for pair in record.pairs if pair.p is not None]
    sides = "two-sided" if record.tail == "two" else f"one-sided ({record.tail})"
    if record.judged is not None:
        return _in_items(record, f"{_JUDGED}, {sides} t over {{items}}")
    if not tested:
        return "no test: scores are undefined"
    drawn = sorted({pair.shuffles for pair in tested if pair.shuffles})
    exact = [pair for pair in tested if record.test in RANDOMIZATION and _counted(pair)]
    parts = [" and ".join(dict.fromkeys(name_of_test(record, pair) for pair in tested)), sides]
    if exact:
        whole = all(pair.reason == "exchange" or record.test != "auto" for pair in exact)
        how = _in_items(record, f"exact: all {'exchanges' if whole else 'signs'} of {{items}}")
        parts.append(
            f"{how} for {len(exact):,} of {several(len(tested), 'test')}"
            if len(exact) < len(tested)
            else how
        )
    if drawn:
        many = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
        what = "resamples" if record.test == "bootstrap" else "shuffles"
        parts.append(_in_items(record, f"{many} {what} of {{items}}"))
    if any(pair.sequential for pair in tested):
        parts.append("drawn until the decision is clear")
    if any(pair.method == "rounded" for pair in tested):
        parts.append("p an upper bound, since values were rounded")
    return ", ".join([*parts, f"seed {record.seed}"])


def _over_budget(record: Comparison) -> str:
    """Return how many tests are by shuffles although they could be exact."""
    many = sum(pair.reason == "cost" for pair in record.pairs)
    return f"{many:,} by shuffles since exact tests of all pairs take too long" if many else ""


def _correction(record: Comparison) -> str:
    """Return what was corrected for, and what was not: the number of metrics."""
    if record.family_size == 1 and len(record.metrics) > 1:
        return f"no correction over the {len(record.metrics)} metrics"
    if record.correction == "none" and record.family_size > 1:
        return f"no correction over {pairs_words(record)}"
    return correction_words(record)


def correction_words(record: Comparison, *, margin: bool = False) -> str:
    """Return how p-values are corrected, of tests or of a margin; nothing for one pair."""
    if not is_corrected(record):
        return ""
    by_steps = margin and record.correction in JOINT
    pairs = pairs_words(record)
    of_each = f"the {pairs} of each metric" if len(record.metrics) > 1 and not margin else pairs
    return f"{CORRECTIONS['holm' if by_steps else record.correction]} over {of_each}"


def _margin(record: Comparison) -> str:
    """Return how a margin was decided."""
    if record.margin is None:
        return ""
    decided = [pair for pair in record.pairs if pair.a_no_worse is not None]
    names = dict.fromkeys(pair.interval_method for pair in decided)
    known = [_MARGINS[name] for name in names if name in _MARGINS]
    by = _in_items(record, f" by {' or '.join(known)}") if known else ""
    many = correction_words(record, margin=True)
    return f"margin {record.margin:g}{f', {many}' if many else ''}, two one-sided tests{by}"


def _intervals(record: Comparison) -> str:
    """Return how the confidence intervals were made."""
    if record.judged is not None:
        return ""
    pairs = dict.fromkeys(
        pair.interval_method or ""
        for pair in record.pairs
        if pair.a_no_worse is None and pair.interval not in (None, (None, None))
    )
    alone = dict.fromkeys(
        name
        for system in record.systems
        for metric, name in system.interval_methods.items()
        if system.intervals.get(metric) not in (None, (None, None))
    )
    if list(pairs) == list(alone):
        return f"confidence intervals {_names(record, pairs)}" if pairs else ""
    both = [f"of {what} {_names(record, names)}"
            for what, names in (("differences", pairs), ("systems", alone)) if names]  # fmt: skip
    return f"confidence intervals {', '.join(both)}"


def _names(record: Comparison, methods: Iterable[str]) -> str:
    return " or ".join(interval_name(record, method) for method in methods)


def _assumptions(record: Comparison) -> Iterator[str]:
    if record.test in _ASSUMED:
        yield _in_items(record, f"assumes {_ASSUMED[record.test]}")
    if record.test in RANDOMIZATION and any(notice.code == "skewed" for notice in record.notices):
        yield "its null: each difference could as well be reversed"
    if record.judged is not None:
        yield _in_items(
            record, "holds whatever the judge does, if the labelled {items} were drawn at random"
        )
    if any(pair.method == "runs" for pair in record.pairs):
        yield "assumes runs that are independent of each other"


# For a paper


def for_paper(record: Comparison, metric: str | None = None, pair: Pair | None = None) -> str:
    """Return a sentence to paste: what was found and how, for a pair or that of the verdict."""
    metric = metric or next(iter(record.metrics))
    if not record.pairs:
        score = score_words(record, record.systems[0], metric)
        return clean(f"By {metric}, {score}; tellapart {record.tellapart}.")
    best = pair is None and is_one_claim(record, metric)
    pair = headline(record, metric) if pair is None else as_reported(record, pair)
    scores = {system.name: plain(system.scores[pair.metric]) for system in record.systems}
    figures = [
        f"{scores[pair.a]} vs. {scores[pair.b]}",
        ", ".join([f"difference {signed(pair.difference)}", *_paper_interval(record, pair)]),
        _paper_best_p(record, pair) if best else _paper_p(record, pair),
        _paper_test(record, pair),
        f"tellapart {record.tellapart}, seed {record.seed}",
    ]
    finding = _paper_best(record, pair) if best else _paper_finding(record, pair)
    margin = _paper_margin(record, pair)
    return clean(f"By {pair.metric}, {finding} ({'; '.join(figures)}).{margin}")


def _paper_best(record: Comparison, pair: Pair) -> str:
    others = several(len(record.systems) - 1, "other system")
    level = f"statistically significant at the {record.alpha:g} level"
    return f"{pair.a} outperforms all {others}, {level}; hardest to tell from it is {pair.b}"


def _paper_best_p(record: Comparison, pair: Pair) -> str:
    largest = f"the largest of {len(record.systems) - 1}, of one claim that needs them all"
    return f"{equals('p', pair_p(pair, record.alpha))}, {largest} (intersection-union test)"


def _paper_finding(record: Comparison, pair: Pair) -> str:
    level = f"at the {record.alpha:g} level"
    if record.tail != "two":
        shown = "is shown" if pair.different else "is not shown"
        return f"the claim that {claim_words(record, pair)} {shown} {level}"
    if not pair.different:
        both = f"{pair.a} and {pair.b}"
        return f"the difference of {both} is not statistically significant {level}"
    if favours_worse_scorer(pair):
        return (
            f"{pair.a} and {pair.b} differ significantly {level}, and the {record.test} test "
            f"speaks for {pair.favours}"
        )
    return f"{pair.a} outperforms {pair.b}, statistically significant {level}"


def _paper_interval(record: Comparison, pair: Pair) -> list[str]:
    low, high = (end.replace("inf", "∞") for end in ends(pair.interval))
    if low == "-" or pair.interval_level is None:
        return []
    first, last = "(" if low == "-∞" else "[", ")" if high == "∞" else "]"
    decides = pair.a_no_worse is not None
    scope = "which decides the margin" if decides else interval_scope(record, pair)
    # A sign for per cent would begin a comment in LaTeX.
    level = percent(pair.interval_level).replace("%", "percent")
    interval = f"{level} CI {first}{low}, {high}{last}"
    return [f"{interval}, {scope}" if scope else interval]


def _paper_p(record: Comparison, pair: Pair) -> str:
    """Return p, and what the correction for many tests makes of it."""
    if pair.p is None:
        return "p undefined"
    p, adjusted = (write(pair, record.alpha) for write in (pair_p, pair_adjusted))
    if record.family_size == 1:
        return equals("p", p)
    if record.correction == "none":
        return f"{equals('p', p)}, not corrected for {pairs_words(record)}"
    after = f"after {CORRECTIONS[record.correction]} correction over {pairs_words(record)}"
    return f"{equals('p', p)}, {'also' if adjusted == p else adjusted} {after}"


def _paper_test(record: Comparison, pair: Pair) -> str:
    if record.judged is not None:
        return (
            f"prediction-powered t test over {items_words(record, pair.metric)}, "
            f"{record.judged.labelled:,} of them labelled by people"
        )
    sides = "two-sided" if record.tail == "two" else "one-sided"
    exact = "exact " if record.test in RANDOMIZATION and _counted(pair) else ""
    drawn = f", {pair.shuffles:,} shuffles" if pair.shuffles else ""
    suite = record.suite.get(pair.metric)
    tasks = "" if suite is None else f" of {several(len(suite.tasks), suite.label)}"
    items = record.metrics[pair.metric].items
    over = f"{several(items.count, items.kind)}{tasks}"
    if items.clusters is not None:
        over += f" in {exchanged_words(record, pair.metric)}, kept together"
    return f"{exact}{name_of_test(record, pair)}, {sides}{drawn}, over {over}"


def _paper_margin(record: Comparison, pair: Pair) -> str:
    """Return what two one-sided tests make of a margin."""
    if pair.a_no_worse is None:
        return ""
    both = ((pair.a, pair.b, pair.a_no_worse, pair.p_a_adjusted),
            (pair.b, pair.a, pair.b_no_worse, pair.p_b_adjusted))  # fmt: skip
    found = [
        f"{one} {'is' if shown else 'is not shown to be'} no worse than {other} "
        f"(p = {p_text(p, record.alpha)})"
        for one, other, shown, p in both
    ]
    equivalent = ", so that the two are equivalent" if pair.equivalent else ""
    many = correction_words(record, margin=True)
    return (
        f" With a margin of {record.margin_of(pair.metric):g}, by two one-sided tests at the "
        f"{record.alpha:g} level{f', {many}' if many else ''}, {' and '.join(found)}{equivalent}."
    )

"""The method of a comparison: in a line, as a sentence for a paper, and with what it cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from tellapart.comparison.answers import (
    as_reported,
    favours_worse_scorer,
    headline,
    in_question,
    margin_p,
    pair_conditions,
)
from tellapart.comparison.options import JOINT, RANDOMIZATION
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.notices import notice_sentence
from tellapart.report.sentences import (
    all_words,
    bar_sentence,
    bar_shown,
    claim_words,
    condition_words,
    equals,
    exchanged_words,
    interval_name,
    interval_scope,
    is_corrected,
    is_one_claim,
    pairs_words,
    score_words,
)
from tellapart.report.text import (
    capital,
    ends,
    has_ends,
    p_text,
    pair_adjusted,
    pair_p,
    percent,
    plain,
    signed,
)
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
    "wilcoxon": "Wilcoxon's signed-rank test",
    "t": "paired t test",
    "mcnemar": "McNemar's test",
}
_FOR = "% for: "
_FEW = ("few-items", "few-clusters", "few-labels", "few-labelled-clusters")


def method(record: Comparison) -> str:
    """Return how it was done, so that anyone can do it again."""
    sure, metrics = record.min_confidence, len(record.metrics)
    several_alone = record.family_size == 1 and metrics > 1 and record.pairs
    parts = [
        _tests(record, record.pairs) if record.pairs else "",
        f"alpha {record.alpha:g}",
        "" if sure is None else f"different only with confidence {sure:g}",
        _margin(record),
        f"no correction over the {metrics} metrics" if several_alone else correction_words(record),
        _intervals(record),
        *(f"{metric} is the {table.aggregate}" for metric, table in record.suite.items()),
    ]
    return clean(f"{capital('; '.join(filter(None, parts)))}.")


def name_of_test(record: Comparison, pair: Pair) -> str:
    """Return the test of a pair, with the hypothesis that it tests.

    `auto` tests equal scores; `exact` and `shuffle` exchange whole outputs, and so does `auto`
    where items have no share of their own in a score.
    """
    if pair.method == "runs":
        return f"t test over {plural(record.items.exchanged.kind)} and runs"
    if record.test not in RANDOMIZATION:
        return _TEXTBOOK.get(record.test, f"{record.test} test")
    exchange = record.test != "auto" or pair.reason == "exchange"
    null = "that exchanges whole outputs" if exchange else "of equal scores"
    return f"paired randomization test {null}"


def _tests(record: Comparison, pairs: Iterable[Pair]) -> str:
    """Return the tests of pairs with their sides, how p was found, and the seed."""
    tested = [pair for pair in pairs if pair.p is not None]
    sides = "two-sided" if record.tail == "two" else f"one-sided ({record.tail})"
    if record.judged is not None:
        means = "prediction-powered means (PPI++), the judge's weight tuned"
        kinds = plural(record.items.exchanged.kind)
        return f"{means}, {sides} t over {kinds}, if those labelled were drawn at random"
    if not tested:
        return "no test: scores are undefined"
    drawn = sorted({pair.shuffles for pair in tested if pair.shuffles})
    exact = sum(pair.method in ("exact", "enumeration") for pair in tested)
    parts = [" and ".join(dict.fromkeys(name_of_test(record, pair) for pair in tested)), sides]
    if exact and record.test in RANDOMIZATION:
        some = f" for {exact:,} of {several(len(tested), 'test')}"
        parts.append(f"exact{some if exact < len(tested) else ''}")
    if drawn:
        many = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
        parts.append(f"{many} {'resamples' if record.test == 'bootstrap' else 'shuffles'}")
    if any(pair.sequential for pair in tested):
        parts.append("drawn until the decision is clear")
    if any(pair.method == "rounded" for pair in tested):
        parts.append("p an upper bound, since values were rounded")
    return ", ".join([*parts, f"seed {record.seed}"])


def correction_words(record: Comparison, *, margin: bool = False) -> str:
    """Return how p-values are corrected, of tests or of a margin; nothing for one pair."""
    pairs = pairs_words(record)
    if record.family_size < 2 or record.correction == "none":
        return f"no correction over {pairs}" if record.family_size > 1 else ""
    name = CORRECTIONS["holm" if margin and record.correction in JOINT else record.correction]
    of_each = f"the {pairs} of each metric" if len(record.metrics) > 1 and not margin else pairs
    return f"{name} over {of_each}"


def _margin(record: Comparison) -> str:
    """Return how a margin was decided."""
    if record.margin is None:
        return ""
    decided = [pair for pair in record.pairs if pair.a_no_worse is not None]
    many = correction_words(record, margin=True)
    how = _names(record, (pair.interval_method for pair in decided))
    parts = (f"margin {record.margin:g}", many, f"two one-sided tests {how}" if how else "")
    return ", ".join(filter(None, parts))


def _intervals(record: Comparison) -> str:
    """Return how the confidence intervals were made."""
    tested = [p for p in record.pairs if p.a_no_worse is None and has_ends(p.interval)]
    scores = (
        system.interval_methods.get(metric)
        for system in record.systems
        for metric, interval in system.intervals.items()
        if has_ends(interval)
    )
    pairs = _names(record, (pair.interval_method for pair in tested))
    alone = _names(record, scores)
    both = {"of differences ": pairs, "of systems ": alone} if pairs != alone else {"": pairs}
    said = ", ".join(f"{what}{how}" for what, how in both.items() if how)
    return f"confidence intervals {said}" if said and record.judged is None else ""


def _names(record: Comparison, methods: Iterable[str | None]) -> str:
    return " or ".join(interval_name(record, name) for name in dict.fromkeys(methods) if name)


# For a paper


def for_paper(record: Comparison, metric: str | None = None, pair: Pair | None = None) -> str:
    """Return a sentence to paste: what was found and how, for a pair or that of the verdict."""
    metric = metric or next(iter(record.metrics))
    if not record.pairs:
        answer = record.answers[metric]
        score = (bar_shown if answer.at_least else score_words)(record, record.systems[0], metric)
        found = ", ".join([score, *condition_words(record, answer.conditions)])
        how = record.systems[0].interval_methods.get(metric)
        interval = [f"interval {interval_name(record, how)}"] if how else []
        said = "; ".join([found, *interval, *_paper_cautions(record)])
        return _printed(f"By {metric}, {said}; tellapart {record.tellapart}.")
    best = pair is None and is_one_claim(record, metric)
    bar = bar_sentence(record, metric) if pair is None else ""
    pair = headline(record, metric) if pair is None else as_reported(record, pair)
    decimals = record.metrics[pair.metric].decimals
    scores = {own.name: plain(own.scores[pair.metric], decimals) for own in record.systems}
    figures = (
        f"{scores[pair.a]} vs. {scores[pair.b]}",
        f"difference {signed(pair.difference, decimals)}{_paper_interval(record, pair)}",
        _paper_p(record, pair, best=best),
        f"{_tests(record, [pair])}, over {_paper_items(record, pair)}",
        *_paper_cautions(record),
        f"tellapart {record.tellapart}",
    )
    finding, margin = _paper_finding(record, pair, best=best), _paper_margin(record, pair)
    return _printed(f"By {pair.metric}, {finding} ({'; '.join(figures)}).{margin} {bar}")


def _paper_cautions(record: Comparison) -> list[str]:
    """Return that there are few items or labels, which any reader of the figures has to know."""
    told = [notice_sentence(record, own) for own in record.notices if own.code in _FEW]
    return [f"{each[0].lower()}{each[1:].rstrip('.')}" for each in told]


def _printed(text: str) -> str:
    """Return a text without a sign for per cent, which would begin a comment in LaTeX."""
    return clean(text).replace(" %", " percent")


def _paper_interval(record: Comparison, pair: Pair) -> str:
    """Return the interval as papers write it, or nothing where there is none."""
    low, high = ends(pair.interval, record.metrics[pair.metric].decimals)
    if low == "-" or pair.interval_level is None:
        return ""
    first, last = "(" if low == "-inf" else "[", ")" if high == "inf" else "]"
    interval = f"{percent(pair.interval_level)} CI {first}{low}, {high}{last}"
    how = interval_name(record, pair.interval_method or "")
    said = (f"{interval} {how}", interval_scope(record, pair))
    return "".join(f", {each}" for each in said if each)


def _paper_supposed(record: Comparison, codes: Iterable[str]) -> str:
    """Return what a finding supposes; that nothing is corrected stands with p."""
    words = condition_words(record, (code for code in codes if code != "no-correction"))
    return "".join(f", {each}" for each in words)


def _paper_finding(record: Comparison, pair: Pair, *, best: bool) -> str:
    codes = record.answers[pair.metric].conditions if best else pair_conditions(record, pair)
    level = f"at the {record.alpha:g} level{_paper_supposed(record, codes)}"
    if best:
        others = all_words(len(record.systems) - 1, "other system")
        significant = f"outperforms {others}, statistically significant {level}"
        return f"{pair.a} {significant}; hardest to tell from it is {pair.b}"
    if record.tail != "two":
        shown = "is shown" if pair.different else "is not shown"
        return f"the claim that {claim_words(record, pair)} {shown} {level}"
    both = f"{pair.a} and {pair.b}"
    if not pair.different:
        return f"the difference between {both} is not statistically significant {level}"
    if favours_worse_scorer(pair):
        speaks = f"the {record.test} test speaks for {pair.favours}"
        return f"{both} differ significantly {level}, and {speaks}"
    return f"{pair.a} outperforms {pair.b}, statistically significant {level}"


def _paper_p(record: Comparison, pair: Pair, *, best: bool) -> str:
    """Return p, and what the correction for many tests makes of it."""
    if pair.p is None:
        return "p undefined"
    p, adjusted = (write(pair, record.alpha) for write in (pair_p, pair_adjusted))
    if best:
        largest = f"the largest of {len(record.systems) - 1}, of one claim that needs them all"
        return f"{equals('p', p)}, {largest} (intersection-union test)"
    if record.family_size == 1:
        return equals("p", p)
    if record.correction == "none":
        return f"{equals('p', p)}, not corrected for {pairs_words(record)}"
    after = f"after {CORRECTIONS[record.correction]} correction over {pairs_words(record)}"
    return f"{equals('p', p)}, {'also' if adjusted == p else adjusted} {after}"


def _paper_items(record: Comparison, pair: Pair) -> str:
    """Return the items, their tasks, clusters and labels, and the runs of each system."""
    suite, items = record.suite.get(pair.metric), record.metrics[pair.metric].items
    words = several(items.count, items.kind)
    if suite is not None:
        words += f" of {several(len(suite.tasks), suite.label)}"
    if items.clusters is not None:
        words += f" in {exchanged_words(record, pair.metric)}, kept together"
    if record.judged is not None:
        words += f", {record.judged.labelled:,} of them labelled by people"
    if record.runs is not None:
        a, b = record.runs.runs[pair.a], record.runs.runs[pair.b]
        of_b = "each system" if a == b else f"{pair.a} and {b} of {pair.b}"
        averaged = "" if pair.method == "runs" else ", averaged"
        words += f", with {several(a, 'run')} of {of_b}{averaged}"
    return words


def _paper_margin(record: Comparison, pair: Pair) -> str:
    """Return what two one-sided tests make of a margin."""
    if pair.a_no_worse is None:
        return ""
    if record.baseline is not None or len(record.systems) == 2:
        seen = in_question(record, pair)
        found = (
            f"{seen.a} {'is' if seen.a_no_worse else 'is not shown to be'} no worse than {seen.b}"
        )
    else:
        are = "are" if pair.equivalent else "are not shown to be"
        found = f"{pair.a} and {pair.b} {are} equivalent"
    many = correction_words(record, margin=True)
    codes = pair_conditions(record, pair, margin=True)
    return (
        f" With a margin of {record.margin_of(pair.metric):g}, by two one-sided tests at the "
        f"{record.alpha:g} level{f', {many}' if many else ''}{_paper_supposed(record, codes)}, "
        f"{found} (p = {p_text(margin_p(record, pair), record.alpha)})."
    )


def bibtex(record: Comparison) -> str:
    """Return the entries of `data/references.bib` that a comparison used."""
    used = set(_used(record))
    text = (files("tellapart") / "data" / "references.bib").read_text(encoding="utf-8")
    entries = (block.removeprefix(_FOR).partition("\n") for block in text.split("\n\n"))
    return "\n\n".join(entry.strip() for codes, _, entry in entries if used & {*codes.split()})


def _used(record: Comparison) -> Iterator[str]:
    """Yield the codes of what was used, as the entries name them."""
    yield from record.metrics
    if record.judged is not None:
        yield "judged"
    elif record.pairs:
        yield record.test
        if record.test in RANDOMIZATION and any(pair.method != "runs" for pair in record.pairs):
            yield "randomization"
    if record.preferences is not None and record.preferences.scale is not None:
        yield "preferences"
    if is_corrected(record):
        yield record.correction
    if any(is_one_claim(record, metric) for metric in record.metrics if record.pairs):
        yield "best"
    yield from (pair.interval_method or "" for pair in record.pairs)
    yield from (name for system in record.systems for name in system.interval_methods.values())

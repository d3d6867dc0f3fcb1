"""Metrics: their two kinds, and those that are known by name.

A metric is a value that prints as it is typed: ``f0.5``, ``recall``, ``overgeneration``. Most are
ratios of two linear forms of the columns, which makes their tests exact and fast; others are
any functions of sums.

Other packages add a metric by an entry point of the group ``tellapart.metrics``: a `Ratio` or a
`Function`, or a function that makes one from the names of the columns.

```toml
[project.entry-points."tellapart.metrics"]
hit-rate = "my_package.metrics:HIT_RATE"
```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tellapart.plugins as plugins
from tellapart.errors import TellapartError, UsageError
from tellapart.metrics.text import NAMES as TEXT_NAMES
from tellapart.words import nearest

ITEMS = "#units"
"""The name by which a form refers to the number of items, as in a mean."""

Weights: TypeAlias = tuple[tuple[str, Fraction], ...]


def _fraction(value: Fraction | int | float | str) -> Fraction:
    # A float stands for the decimal that it prints as: 0.1 is one tenth.
    return Fraction(str(float(value)) if isinstance(value, float) else value)


def _weights(form: Mapping[str, Fraction | int | float | str]) -> Weights:
    weights = {column: _fraction(weight) for column, weight in form.items()}
    return tuple(sorted((column, weight) for column, weight in weights.items() if weight))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A score that is one linear form of the summed columns over another.

    >>> ratio("ser", {"sub": 1, "del": 1, "ins": 1}, {"ref": 1}, higher_is_better=False)
    ser
    """

    name: str
    numerator: Weights
    denominator: Weights
    higher_is_better: bool = True
    undefined: Fraction = Fraction(0)
    """The score where the denominator is zero."""
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""
    weighted: bool = False
    """Whether items count as their suite has it: a mean of tasks that are not of the same size"""

    def __repr__(self) -> str:
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the metric reads."""
        used = dict.fromkeys(column for column, _ in self.numerator + self.denominator)
        return tuple(column for column in used if column != ITEMS)

    @property
    def is_mean(self) -> bool:
        """Whether the score is a sum over the number of items."""
        return self.is_weighted_mean and not self.weighted

    @property
    def is_weighted_mean(self) -> bool:
        """Whether the score is a mean over items, each of which may have a weight."""
        return [column for column, _ in self.denominator] == [ITEMS]


@dataclass(frozen=True, slots=True)
class Function:
    """A score that is any vectorised function of the summed columns.

    The function gets an array whose last axis runs over `columns` and returns one score for each
    of the others.

    >>> Function("harm", ("tp", "fp"), lambda sums: sums[..., 0] - sums[..., 1])
    harm
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    higher_is_better: bool = True
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""
    undefined: float = 0.0
    """The score where the function gives no finite number"""
    top: float | None = None
    """The highest score of a scale from 0, if there is one"""

    def __repr__(self) -> str:
        return self.name

    def scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of sums, which run along the last axis."""
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.function(sums), np.float64)
        except (MemoryError, TellapartError):
            raise
        except Exception as problem:  # whatever a user's function raises
            raise UsageError(
                f"the function of metric {self.name!r} fails on sums of the columns "
                f"{' '.join(self.columns)}: {type(problem).__name__}: {problem}"
            ) from problem
        if found.shape != sums.shape[:-1]:
            raise UsageError(
                f"the function of metric {self.name!r} is not vectorised: for sums of shape "
                f"{sums.shape} it returned shape {found.shape}; write sums[..., 0], not sums[0]"
            )
        return np.where(np.isfinite(found), found, self.undefined)


Metric: TypeAlias = Ratio | Function


def ratio(
    name: str,
    numerator: Mapping[str, Fraction | int | float | str],
    denominator: Mapping[str, Fraction | int | float | str],
    *,
    higher_is_better: bool = True,
    undefined: Fraction | int | float | str = 0,
) -> Ratio:
    """Return the ratio metric of weighted columns.

    >>> ratio("exact-match", {"cor": 1}, {"pos": 1}).columns
    ('cor', 'pos')
    """
    if not _weights(denominator):
        raise UsageError(f"metric {name!r} needs a denominator: give at least one column a weight")
    return Ratio(
        name, _weights(numerator), _weights(denominator), higher_is_better, _fraction(undefined)
    )


def mean(column: str, name: str | None = None, *, higher_is_better: bool = True) -> Ratio:
    """Return the metric that is the mean of a column over items.

    >>> mean("score")
    mean
    >>> mean("rouge", name="rouge")
    rouge
    """
    return ratio(name or "mean", {column: 1}, {ITEMS: 1}, higher_is_better=higher_is_better)


_HALF = Fraction(1, 2)

# Each column family says what plays the part of: matched, what the gold has, what the system gave.
_TP, _GOLD_TP, _SYS_TP = {"tp": 1}, {"tp": 1, "fn": 1}, {"tp": 1, "fp": 1}
_COR, _POS, _ACT = {"cor": 1, "par": _HALF}, {"pos": 1}, {"act": 1}
_WRONG = {"inc": 1, "par": _HALF}

Forms: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]

# Per name: the alternatives, in order of preference; the first whose columns are there counts.
DEFINITIONS: dict[str, tuple[Forms, ...]] = {
    "recall": ((_TP, _GOLD_TP), (_COR, _POS), ({"match": 1}, {"gold": 1})),
    "precision": ((_TP, _SYS_TP), (_COR, _ACT), ({"match": 1}, {"sys": 1})),
    "accuracy": (({"tp": 1, "tn": 1}, {"tp": 1, "tn": 1, "fp": 1, "fn": 1}),),
    "error-rate": (
        ({"fp": 1, "fn": 1}, {"tp": 1, "tn": 1, "fp": 1, "fn": 1}),
        (_WRONG | {"mis": 1, "spu": 1}, {"cor": 1, "par": 1, "inc": 1, "mis": 1, "spu": 1}),
    ),
    "slot-error-rate": (
        (_WRONG | {"mis": 1, "spu": 1}, _POS),
        ({"fp": 1, "fn": 1}, _GOLD_TP),
    ),
    "substitution": ((_WRONG, {"cor": 1, "par": 1, "inc": 1}),),
    "overgeneration": (({"spu": 1}, _ACT), ({"fp": 1}, _SYS_TP)),
    "undergeneration": (({"mis": 1}, _POS), ({"fn": 1}, _GOLD_TP)),
    "fallout": (({"inc": 1, "spu": 1}, {"pie": 1}), ({"fp": 1}, {"fp": 1, "tn": 1})),
    "wer": (({"sub": 1, "del": 1, "ins": 1}, {"ref": 1}),),
}
LOWER_IS_BETTER = {
    "error-rate", "slot-error-rate", "substitution", "overgeneration", "undergeneration",
    "fallout", "wer",
}  # fmt: skip
OPTIONAL = {"par"}
_F_BETA = re.compile(r"f([0-9]{1,9}(?:\.[0-9]{1,9})?)")
"""F1, F2, F0.5: the name has the weight of recall in it"""


def _f_beta(beta: str) -> tuple[Forms, ...]:
    """Return F-beta from the parts of recall and precision: (1+b²) c / (b² possible + actual)."""
    b2 = Fraction(beta) ** 2
    forms = []
    for (matched, gold), (_, given) in zip(
        DEFINITIONS["recall"], DEFINITIONS["precision"], strict=True
    ):
        denominator: dict[str, Fraction] = {}
        for part, weight in ((gold, b2), (given, Fraction(1))):
            for column, value in part.items():
                denominator[column] = denominator.get(column, Fraction(0)) + weight * value
        forms.append(({column: (1 + b2) * w for column, w in matched.items()}, denominator))
    return tuple(forms)


FILTERING = "filtering-"
"""How metrics of text filtering begin: of messages that are taken for relevant, right or wrong"""
FILTER_COLUMNS = ("filter_tp", "filter_fp", "filter_fn", "filter_tn")
_DECISIONS = {column.removeprefix("filter_"): column for column in FILTER_COLUMNS}


def decided(name: str) -> str:
    """Return a metric's name without its beginning for text filtering.

    >>> decided("filtering-recall"), decided("recall")
    ('recall', 'recall')
    """
    return name.removeprefix(FILTERING)


def _filtering(forms: tuple[Forms, ...] | None) -> tuple[Forms, ...] | None:
    """Return the forms of a metric of decisions, of the columns of text filtering."""
    found = tuple(
        (
            {_DECISIONS[column]: weight for column, weight in numerator.items()},
            {_DECISIONS[column]: weight for column, weight in denominator.items()},
        )
        for numerator, denominator in forms or ()
        if {*numerator, *denominator} <= _DECISIONS.keys()
    )
    return found or None


def alternatives(name: str) -> tuple[Forms, ...] | None:
    """Return the forms that a name stands for, in order of preference; None if it is unknown.

    >>> alternatives("filtering-recall")
    (({'filter_tp': 1}, {'filter_tp': 1, 'filter_fn': 1}),)
    """
    if name.startswith(FILTERING):
        return _filtering(alternatives(decided(name)))
    match = _F_BETA.fullmatch(name)
    return _f_beta(match[1]) if match else DEFINITIONS.get(name)


PASS = re.compile(r"pass([@^])([0-9]{1,9})")


def is_pass(name: object) -> bool:
    """Return whether a metric is called pass@k or pass^k.

    >>> is_pass("pass@4"), is_pass("pass^2"), is_pass("passed")
    (True, True, False)
    """
    return isinstance(name, str) and PASS.fullmatch(name) is not None


def names() -> list[str]:
    """Return the names of the built-in metrics; any F-beta is written like the ones shown."""
    return [
        "recall", "precision", "f1", "f0.5", "f2", *list(DEFINITIONS)[2:], "mean", *TEXT_NAMES,
        *(f"{FILTERING}{name}" for name in ("recall", "precision", "f1", "overgeneration")),
    ]  # fmt: skip


def _text_metric(name: str, columns: Sequence[str]) -> Ratio | Function:
    """Return a text metric; its scorer, which knows the columns, is imported only now."""
    from tellapart.metrics.text import scoring

    found = scoring.metric_for_columns(name, columns)
    if found is None:
        needs = " ".join(scoring.DEFAULTS[name].columns)
        raise UsageError(
            f"metric {name!r} needs the columns {needs}; there are {' '.join(columns)}"
        )
    return found


def _added_metric(name: str, columns: Sequence[str]) -> Metric | None:
    """Return the metric that another package adds under a name, if one does."""
    found = plugins.find(plugins.METRICS, name)
    if callable(found):
        try:
            found = found(columns)
        except TellapartError:
            raise
        except Exception as problem:  # whatever a stranger's function raises
            raise UsageError(
                f"the plug-in {name!r} ({plugins.METRICS}) makes no metric of the columns "
                f"{' '.join(columns)}: {type(problem).__name__}: {problem}"
            ) from problem
    if found is None or isinstance(found, Ratio | Function):
        return found
    raise UsageError(
        f"the plug-in {name!r} ({plugins.METRICS}) is no metric but a {type(found).__name__}; "
        "update or uninstall its package"
    )


def metric(name: str, columns: Sequence[str], *, items: bool = False) -> Metric:
    """Return the metric of a name for a table that has these columns.

    With `items` the columns are ready values: a metric's name is a value's name, and its score the
    mean; ``mean`` is the mean of an only value. Other packages' metrics are for both.

    >>> metric("f1", ["tp", "fp", "fn"]).denominator
    (('fn', Fraction(1, 1)), ('fp', Fraction(1, 1)), ('tp', Fraction(2, 1)))
    >>> metric("rouge", ["rouge", "length"], items=True)
    rouge
    """
    if items:
        return _item_metric(name, columns)
    name = _as_known(name)
    if name in TEXT_NAMES:
        return _text_metric(name, columns)
    forms = alternatives(name)
    if forms is None and (added := _added_metric(name, columns)) is not None:
        return added
    if forms is None:
        if name == "mean":
            raise UsageError(
                f"metric 'mean' is of ready scores, and these are counts: {' '.join(columns)}; "
                f"in Python: ta.mean({columns[0]!r})"
            )
        known = [*plugins.Names(names(), plugins.METRICS)]
        raise UsageError(f"unknown metric {name!r}; {nearest(name, known)}")
    for numerator, denominator in forms:
        needed = {*numerator, *denominator} - OPTIONAL
        if needed <= set(columns):
            present = {c: w for c, w in numerator.items() if c in columns}
            bottom = {c: w for c, w in denominator.items() if c in columns}
            higher_is_better = decided(name) not in LOWER_IS_BETTER
            return ratio(name, present, bottom, higher_is_better=higher_is_better)
    needs = " or ".join(" ".join(dict.fromkeys([*n, *d])) for n, d in forms)
    raise UsageError(f"metric {name!r} needs the columns {needs}; there are {' '.join(columns)}")


def counts_errors(name: str) -> bool:
    """Return whether a value's name says that less of it is better.

    >>> counts_errors("asr/WER"), counts_errors("word error rate"), counts_errors("accuracy")
    (True, True, False)
    """
    return direction(name) == LOWER


def _as_known(name: str) -> str:
    """Return the name of a metric of counts in the letters in which it is known."""
    small = name.lower()
    known = small in TEXT_NAMES or alternatives(small) is not None
    return small if known and alternatives(name) is None else name


def _as_written(name: str, columns: Sequence[str]) -> str:
    """Return the only value that a name means: in other letters, or by its last part.

    >>> _as_written("F1", ["f1", "bleu"]), _as_written("exact", ["scores.exact", "scores.f1"])
    ('f1', 'scores.exact')
    """
    if name in columns:
        return name
    small = name.lower()
    for spelled in (str.lower, lambda column: column.lower().rpartition(".")[2]):
        fitting = [column for column in columns if spelled(column) == small]
        if len(fitting) == 1:
            return fitting[0]
    return name


def _item_metric(name: str, columns: Sequence[str]) -> Metric:
    name = _as_written(name, columns)
    if name in columns:
        return mean(name, name, higher_is_better=not counts_errors(name))
    values = [column for column in columns if not is_pass(column)]
    if name == "mean" and len(values) == 1:
        return mean(values[0], higher_is_better=not counts_errors(values[0]))
    if (added := _added_metric(name, columns)) is not None:
        return added
    known = [*default_metrics(columns, items=True), *plugins.names(plugins.METRICS)]
    raise UsageError(f"no value is named {name!r}; {nearest(name, known)}")


def default_metrics(columns: Sequence[str], *, items: bool = False) -> list[str]:
    """Return the metrics to compute when none is named.

    >>> default_metrics(["pos", "act", "cor", "par"])
    ['f1', 'recall', 'precision']
    >>> default_metrics(["score"], items=True)
    ['mean']
    >>> default_metrics(["ter_edits", "ter_ref_len"])
    ['ter']
    """
    if items:
        return ["mean"] if list(columns) == ["score"] else list(columns)
    if not {"ref_len", "nist_ref_len", "ter_ref_len"}.isdisjoint(columns) or any(
        column.startswith("chrf") for column in columns
    ):
        from tellapart.metrics.text.scoring import names_for_columns

        return names_for_columns(columns)
    return ["f1", "recall", "precision"]


# Whether more or less of a value is better, and whether it is a cost, as far as its name tells.
#
# Names are read as people write them: `total_cost`, `latencyMs`, `task/wer/filter`. The last word
# that says anything decides, as it does in English: a `token_accuracy` is an accuracy,
# `cost_savings` are savings, and an `error_rate` is a rate of errors.

HIGHER: Final = "higher"
LOWER: Final = "lower"
UNKNOWN: Final = ""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_PARTS: Final = re.compile(r"[/.,:|]+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Errors and what is spent, under names that are never anything else, whatever word follows.
_SURELY_LOWER: Final = _set(
    "wer cer ter mer der eer mae mse rmse mape ece nll ppl bpb perplexity brier latency "
    "runtime hallucination hallucinations misclassification ttft tpot rtf"
)
# Words that say so unless another word follows that says something else, as in `cost_awareness`.
_LOWER: Final = _set(
    "error errors err loss losses distance edits cost costs price prices expense spend spent time "
    "times duration durations elapsed delay seconds second secs sec milliseconds millis minutes "
    "hours tokens toxicity toxic failure failures fail fails failed mistakes mistake bugs crashes "
    "timeouts violations violation retries regret penalty divergence kl memory energy emissions "
    "co2 usd dollars eur euros cents overgeneration undergeneration substitution fallout wrong "
    "incorrect fp fn"
)
_HIGHER: Final = _set(
    "accuracy acc correct correctness f1 precision recall exact match matches em bleu sacrebleu "
    "rouge rougel rougelsum chrf meteor bertscore comet bleurt pass passed passes success "
    "successful win wins winrate auc auroc auprc map mrr ndcg ap mcc kappa pearson spearman "
    "kendall correlation iou dice jaccard similarity hit hits reward quality helpfulness relevance "
    "relevancy faithfulness coherence fluency rating ratings grade solved resolved likelihood "
    "loglikelihood logprob logprobs throughput speedup savings saving reduction improvement "
    "improvements efficiency effectiveness robustness right points specificity "
    "sensitivity groundedness adherence includes choice graded factuality main nist elo tp tn"
)
# Words that turn what stands before them into something good; alone they say nothing.
_GOOD_RIDDANCE: Final = _set("free saved reduced fixed avoided prevented caught gain")
# Measures that may as well be names of systems, or of conditions, where columns are told by names.
_EVERYDAY: Final = _set("exact memory energy map comet right wrong match second time")
# Words that say nothing of the direction: amounts, averages, units, and what was measured.
_NEUTRAL: Final = _set(
    "score scores value mean avg average median total sum overall n num number count counts rate "
    "ratio percent pct percentage share max min std p50 p90 p95 p99 micro macro weighted balanced "
    "strict lenient flexible norm normalized normalised relative absolute abs squared root log "
    "word words char character characters byte bytes token sentence item answer response input "
    "output prompt completion generation request wall clock cpu gpu first ms s us ns m h k usd eur "
    "in of is at edit levenshtein"
)
_MEANINGLESS: Final = _NEUTRAL | _GOOD_RIDDANCE | {"per"}
# What is done in a time: more of it per second is better.
_WORK: Final = _set("tokens items requests samples words characters queries steps")
_TIMES: Final = _set("second seconds sec secs s minute minutes min ms hour hours")
# Measures of several words, which tell nothing one by one.
_PHRASES: Final = {
    "cross_entropy": "nll",
    "n_dcg": "ndcg",
    "bits_per_byte": "bpb",
    "bits_per_character": "bpb",
    "negative_log_likelihood": "nll",
    "time_to_first_token": "ttft",
    "time_per_output_token": "tpot",
    "log_prob": "logprob",
    "win_rate": "winrate",
    "bradley_terry": "elo",
    "real_time_factor": "rtf",
    "model_graded_qa": "correct",
    "model_graded_fact": "correct",
    "non_llm_string_similarity": "similarity",
}

_SPENT: Final = _set(
    "cost costs price prices expense spend spent usd dollars eur cents latency time times duration "
    "durations runtime elapsed delay seconds secs milliseconds minutes hours ttft tpot tokens"
)


def direction(name: str) -> str:
    """Return "higher" or "lower", whichever a value's name says is better; "" if it does not say.

    >>> [direction(name) for name in ("accuracy", "latencyMs", "total_cost", "asr/WER", "length")]
    ['higher', 'lower', 'lower', 'lower', '']
    >>> [direction(name) for name in ("cost_savings", "token_accuracy", "tokens_per_second")]
    ['higher', 'higher', 'higher']
    """
    for part in reversed(_PARTS.split(name)):
        found = _of_words(_words(part))
        if found:
            return found
    return UNKNOWN


def is_cost(name: str) -> bool:
    """Return whether a value's name says that it is money, time or tokens spent.

    >>> [is_cost(name) for name in ("cost", "latency_ms", "accuracy", "wer", "token_accuracy")]
    [True, True, False, False, False]
    """
    return not _SPENT.isdisjoint(_words(name)) and direction(name) == LOWER


def is_measure(name: str) -> bool:
    """Return whether a name is that of a measure and of nothing else: every word is known.

    So `accuracy` and `latency_ms` are, and `gpt_accuracy`, `score_a` and `length` may be anything.

    >>> [is_measure(name) for name in ("accuracy", "latency_ms", "gpt_accuracy", "score_a", "A")]
    [True, True, False, False, False]
    """
    words = _words(name)
    return _is_known(name) and not (len(words) == 1 and words[0] in _EVERYDAY)


def ends_in_measure(name: str) -> tuple[str, str] | None:
    """Return a name without the measure that ends or begins it, and that measure; None if none.

    >>> ends_in_measure("gpt_exact_match"), ends_in_measure("time.gpt-4"), ends_in_measure("gpt")
    (('gpt', 'exact_match'), ('gpt-4', 'time'), None)
    """
    marks = list(re.finditer(r"[^A-Za-z0-9]+", name))
    for mark in marks:  # the longest first
        if _is_known(name[mark.end() :]):
            return name[: mark.start()], name[mark.end() :]
    for mark in reversed(marks):
        if _is_known(name[: mark.start()]):
            return name[mark.end() :], name[: mark.start()]
    return None


def _is_known(name: str) -> bool:
    """Return whether a name says which way is better, and every word is known."""
    words = _words(name)
    return direction(name) != UNKNOWN and all(
        _sense(word) or word in _MEANINGLESS for word in words
    )


def _words(name: str) -> list[str]:
    """Return the words of a name, in small letters.

    >>> _words("totalCostUSD"), _words("Word Error Rate"), _words("rougeL"), _words("F1Score")
    (['total', 'cost', 'usd'], ['word', 'error', 'rate'], ['rougel'], ['f1', 'score'])
    """
    name = re.sub(r"[@^]\d+", "", name)
    name = re.sub(r"(?i)rouge-?_?(lsum|l|\d)", lambda found: f"rouge{found[1].lower()}", name)
    words = "_".join(_WORD.findall(name)).lower()
    for phrase, word in _PHRASES.items():
        if phrase in words:
            words = re.sub(rf"(?<![a-z0-9]){phrase}(?![a-z0-9])", word, words)
    return words.split("_") if words else []


def _sense(word: str) -> str:
    """Return what a word says by itself."""
    if word in _SURELY_LOWER or word in _LOWER:
        return LOWER
    plain = word.rstrip("0123456789")
    known = word in _HIGHER or (plain in {"bleu", "rouge", "hits", "ndcg", "map", "chrf"})
    return HIGHER if known or re.fullmatch(r"f\d+", word) else UNKNOWN


def _of_words(words: list[str]) -> str:
    if "per" in words[1:-1]:
        at = words.index("per", 1)
        if words[at - 1] in _WORK and words[at + 1] in _TIMES:
            return HIGHER
        return _of_words(words[:at])
    if len(words) > 1 and words[0] in ("no", "non", "not", "without", "anti"):
        return UNKNOWN
    if len(words) > 1 and words[-1] in _GOOD_RIDDANCE and _of_words(words[:-1]) == LOWER:
        return HIGHER
    following = False  # whether an unknown word stands behind
    for word in reversed(words):
        if word in _SURELY_LOWER:
            return LOWER
        if word in _NEUTRAL and not (word in _LOWER and word == words[0] == words[-1]):
            continue
        found = _sense(word)
        if found and not following:
            return found
        following = True
    # A score, a mean or a rate of nothing in particular is one of something good.
    plain = {"score", "scores", "mean", "average", "avg"}
    return HIGHER if words and not following and plain.intersection(words) else UNKNOWN

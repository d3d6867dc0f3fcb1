"""Whether more or less of a value is better, and whether it is a cost, as far as its name tells.

Names are read as people write them: `total_cost`, `latencyMs`, `task/wer/filter`. The last word
that says anything decides, as it does in English: a `token_accuracy` is an accuracy, `cost_savings`
are savings, and an `error_rate` is a rate of errors.
"""

from __future__ import annotations

import re
from typing import Final

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
    "incorrect"
)
_HIGHER: Final = _set(
    "accuracy acc correct correctness f1 precision recall exact match matches em bleu sacrebleu "
    "rouge rougel rougelsum chrf meteor bertscore comet bleurt pass passed passes success "
    "successful win wins winrate auc auroc auprc map mrr ndcg ap mcc kappa pearson spearman "
    "kendall correlation iou dice jaccard similarity hit hits reward quality helpfulness relevance "
    "relevancy faithfulness coherence fluency rating ratings grade solved resolved likelihood "
    "loglikelihood logprob logprobs throughput speedup savings saving reduction improvement "
    "improvements efficiency effectiveness robustness right points specificity "
    "sensitivity groundedness adherence includes choice graded factuality main nist elo"
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

_MONEY: Final = _set("cost costs price prices expense spend spent usd dollars eur cents")
_TIME: Final = _set(
    "latency time times duration durations runtime elapsed delay seconds secs milliseconds minutes "
    "hours ttft tpot"
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
    return cost_kind(name) != "" and direction(name) == LOWER


def cost_kind(name: str) -> str:
    """Return what a cost is by its name: money, time, tokens; "" if the name does not say.

    >>> cost_kind("total_cost"), cost_kind("latencyMs"), cost_kind("joules")
    ('money', 'time', '')
    """
    words = set(_words(name))
    if words & _MONEY:
        return "money"
    if words & _TIME:
        return "time"
    return "tokens" if "tokens" in words else ""


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

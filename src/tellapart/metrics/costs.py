"""Which values are costs: what a system spends, as far as its name tells."""

from __future__ import annotations

import re
from typing import Final

from tellapart.metrics.registry import counts_errors

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MONEY: Final = {
    "cost", "costs", "price", "prices", "expense", "spend", "spent", "usd", "dollars", "eur",
    "cents",
}  # fmt: skip
_TIME: Final = {
    "latency", "time", "times", "duration", "durations", "runtime", "elapsed", "delay", "seconds",
    "secs", "milliseconds", "minutes", "hours", "ttft", "tpot",
}  # fmt: skip
_TOKENS: Final = {"tokens"}


def is_cost(name: str) -> bool:
    """Return whether a value's name says that it is money, time or tokens spent.

    >>> [is_cost(name) for name in ("cost", "latency_ms", "accuracy", "wer", "token_accuracy")]
    [True, True, False, False, False]
    """
    return cost_kind(name) != "" and counts_errors(name)


def cost_kind(name: str) -> str:
    """Return what a cost is by its name: money, time, tokens; "" if the name does not say.

    >>> cost_kind("total_cost"), cost_kind("latencyMs"), cost_kind("joules")
    ('money', 'time', '')
    """
    words = _words(name)
    if words & _MONEY:
        return "money"
    if words & _TIME:
        return "time"
    return "tokens" if words & _TOKENS else ""


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}

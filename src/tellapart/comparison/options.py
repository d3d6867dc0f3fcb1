"""The options of a comparison: one record, filled by the command line and read by every step.

Each field carries all that is known of its option: help, choices, and the rule that a value must
keep. The module needs no numpy, since the command line makes its help from it.

Other packages add a test by an entry point of the group ``tellapart.tests``. It names a function
that gets the values of the first system, item by item, those of the second, and the tail (``two``,
``greater`` or ``less``, of the first minus the second), and returns p:

```python
def scipy_t(first, second, tail):
    alternative = {"two": "two-sided"}.get(tail, tail)
    return scipy.stats.ttest_rel(first, second, alternative=alternative).pvalue
```

```toml
[project.entry-points."tellapart.tests"]
scipy-t = "my_package.tests:scipy_t"
```

Such a test is for scores that are means over items, as the textbook tests are. One that makes the
tests of all pairs itself, from whole scores, is a `tellapart.comparison.testing.PairTests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tellapart.plugins as plugins
from tellapart.errors import UsageError
from tellapart.options import (
    ALPHA,
    COUNT,
    MARGIN,
    SCORE,
    SEED,
    SHARE,
    WORKERS,
    Number,
    Option,
    names_in,
    one_or_several,
    option,
    options_of,
)

TESTS = (
    "auto", "exact", "shuffle", "bootstrap", "sign", "wilcoxon", "t", "mcnemar", "unpaired",
)  # fmt: skip
"""The tests that come with the package"""
RANDOMIZATION = ("auto", "exact", "shuffle")
TEST_NAMES = plugins.Names(TESTS, plugins.TESTS)
"""All that `--test` takes, tests of other packages included"""

JOINT = ("maxt", "tukey")
"""Corrections that need all pairs under the same shuffles"""
CORRECTIONS = ("none", "bonferroni", "holm", "bh", *JOINT)

DEFAULT_SHUFFLES = 9_999
SIGNS = {"two": 0, "greater": 1, "less": -1}


def _number(default: float | None, words: str, number: Number) -> Any:
    return option(default, words, metavar="N" if number.whole else "X", number=number)


def _text(words: str, metavar: str) -> Any:
    return option(None, words, metavar=metavar)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a comparison, checked when the record is made.

    Names and defaults are those of the command line and of `tellapart.compare`.

    >>> Options(test="exact", alpha=0.1).correction
    'holm'
    >>> Options(test="extact")
    Traceback (most recent call last):
    tellapart.errors.UsageError: there is no test 'extact'; did you mean 'exact'? There are ...
    """

    cluster: str | None = _text("items with the same value belong together", "LABEL")
    by: tuple[str, ...] = option(
        (),
        "compare the items of each value by themselves, too; --as muc: `selection` compares those "
        "of --only",
        metavar="LABEL",
        kind=names_in,
    )
    test: str = option(
        "auto",
        f"{', '.join(TESTS)} (default: auto, exact where possible)",
        metavar="TEST",
        choices=TEST_NAMES,
    )
    shuffles: int | None = _number(
        None, "shuffles or resamples (default: 9,999; auto draws until settled)", COUNT
    )
    seed: int = _number(0, "of the shuffles (default: 0)", SEED)
    alpha: float = _number(0.05, "level (default: 0.05)", ALPHA)
    tail: str = option(
        "two",
        "greater: the first system is better; with --baseline, the other one is (default: two)",
        choices=tuple(SIGNS),
    )
    correction: str = option(
        "holm",
        f"for many pairs: {', '.join(CORRECTIONS)} (default: holm)",
        metavar="NAME",
        choices=CORRECTIONS,
    )
    runs: str = option(
        "vary",
        "whether runs speak for the system (vary) or for themselves (fixed) (default: vary)",
        choices=("vary", "fixed"),
    )
    baseline: str | None = _text("compare only with this system", "NAME")
    min_confidence: float | None = _number(
        None,
        "call a pair different only when at least this confident that the exact test would",
        SHARE,
    )
    margin: float | None = _number(None, "a difference that would not matter", MARGIN)
    at_least: float | None = _number(
        None,
        "the score to reach (to stay under, if lower is better)",
        SCORE,
    )
    cannot_tell: str | None = option(
        None,
        "what a check does that cannot tell (default: fail with --margin)",
        choices=("pass", "fail"),
    )
    cost: tuple[str, ...] = option(
        (),
        "this value is what a system spends (cost, latency, tokens, … are known)",
        metavar="METRIC",
        kind=names_in,
    )
    intervals: bool = option(True, "confidence intervals of scores and differences")
    workers: int | None = _number(None, "threads (default: one per core)", WORKERS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", _names(self.by, "by", "label"))
        object.__setattr__(self, "cost", _names(self.cost, "cost", "metric"))
        for name, known in OPTIONS.items():
            object.__setattr__(self, name, known.checked(getattr(self, name)))
        self._check_combinations()

    def _check_combinations(self) -> None:
        """Refuse options that do not go together, in one sentence."""
        randomization = ", ".join(RANDOMIZATION)
        if self.at_least is not None and not self.intervals:
            raise UsageError("--at-least is decided by intervals: drop --no-intervals")
        if self.margin is not None and self.tail != "two":
            raise UsageError(f"--margin has tails of its own: drop --tail {self.tail}")
        if self.min_confidence is not None and self.test not in RANDOMIZATION:
            raise UsageError(f"--min-confidence goes with --test {randomization}, not {self.test}")
        if self.correction in JOINT and self.test != "auto":
            raise UsageError(
                f"--correction {self.correction} goes with --test auto, not {self.test}"
            )
        if self.correction == "tukey" and self.tail != "two":
            raise UsageError("--correction tukey is two-sided: use --tail two, or maxt")

    @property
    def sign(self) -> int:
        """0 for a two-sided test, 1 where the first system is claimed to be better, else -1."""
        return SIGNS[self.tail]

    def family_size(self, systems: int) -> int:
        """Return how many tests count together: all pairs, also where not all of them are made.

        One system has none.
        """
        return systems * (systems - 1) // 2 if self.baseline is None else systems - 1

    @property
    def fixed_shuffles(self) -> int:
        """How many shuffles are drawn where their number is fixed before."""
        return self.shuffles or DEFAULT_SHUFFLES

    def signature(self, exchanged: str, family_size: int, lower: tuple[str, ...]) -> list[str]:
        """Return what figures depend on: the parts of a comparison's signature.

        `exchanged` is what an item or a cluster is called, `lower` names values that count errors.

        >>> for part in Options(seed=3, baseline="old").signature("question", 2, ()):
        ...     print(part)
        auto test by question
        two-sided
        alpha 0.05
        corrected for 2 comparisons (holm)
        baseline old
        seed 3
        """
        shuffles = f", {self.shuffles} shuffles" if self.shuffles else ""
        chosen = {
            "runs": None if self.runs == "vary" else self.runs,
            "baseline": self.baseline,
            "margin": self.margin,
            "bar": self.at_least,
            "confidence": self.min_confidence,
            "lower-is-better": "+".join(lower) or None,
            "by": "+".join(self.by) or None,
            "cost": "+".join(self.cost) or None,
        }
        tests = [
            f"{self.test} test by {exchanged}{shuffles}",
            "two-sided" if self.tail == "two" else f"tail {self.tail}",
            f"alpha {self.alpha:g}",
            corrected_for(self.correction, family_size),
        ]
        return [
            *(tests if family_size else [f"by {exchanged}", f"alpha {self.alpha:g}"]),
            *(f"{name} {value}" for name, value in chosen.items() if value is not None),
            f"seed {self.seed}",
        ]


def corrected_for(correction: str, comparisons: int) -> str:
    """Return what p-values were corrected for, as a signature says it.

    >>> corrected_for("holm", 1), corrected_for("holm", 3)
    ('one comparison, no correction', 'corrected for 3 comparisons (holm)')
    """
    if comparisons == 1:
        return "one comparison, no correction"
    if correction == "none":
        return f"{comparisons} comparisons, no correction"
    return f"corrected for {comparisons} comparisons ({correction})"


def _names(given: Any, name: str, what: str) -> tuple[str, ...]:
    """Return the names that an option was given, each once."""
    return tuple(dict.fromkeys(one_or_several(given, str, name, what)))


OPTIONS: dict[str, Option] = {each.name: each for each in options_of(Options)}
"""What is known of each option, in the order of the help"""
DEFAULTS: dict[str, Any] = {name: each.default for name, each in OPTIONS.items()}
"""What each option is where nothing is said"""

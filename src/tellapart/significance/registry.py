"""The tests and the corrections by name: what `--test` and `--correction` take.

The command line makes its help from these records, so that nothing here loads numpy; the function
that makes a test is named by its place, and imported when the test is made.

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

Such a test is for scores that are means over items, as the textbook tests are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tellapart import plugins
from tellapart.errors import UsageError
from tellapart.words import nearest


@dataclass(frozen=True, slots=True)
class Test:
    """One test: its name, what it is, and the function that makes it.

    >>> find_test("exact").help
    'randomization, all exchanges counted, or an error that says why not'
    """

    __test__ = False  # pytest takes no notice of it

    name: str
    """What `--test` takes"""
    help: str
    """What it is, in a few words"""
    function: str | Callable[..., Any]
    """What makes it of many pairs, as ``module:function``; a plug-in's function of two arrays"""
    family: str
    """``randomization``, ``bootstrap``, ``textbook``, ``unpaired`` or ``plug-in``"""
    paired: bool = True
    """Whether it uses that both systems saw the same items"""

    def load(self) -> Callable[..., Any]:
        """Return the function; its module is imported only now."""
        if not isinstance(self.function, str):
            return self.function
        module, _, function = self.function.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), function)
        return found


_HERE = "tellapart.significance."
_AUTO, _EXACT, _SHUFFLE, _BOOTSTRAP, _TEXTBOOK, _UNPAIRED = (
    f"{_HERE}dispatch:{name}"
    for name in ("auto", "exact", "shuffle", "bootstrap", "textbook", "unpaired")
)

_TESTS = (
    Test("auto", "equal scores, by randomization, exact where possible", _AUTO, "randomization"),
    Test(
        "exact",
        "randomization, all exchanges counted, or an error that says why not",
        _EXACT,
        "randomization",
    ),
    Test("shuffle", "randomization by a fixed number of shuffles", _SHUFFLE, "randomization"),
    Test("bootstrap", "bootstrap of the signed difference", _BOOTSTRAP, "bootstrap"),
    Test(
        "bootstrap-abs",
        "bootstrap of the absolute difference, to repeat published figures only",
        _BOOTSTRAP,
        "bootstrap",
    ),
    Test("bootstrap-t", "bootstrap in standard errors", _BOOTSTRAP, "bootstrap"),
    Test("sign", "sign test: who won each item", _TEXTBOOK, "textbook"),
    Test("wilcoxon", "Wilcoxon's signed rank test", _TEXTBOOK, "textbook"),
    Test("t", "matched-pair t test", _TEXTBOOK, "textbook"),
    Test("mcnemar", "McNemar's test of right and wrong answers", _TEXTBOOK, "textbook"),
    Test("chi2", "chi-square test of right answers", _TEXTBOOK, "textbook", paired=False),
    Test("two-sample-t", "t test of independent systems", _TEXTBOOK, "textbook", paired=False),
    Test("binomial", "test of two proportions", _TEXTBOOK, "textbook", paired=False),
    Test(
        "unpaired",
        "randomization for systems that saw different items",
        _UNPAIRED,
        "unpaired",
        paired=False,
    ),
)


def _of(family: str) -> tuple[str, ...]:
    return tuple(test.name for test in _TESTS if test.family == family)


TESTS = tuple(test.name for test in _TESTS)
"""The tests that come with the package"""
RANDOMIZATION, BOOTSTRAP = _of("randomization"), _of("bootstrap")
INDEPENDENT = tuple(test.name for test in _TESTS if not test.paired)
"""Tests that ignore that both systems saw the same items"""
TEST_NAMES = plugins.Names(TESTS, plugins.TESTS)
"""All that `--test` takes, tests of other packages included"""


def find_test(name: str) -> Test:
    """Return the test with a name, of this package or of another one.

    >>> find_test("sign").paired
    True
    """
    for test in _TESTS:
        if test.name == name:
            return test
    found = plugins.find(plugins.TESTS, name)
    if found is None:
        raise UsageError(f"there is no test {name!r}; {nearest(name, list(TEST_NAMES))}")
    if not callable(found):
        raise UsageError(
            f"the plug-in {name!r} ({plugins.TESTS}) is no function but a "
            f"{type(found).__name__}; update or uninstall its package"
        )
    return Test(name, (found.__doc__ or "").strip().partition("\n")[0], found, "plug-in")


ADJUSTING = ("none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by")
"""Corrections that adjust p-values, whatever test they are from"""
JOINT = ("maxt", "maxt-single", "minp", "tukey")
"""Corrections that need all pairs under the same shuffles"""
CORRECTIONS = (*ADJUSTING, *JOINT)

INTERVALS = ("bca", "percentile", "basic")

"""The names of tests and corrections: what `--test` and `--correction` take.

The command line makes its help from these, so that nothing here loads numpy. Other packages add a
test by an entry point of the group ``tellapart.tests``. It names a function that gets the values of
the first system, item by item, those of the second, and the tail (``two``, ``greater`` or ``less``,
of the first minus the second), and returns p:

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
tests of all pairs itself, from whole scores, is a `tellapart.comparison.tests.PairTests`.
"""

from __future__ import annotations

from tellapart import plugins

TESTS = {
    "auto": "equal scores, by randomization, exact where possible",
    "exact": "randomization, all exchanges counted, or an error that says why not",
    "shuffle": "randomization by a fixed number of shuffles",
    "bootstrap": "bootstrap of the signed difference",
    "sign": "sign test: who won each item",
    "wilcoxon": "Wilcoxon's signed rank test",
    "t": "matched-pair t test",
    "mcnemar": "McNemar's test of right and wrong answers",
    "unpaired": "randomization for systems that saw different items",
}
"""The tests that come with the package, and what each is"""
RANDOMIZATION = ("auto", "exact", "shuffle")
TEST_NAMES = plugins.Names(tuple(TESTS), plugins.TESTS)
"""All that `--test` takes, tests of other packages included"""

JOINT = ("maxt", "tukey")
"""Corrections that need all pairs under the same shuffles"""
CORRECTIONS = ("none", "bonferroni", "holm", "bh", *JOINT)

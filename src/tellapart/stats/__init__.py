"""Statistics on arrays: tests, intervals and corrections that know no files and no options.

Each function takes arrays, with a value per item, and returns a small record: a `Test` with its
`p`, an `Interval` with its `ends`. What is to be said comes as codes and numbers.

Each layer of modules uses those before it:

- `result`, `streams`: records and checks, random numbers and the threads that draw them.
- `signed_sums`, `shuffles`: sums under all exchanges of items, or under drawn ones.
- `exchange`, `bootstrap`, `unpaired`, `parts`, `joint`, `paired`, `intervals`: tests and intervals.
- `margins`, `power`, `runs`, `ppi`, `judges`: questions that take several of these. Alone stand
  `corrections`, `bradley_terry`, `sequential` and `histogram`.

The names below are for everybody. `comparison` also uses classes of the modules: `FunctionTests`,
`LinearTests` and `SignedSum` test many pairs at once, `streams` makes its own draws.

- sign: which side a test looks at: 0 both, 1 that the first is better, -1 that the second is.
- shard: some 2,000 shuffles with a random stream of their own, whichever thread makes them.
- slack: how far a float may fall short of what was observed and still be tied with it.
- times: how many items, or draws, each entry stands for, where equal ones are held once.

>>> from tellapart import stats
>>> stats.sign_flip([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).p
0.0625
>>> [round(end, 4) for end in stats.wilson(45, 50).ends]
[0.7864, 0.9565]
"""

from tellapart.stats.bootstrap import bootstrap
from tellapart.stats.bradley_terry import bradley_terry
from tellapart.stats.corrections import adjust, groups, holm, letters
from tellapart.stats.exchange import exchange
from tellapart.stats.intervals import difference_interval, mean_interval, newcombe, tango, wilson
from tellapart.stats.joint import JointTest, max_t, tukey
from tellapart.stats.judges import Agreement, agreement, length_bias, position_bias
from tellapart.stats.margins import non_inferiority
from tellapart.stats.paired import mcnemar, mcnemar_range, paired_t, sign_test, wilcoxon
from tellapart.stats.power import detectable, needed, power
from tellapart.stats.ppi import ppi_mean
from tellapart.stats.result import Interval, Test
from tellapart.stats.runs import Spread, runs_test, spread
from tellapart.stats.sequential import Look, Sequential
from tellapart.stats.shuffles import confidence, p_interval
from tellapart.stats.signed_sums import sign_flip
from tellapart.stats.unpaired import dependence, unpaired

__all__ = [
    "Agreement",
    "Interval",
    "JointTest",
    "Look",
    "Sequential",
    "Spread",
    "Test",
    "adjust",
    "agreement",
    "bootstrap",
    "bradley_terry",
    "confidence",
    "dependence",
    "detectable",
    "difference_interval",
    "exchange",
    "groups",
    "holm",
    "length_bias",
    "letters",
    "max_t",
    "mcnemar",
    "mcnemar_range",
    "mean_interval",
    "needed",
    "newcombe",
    "non_inferiority",
    "p_interval",
    "paired_t",
    "position_bias",
    "power",
    "ppi_mean",
    "runs_test",
    "sign_flip",
    "sign_test",
    "spread",
    "tango",
    "tukey",
    "unpaired",
    "wilcoxon",
    "wilson",
]

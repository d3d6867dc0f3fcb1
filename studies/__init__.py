"""Published studies, done again: what comes out, what does not, and what the exact test adds.

Tests that only a paper needs are added by name, as those of other packages are.
"""

import os

from tellapart import plugins

# Before numpy is loaded: the matrices here are small, and threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

for _name, _place in {
    "bootstrap-abs": "studies.riezler.bootstraps:FOLDED",
    "bootstrap-t": "studies.riezler.bootstraps:STUDENTIZED",
    "two-sample-t": "studies.yeh.independent:t_of_items",
    "binomial": "studies.yeh.independent:proportions_of_items",
    "chi2": "studies.yeh.independent:chi_square_of_items",
}.items():
    plugins.add(plugins.TESTS, _name, _place)

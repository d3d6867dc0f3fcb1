"""The names that options take, where the command line can read them without loading numpy."""

from __future__ import annotations

RANDOMIZATION = ("auto", "exact", "shuffle")
BOOTSTRAP = ("bootstrap", "bootstrap-abs", "bootstrap-t")
CLASSICAL = ("sign", "wilcoxon", "t", "mcnemar", "chi2", "two-sample-t", "binomial")
INDEPENDENT = ("two-sample-t", "binomial", "chi2", "unpaired")
"""Tests that ignore that both systems saw the same items"""
TESTS = (*RANDOMIZATION, *BOOTSTRAP, *CLASSICAL, "unpaired")

ADJUSTING = ("none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by")
JOINT = ("maxt", "maxt-single", "minp", "tukey")
"""Corrections that need all pairs under the same shuffles"""
CORRECTIONS = (*ADJUSTING, *JOINT)

INTERVALS = ("bca", "percentile", "basic")

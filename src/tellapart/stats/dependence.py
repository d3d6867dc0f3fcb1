"""Whether values depend on a label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tellapart.stats import streams
from tellapart.stats.result import Floats, Test, codes, sample

_BATCH = 100  # permutations that are held at a time
_ROUNDING = 1e-9


def dependence(
    values: ArrayLike,
    labels: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    n_resamples: int = 1_999,
    rng: int = 0,
) -> Test:
    """Test whether the mean of values is the same under all labels, by permutations.

    The statistic is Welch's, each label with a variance of its own, so that one whose values merely
    vary more does not count as another; the variance of all values is added as one item of each
    label, since a label of few items may have none. Permutations suppose that the labels are alike
    in all but their mean, and of few items no statistic makes up for that: p is never below that of
    Welch's F, which supposes it of none.

    Args:
        values: the value of each item.
        labels: the label of each item.
        blocks: which items belong together. Labels of whole blocks are tested by the blocks' means,
            and any others within blocks alone.
        n_resamples: permutations to draw.
        rng: their seed.

    >>> values = [5, 6, 5, 6, 5, 6, 0, 1, 0, 1, 0, 1]
    >>> dependence(values, np.repeat(["x", "y"], 6)).p < 0.01
    True
    >>> dependence(values, np.tile(["x", "x", "y", "y"], 3)).p > 0.3
    True

    """
    scores = sample(values, "values").astype(np.float64)
    groups = codes(labels, len(scores))
    together = np.zeros(len(scores), np.int64)
    if blocks is not None:
        together = codes(blocks, len(scores))
        combined = np.unique(np.stack([together, groups]), axis=1).shape[1]
        if combined == together.max() + 1:  # a block has one label
            first = np.unique(together, return_index=True)[1]
            scores = np.bincount(together, scores) / np.bincount(together)
            groups, together = groups[first], np.zeros(len(first), np.int64)
    centred = scores - scores.mean()
    spread = float(centred @ centred) / len(scores)
    if spread == 0.0:
        return replace(Test.counted(1, 1), statistic=0.0)
    members = np.eye(int(groups.max()) + 1)[groups]  # items × labels
    statistic = float(_welch(centred[None], members, spread)[0])
    least = 0.0 if together.any() else _welch_p(centred, members, spread, statistic)
    generator = streams.generator(rng, streams.DEPENDENCE)
    by_block, reached = np.argsort(together, kind="stable"), 0
    for start in range(0, n_resamples, _BATCH):
        n = min(_BATCH, n_resamples - start)
        order = np.argsort(together + generator.random((n, len(scores))), axis=1)
        permuted = np.empty((n, len(scores)))
        permuted[:, by_block] = centred[order]
        found = _welch(permuted, members, spread)
        reached += int(np.count_nonzero(found >= statistic * (1 - _ROUNDING)))
    test = Test.drawn(reached, n_resamples, statistic=statistic)
    return replace(test, p=max(test.p or 0.0, least))


def _welch(values: Floats, members: Floats, spread: float) -> Floats:
    """Return Welch's statistic of rows of values: the weighted spread of the labels' means."""
    means, weights = _means_and_weights(values, members, spread)
    middle = (weights * means).sum(axis=1) / weights.sum(axis=1)
    return np.asarray((weights * (means - middle[:, None]) ** 2).sum(axis=1))


def _welch_p(values: Floats, members: Floats, spread: float, statistic: float) -> float:
    """Return p of Welch's F (1951), by his degrees of freedom."""
    from scipy.special import fdtrc

    labels = members.shape[1]
    if labels < 2:
        return 1.0
    weights = _means_and_weights(values[None], members, spread)[1][0]
    shares, sizes = weights / weights.sum(), members.sum(axis=0)
    unsure = float(((1 - shares) ** 2 / np.maximum(sizes - 1, 1)).sum())
    ratio = statistic / (labels - 1) / (1 + 2 * (labels - 2) / (labels**2 - 1) * unsure)
    return float(fdtrc(labels - 1, (labels**2 - 1) / (3 * unsure), ratio))


def _means_and_weights(values: Floats, members: Floats, spread: float) -> tuple[Floats, Floats]:
    """Return the mean of each label, rows × labels, and one over its variance."""
    sizes = members.sum(axis=0)
    means = values @ members / sizes
    squares = np.maximum(values**2 @ members - sizes * means**2, 0.0)
    return means, sizes**2 / (squares + spread)

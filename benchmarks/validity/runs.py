"""Epochs, runs and prompts: equal systems are seldom called different, and different ones found.

Right and wrong answers have effects of items, runs and prompts on the logit scale; decimals have
the same effects on a scale of their own. Chances are symmetric around one half, so that systems of
unequal spread are equally good.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity import Setting
from tellapart.stats.runs import runs_test

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Design:
    """How the answers of two systems are drawn; standard deviations are on the logit scale."""

    items: int = 100
    epochs: int = 1
    runs: tuple[int, int] = (1, 1)
    run_sd: tuple[float, float] = (0.0, 0.0)
    prompts: int = 1
    shared: bool = True
    """Whether both systems have the same prompts; if not, each has as many of its own"""
    prompt_sd: float = 0.0
    """Of what prompts do to both systems, or to one where they are its own"""
    pair_sd: float = 0.0
    """Of what shared prompts do to one system and not to the other"""
    run_prompt_sd: float = 0.0
    item_sd: float = 0.5
    """Of what items are to one system and not to the other"""
    decimals: bool = False
    gain: float = 0.0

    def draw(self, rng: np.random.Generator) -> list[NDArray[np.float64]]:
        """Return each system's values, conditions × runs × items, epochs averaged."""
        difficulty = rng.normal(0, 1.0, self.items)
        prompt = rng.normal(0, self.prompt_sd, (self.prompts, 1, 1))
        systems = []
        for k in range(2):
            if not self.shared:
                prompt = rng.normal(0, self.prompt_sd, (self.prompts, 1, 1))
            latent = difficulty + rng.normal(0, self.item_sd, self.items) + prompt
            latent = latent + rng.normal(0, self.pair_sd, (self.prompts, 1, 1))
            latent = latent + rng.normal(0, self.run_sd[k], (self.runs[k], 1))
            latent = latent + rng.normal(0, self.run_prompt_sd, (self.prompts, self.runs[k], 1))
            systems.append(self._answers(latent + self.gain * (k == 0), rng))
        return systems

    def _answers(
        self, latent: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        repeats = (self.epochs, *latent.shape)
        if self.decimals:
            values = np.round(0.5 + 0.2 * (latent + rng.normal(0, 1, repeats)), 2)
        else:
            values = (rng.random(repeats) < 1 / (1 + np.exp(-latent))).astype(np.float64)
        return np.asarray(values.mean(axis=0))


def called_different(sets: int, seed: int, *, design: Design) -> float:
    """Return the share of sets in which the systems are called different."""
    rng = np.random.default_rng(seed)
    tests = (runs_test(*design.draw(rng), crossed=design.shared) for _ in range(sets))
    return sum(test.p is not None and test.p <= ALPHA for test in tests) / sets


def relative_power(sets: int, seed: int, *, more: Design, less: Design) -> float:
    """Return how often a real difference is found, over how often it is with less data."""
    return called_different(sets, seed, design=more) / called_different(sets, seed, design=less)


def _level(
    name: str, design: Design, least: float = 0.0, small: int = 0, most: float = 0.06
) -> Setting:
    kind = "decimals" if design.decimals else "right/wrong"
    return Setting(
        f"equal, {kind}, {name}", partial(called_different, design=design), most, least, small=small
    )


def _least(replicates: int, near_none: bool = False) -> float:
    """Return the promised least level; two replicates, and components near 0, have none."""
    if near_none or replicates < 3:
        return 0.0
    return 0.03 if replicates == 3 else 0.04


_EPOCHS = Design(gain=0.47, item_sd=0.0)
_RIGHT_WRONG, _DECIMALS = Design(), Design(items=50, decimals=True)
_SHARED = Design(prompts=10, prompt_sd=1.0, pair_sd=0.1, gain=0.48)
_BOTH = Design(prompts=3, prompt_sd=0.6, pair_sd=0.2, runs=(3, 3), run_sd=(0.3, 0.3))

SETTINGS: tuple[Setting, ...] = (
    *(
        # A test of single right and wrong answers is discrete, so its level is below .05.
        _level(
            f"epochs: {epochs}",
            Design(epochs=epochs),
            0.04 if epochs > 1 else 0.0,
            400 * (epochs == 2),
        )
        for epochs in (1, 2, 5)
    ),
    *(
        Setting(
            f"a real difference, 100 items, epochs: {epochs}, found",
            partial(called_different, design=replace(_EPOCHS, epochs=epochs)),
            most=most,
            least=least,
        )
        for epochs, least, most in ((1, 0.24, 0.31), (2, 0.49, 0.57))
    ),
    *(
        Setting(
            f"a real difference, {more} epochs: power over that of {less}",
            partial(
                relative_power,
                more=replace(_EPOCHS, epochs=more),
                less=replace(_EPOCHS, epochs=less),
            ),
            most=math.inf,
            least=1.0,
            small=300 * (less == 1),
        )
        for more, less in ((2, 1), (5, 2))
    ),
    *(
        _level(
            f"{runs} runs, sd {sd:g}",
            replace(design, runs=(runs, runs), run_sd=(sd, sd)),
            _least(runs, sd == 0),
            400 * (runs == 5 and not design.decimals),
        )
        for design in (_RIGHT_WRONG, _DECIMALS)
        for runs in (2, 3, 5, 10)
        for sd in (0.0, 0.2, 0.6)
    ),
    *(
        _level(
            f"{runs[0]} runs, sd {sd[0]:g}; {runs[1]} runs, sd {sd[1]:g}",
            replace(design, runs=runs, run_sd=sd),
            _least(min(runs)),
            400 * (runs == (10, 3) and not design.decimals),
        )
        for design, several in (
            (_RIGHT_WRONG, ((2, 2), (3, 3), (5, 5), (10, 10), (2, 5), (5, 2), (3, 10), (10, 3))),
            (_DECIMALS, ((3, 3), (5, 5), (10, 3))),
        )
        for runs in several
        for sd in ((0.2, 0.6), (0.06, 0.6))
    ),
    *(
        _level(
            f"{prompts} prompts of its own each",
            replace(design, prompts=prompts, shared=False, prompt_sd=0.5),
            _least(prompts),
            400 * (prompts == 5 and not design.decimals),
        )
        for design in (_RIGHT_WRONG, _DECIMALS)
        for prompts in (3, 5, 10)
    ),
    *(
        _level(
            f"{prompts} shared prompts, pair sd {sd:g}",
            replace(design, prompts=prompts, prompt_sd=0.6, pair_sd=sd),
            _least(prompts, sd == 0),
            400 * (prompts == 5 and sd > 0 and not design.decimals),
        )
        for design in (_RIGHT_WRONG, _DECIMALS)
        for prompts in (3, 5, 10)
        for sd in (0.0, 0.4)
    ),
    *(
        _level(
            f"3 shared prompts × 3 runs, sd of both {sd:g}", replace(_BOTH, run_prompt_sd=sd), 0.03
        )
        for sd in (0.0, 0.5)
    ),
    Setting(
        "a real difference, 10 shared prompts that lie far apart: found",
        partial(called_different, design=_SHARED),
        least=0.85,
        small=200,
    ),
)

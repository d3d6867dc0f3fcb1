"""Riezler and Maxwell (2005): pitfalls in evaluation and significance testing for translation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.riezler.levels import experimentwise_error, per_comparison_level
from studies.riezler.material import drawn, muc4, read_folder
from studies.riezler.null_pairs import LEVELS, TESTS, NullTests, folded_rate
from studies.riezler.reranking import GAMMA
from studies.riezler.runs import (
    ListRuns,
    Runs,
    differences_needed,
    run_all,
    shared_error,
)
from studies.riezler.statements import statements
from studies.riezler.tables import sections

HAS_PICTURES: Final = False


def reproduce(request: Request) -> Reproduction:
    """Return the study done again: type-I errors, and which metric tells systems apart."""
    material = drawn(request.seed) if request.data is None else read_folder(request.data)
    runs = run_all(material, muc4(), request.seed, request.progress)
    return Reproduction(
        "riezler",
        "Riezler and Maxwell (2005): pitfalls in significance testing for MT",
        request.seed,
        tuple(sections(runs)),
        tuple(statements(runs)),
        _figures(runs),
        notices=material.counts.notices,
    )


def _figures(runs: Runs) -> dict[str, Any]:
    return {
        "systems": [{"name": name, "scores": scores} for name, scores in runs.scores.items()],
        "segments": len(runs.material.counts.items),
        "generated": not runs.material.real,
        "null_pairs": [_null(each) for each in runs.null_tests],
        "figure_2_in_theory": {str(level): folded_rate(level) for level in LEVELS},
        "pairs": [asdict(each) for each in runs.trials],
        "parametric": [
            {
                "differences": each.world.name,
                "sets": each.sets,
                "level": each.level,
                "power": each.power,
                "gain": each.gain,
                "gain_error": each.gain_error,
            }
            for each in runs.parametric
        ],
        "differences_needed": {
            str(k): asdict(differences_needed(k)) for k in (2, 3, 5, 10, 15, 17)
        },
        "multiplicity": [
            {
                "comparisons": k,
                "experimentwise_error": experimentwise_error(0.05, k),
                "level_for_05": per_comparison_level(0.05, k),
            }
            for k in (1, 3, 5, 10, 105, 136)
        ],
        "experimentwise_error_of_all_pairs": {str(k): shared_error(k) for k in (2, 3, 5, 15, 17)},
    }


def reranking_figures(runs: ListRuns) -> dict[str, Any]:
    """Return the reranking experiment for the record."""
    done = runs.reranking
    return {
        "trained_on": done.trained_on,
        "segments": len(done.counts.items),
        "candidates": done.candidates,
        "components": done.components,
        "phrases": done.phrases,
        "penalty": GAMMA,
        "systems": [
            {
                "name": each.name,
                "features": len(each.model.selected),
                "features_of_system_1": each.shared,
                "other_choices": each.other,
                "scores": runs.scores[each.name],
            }
            for each in done.systems
        ],
        "pairs": [asdict(each) for each in runs.trials],
    }


def _null(found: NullTests) -> dict[str, Any]:
    return {
        "of": found.material,
        "metric": found.metric,
        "pairs": found.pairs,
        "rates": {
            test: {str(level): found.rate(test, level) for level in LEVELS} for test in TESTS
        },
        "median_ratio_to_randomization": {test: found.median_ratio(test) for test in TESTS[1:]},
    }

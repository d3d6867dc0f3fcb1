"""Riezler and Maxwell (2005): pitfalls in evaluation and significance testing for translation."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.riezler.levels import experimentwise_error, per_comparison_level
from studies.riezler.material import LABELS, drawn, muc4, read_folder, read_lists
from studies.riezler.null_pairs import LEVELS, TESTS, NullTests, folded_rate
from studies.riezler.pictures import p_value_panel, quantiles_figure
from studies.riezler.reranking import GAMMA, STEPS
from studies.riezler.runs import (
    LEVEL,
    Runs,
    differences_needed,
    run_all,
    run_lists,
    shared_error,
)
from studies.riezler.statements import statements
from studies.riezler.tables import NAMES, reranking_sections, sections
from tellapart.report.figures.layout import standalone

HAS_PICTURES: Final = True


def reproduce(request: Request) -> Reproduction:
    """Return the study done again: type-I errors, and which metric tells systems apart."""
    if request.nbest is not None:
        return _rerank_lists(request, request.nbest)
    material = drawn(request.seed) if request.data is None else read_folder(request.data)
    runs = run_all(material, muc4(), request.seed, request.progress)
    return Reproduction(
        "riezler",
        "Riezler and Maxwell (2005): pitfalls in significance testing for MT",
        request.seed,
        tuple(sections(runs)),
        tuple(statements(runs)),
        _figures(runs),
        {_file_name(each): standalone(_picture(each)) for each in runs.null_tests},
        material.counts.notices,
    )


def _rerank_lists(request: Request, nbest: str) -> Reproduction:
    """Return the reranking of n-best lists, with tables 1 and 2."""
    material = read_lists(nbest, request.references)
    runs = run_lists(material, request.seed, request.progress)
    return Reproduction(
        "riezler",
        "Riezler and Maxwell (2005): n-best lists, reranked",
        request.seed,
        tuple(reranking_sections(runs)),
        (),
        {"reranking": _reranking(runs)},
        notices=material.counts.notices,
    )


def _file_name(found: NullTests) -> str:
    return re.sub(r"[^\w.@+-]+", "-", f"p-values-{found.material}-{found.metric}.svg")


def _picture(found: NullTests) -> str:
    """Return a picture of the p-values of the null pairs."""
    panels = [p_value_panel(NAMES[test], p, LEVEL) for test, p in found.p.items()]
    title = f"{LABELS[found.metric]} of {found.material}: p-values where nothing differs"
    remarks = "; ".join(f"{panel.name} rejects {panel.remark}" for panel in panels)
    return quantiles_figure(title, remarks, panels, f"p-values-{found.metric}")


def _figures(runs: Runs) -> dict[str, Any]:
    return {
        "systems": [{"name": name, "scores": scores} for name, scores in runs.scores.items()],
        "segments": len(runs.material.counts.items),
        "generated": not runs.material.real,
        "null_pairs": [_null(each) for each in runs.null_tests],
        "figure_2_in_theory": {str(level): folded_rate(level) for level in LEVELS},
        "pairs": [asdict(each) for each in runs.trials],
        "reranking": _reranking(runs),
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


def _reranking(runs: Runs) -> dict[str, Any] | None:
    """Return the reranking experiment for the record."""
    done, tried = runs.reranking, runs.reranked
    if done is None or tried is None:
        return None
    return {
        "trained_on": done.trained_on,
        "segments": len(done.counts.items),
        "candidates": done.candidates,
        "phrases": done.phrases,
        "penalty": GAMMA,
        "systems": [
            {
                "name": each.name,
                "added_at_once": STEPS.get(each.name, 1),
                "features": len(each.model.selected),
                "features_of_system_1": each.shared,
                "other_choices": each.other,
                "scores": tried.scores[each.name],
            }
            for each in done.systems
        ],
        "pairs": [asdict(each) for each in tried.trials],
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

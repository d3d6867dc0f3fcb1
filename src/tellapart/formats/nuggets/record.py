"""An evaluation as plain data, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tellapart.formats.coref.scores import CorefScores, blanc
from tellapart.formats.nuggets.attributes import ATTRIBUTE_SETS
from tellapart.formats.nuggets.averages import Averages, Figures, averages, tally, type_table
from tellapart.formats.nuggets.evaluation import Evaluation, Extras
from tellapart.formats.nuggets.paper_2015 import Accuracies, PaperDocument, paper_averages
from tellapart.formats.nuggets.scoring import ScoredDocument

Record = dict[str, Any]


def as_record(evaluation: Evaluation) -> Record:
    """Return what the report prints, as numbers; None where something is undefined."""
    options = evaluation.scoring.options
    record: Record = {
        "profile": options.profile.name,
        "mode": "token" if options.token_mode else "char",
    }
    if evaluation.paper is not None:
        record |= _paper(evaluation.paper)
    else:
        record |= _nuggets(evaluation.scoring.documents, evaluation.request.type_attributes)
    if evaluation.coref is not None:
        record["coref"] = coref_record(evaluation.coref)
    if evaluation.links is not None:
        record["sequencing"] = {
            name: {"p": links.precision, "r": links.recall, "f1": links.f1}
            for name, links in evaluation.links.items()
        }
    if evaluation.extras is not None:
        record["extras"] = _extras(evaluation.extras)
    record["warnings"] = [asdict(notice) for notice in evaluation.notices]
    return record


def _nuggets(documents: tuple[ScoredDocument, ...], type_attributes: str) -> Record:
    return {
        "documents": [
            {
                "doc": each.id,
                "n_gold": each.n_gold,
                "n_sys": each.n_system,
                "tp": {name: each.mappings[name].true_positives for name in ATTRIBUTE_SETS},
                "scores": {name: _figures(tally(each, name).figures()) for name in ATTRIBUTE_SETS},
            }
            for each in documents
        ],
        "averages": {
            name: _averages(averages(tally(each, name) for each in documents))
            for name in ATTRIBUTE_SETS
        },
        "types": {
            name: {
                "n_gold": each.n_gold,
                "n_sys": each.n_given,
                "tp": each.true_positives,
                **_figures(each.figures(1)),
            }
            for name, each in type_table(documents, type_attributes).items()
        },
    }


def _paper(documents: tuple[PaperDocument, ...]) -> Record:
    final = paper_averages(documents)
    return {
        "documents": [
            {
                "doc": each.id,
                "n_gold": each.n_gold,
                "n_sys": each.n_system,
                "tp": each.true_positives,
                "fp": each.false_positives,
                "type_correct": each.type_credit,
                "realis_correct": each.realis_credit,
                **_figures(each.tally.figures(1)),
            }
            for each in documents
        ],
        "micro": _figures(final.spans.micro) | _accuracies(final.micro),
        "macro": _figures(final.spans.macro) | _accuracies(final.macro),
    }


def coref_record(scores: CorefScores) -> Record:
    """Return coreference scores as plain data: sums, F1 from 0 to 1, and as printed."""
    parts = asdict(scores.counts)
    both = blanc(scores.counts)
    names = {"links": "blanc_coref_links", "gaps": "blanc_noncoref_links"}
    short = {
        "recall_part": "r_num",
        "recall_whole": "r_den",
        "precision_part": "p_num",
        "precision_whole": "p_den",
    }
    counts: Record = {
        names.get(name, name): {short[key]: value for key, value in sums.items()}
        for name, sums in parts.items()
    }
    counts["blanc"] = {"recall": both.recall, "precision": both.precision}
    return {
        "counts": counts,
        "f1": scores.f1,
        "f1_printed": scores.cut,
        "average_printed": round(scores.nugget_average, 2),
    }


def _extras(extras: Extras) -> Record:
    return {
        "literal_algorithm_2": _averages(extras.literal_algorithm_2),
        "multiplied": extras.multiplied,
        "exact_match": _figures(extras.exact_match),
    }


def _averages(both: Averages) -> Record:
    return {"micro": _figures(both.micro), "macro": _figures(both.macro)}


def _figures(figures: Figures) -> dict[str, float | None]:
    return {"p": figures.precision, "r": figures.recall, "f1": figures.f1}


def _accuracies(right: Accuracies) -> dict[str, float | None]:
    return {"type_accuracy": right.type, "realis_accuracy": right.realis}

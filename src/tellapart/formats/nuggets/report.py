"""The report in the layout of the public scorer, the comparison file, the bar chart and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from tellapart.formats.contract import Bar, BarChart, Group
from tellapart.formats.coref.measures import CorefScores, blanc
from tellapart.formats.nuggets.attributes import ATTRIBUTE_SETS, BOTH, PLAIN, REALIS, TYPE, Labels
from tellapart.formats.nuggets.evaluation import Evaluation, Extras
from tellapart.formats.nuggets.links import LinkScores
from tellapart.formats.nuggets.paper_2015 import (
    Accuracies,
    PaperDocument,
    multiplied,
    paper_averages,
)
from tellapart.formats.nuggets.scoring import (
    Averages,
    Figures,
    ScoredDocument,
    Scoring,
    averages,
    tally,
    type_table,
)
from tellapart.formats.nuggets.tbf import COREFERENCE, Document, Mention

_SET_WIDTH: Final = 18
_LABEL_WIDTH: Final = 26
_SCORE_NAMES: Final = "Prec  \tRec  \tF1   "
_BETWEEN_SETS: Final = "\t|\t"
_BAR_LABELS: Final = {
    PLAIN: "span",
    TYPE: "span + type",
    REALIS: "span + realis",
    BOTH: "all three",
}


def report_text(evaluation: Evaluation) -> str:
    """Return the whole report, with the sections that the request has."""
    if evaluation.paper is not None:
        text = paper_report(evaluation.paper)
    else:
        documents = evaluation.scoring.documents
        text = nugget_report(documents, evaluation.request.type_attributes)
    if evaluation.coref is not None:
        text += coref_report(evaluation.coref)
    if evaluation.links is not None:
        text += link_report(evaluation.links)
    if evaluation.extras is not None:
        text += "\n".join(_extras_lines(evaluation.extras)) + "\n"
    return text


def nugget_report(documents: Sequence[ScoredDocument], type_attributes: str = BOTH) -> str:
    """Return the mention scores as printed: per document, per type, and averaged."""
    sections = [
        "\n".join(_document_lines(documents)),
        "\n".join(_type_lines(documents, type_attributes)),
        "\n".join(_average_lines(documents)),
    ]
    return "{}\n\n\n{}\n\n{}\n".format(*sections)


def coref_report(scores: CorefScores) -> str:
    """Return the coreference scores as printed after the mention scores."""
    shown = scores.cut
    lines = [
        "",
        "=======Final Mention Coreference Results=========",
        *(
            f"Metric : {name}\tScore\t{shown[name]:.2f}{' *' if name == 'ceafm' else ''}"
            for name in ("bcub", "ceafe", "ceafm", "muc", "blanc")
        ),
        f"Overall Average CoNLL score\t{scores.nugget_average:.2f}",
        "",
        "* Score not included for final CoNLL score.",
    ]
    return "\n".join(lines) + "\n"


def link_report(scores: dict[str, LinkScores]) -> str:
    """Return the scores of After and Subevent links, and of both together, as printed."""
    lines = []
    for name, score in scores.items():
        cells = f"{score.f1:.2f}\t{score.precision:.2f}\t{score.recall:.2f}"
        lines += ["", f"=======Event Sequencing Results: {name}=========", "F1\tPrec\tRec", cells]
    return "\n".join(lines) + "\n"


def paper_report(documents: Sequence[PaperDocument]) -> str:
    """Return the figures of the 2015 paper as printed, on a scale from 0 to 1."""
    width = max((len(each.id) for each in documents), default=0)
    lines = [
        "========Document Mention Detection Results (pilot)==========",
        f"{'Doc ID':>{width}}\tTP\tFP\t#Gold\t#Sys\tPrec\tRec\tF1\tType\tRealis",
    ]
    for each in documents:
        accuracy = [
            credit / each.n_gold if each.n_gold else None
            for credit in (each.type_credit, each.realis_credit)
        ]
        counts = (
            f"{each.true_positives:.4f}\t{each.false_positives}\t{each.n_gold}\t{each.n_system}"
        )
        cells = _cells([*_values(each.tally.figures(1)), *accuracy], 4)
        lines.append(f"{each.id:>{width}}\t{counts}\t{cells}")
    final = paper_averages(documents)
    lines += ["", "=======Final Mention Detection Results (pilot)========="]
    lines.append(f"{'':>13}\tPrec\tRec\tF1\tType\tRealis")
    for name, figures, right in (
        ("Micro Average", final.spans.micro, final.micro),
        ("Macro Average", final.spans.macro, final.macro),
    ):
        lines.append(f"{name}\t{_cells([*_values(figures), right.type, right.realis], 4)}")
    return "\n".join(lines) + "\n"


def _document_lines(documents: Sequence[ScoredDocument]) -> list[str]:
    width = max((len(each.id) for each in documents), default=0)
    names = _BETWEEN_SETS.join(f"{name:>{_SET_WIDTH}}" for name in ATTRIBUTE_SETS)
    heads = _BETWEEN_SETS.join(_SCORE_NAMES for _ in ATTRIBUTE_SETS)
    lines = [
        "========Document Mention Detection Results==========",
        f"{'':>{width}}\t{names}",
        f"{'Doc ID':>{width}}\t{heads}",
    ]
    for each in documents:
        cells = (_cells(_values(tally(each, name).figures())) for name in ATTRIBUTE_SETS)
        lines.append(f"{each.id:>{width}}\t{_BETWEEN_SETS.join(cells)}")
    return lines


def _type_lines(documents: Sequence[ScoredDocument], attributes: str) -> list[str]:
    table = type_table(documents, attributes)
    lines = ["========Mention Type Results=========="]
    if table:
        width = max(map(len, table))
        lines.append(f"{'Type':>{width}}\tPrec\tRec\tF1\t#Gold\t#Sys")
    for name, each in table.items():
        cells = _cells([value or 0.0 for value in _values(each.figures(1))])
        lines.append(f"{name:>{width}}\t{cells}\t{each.n_gold}\t{each.n_given}")
    return lines


def _average_lines(documents: Sequence[ScoredDocument]) -> list[str]:
    lines = [
        "=======Final Mention Detection Results=========",
        f"{'':>{_LABEL_WIDTH}}\t{'Micro Average':>{_SET_WIDTH}}\t{'Macro Average':>{_SET_WIDTH}}",
        f"{'Attributes':>{_LABEL_WIDTH}}\t{_SCORE_NAMES}\t{_SCORE_NAMES}",
    ]
    for name in ATTRIBUTE_SETS:
        average: Averages = averages(tally(each, name) for each in documents)
        cells = _cells([*_values(average.micro), *_values(average.macro)])
        lines.append(f"{name:>{_LABEL_WIDTH}}\t{cells}")
    return lines


def _extras_lines(extras: Extras) -> list[str]:
    rows = {
        "Algorithm 2 as printed (pilot)": extras.literal_algorithm_2.micro,
        "Exact match of span and type": extras.exact_match,
    }
    multiplied_cell = _cells([extras.multiplied], 4)
    return [
        "",
        "=======Figures in no release of the public scorer (micro, 0-1)=========",
        "\tPrec\tRec\tF1",
        *(f"{name}\t{_cells(_values(figures), 4)}" for name, figures in rows.items()),
        f"Span F1 x type x realis accuracy (pilot)\t\t\t{multiplied_cell}",
    ]


def _values(figures: Figures) -> list[float | None]:
    return [figures.precision, figures.recall, figures.f1]


def _cells(values: Sequence[float | None], decimals: int = 2) -> str:
    return "\t".join("nan" if value is None else f"{value:.{decimals}f}" for value in values)


def comparison_text(scoring: Scoring, name: str, coref: bool) -> str:
    """Return the comparison file: gold and system mentions side by side, by the plain mapping.

    `name` is that of the system file, which starts each line.
    """
    lines = [
        line for document in scoring.documents for line in _comparison_lines(document, name, coref)
    ]
    return "".join(f"{line}\n" for line in lines)


def _comparison_lines(document: ScoredDocument, name: str, coref: bool) -> Iterator[str]:
    yield f"#BeginOfDocument {document.id}"
    partners = {gold: (own, dice) for gold, own, dice in document.mappings[PLAIN].links()}
    for i in range(document.n_gold):
        gold = _fields(document.gold, document.gold_labels, i)
        own, score = "-", "-"
        if i in partners:
            at, dice = partners[i]
            own, score = _fields(document.system, document.system_labels, at), f"{dice:.2f}"
        yield f"{name}\t{gold}\t|\t{own}\t{score}"
    mapped = {own for own, _ in partners.values()}
    for i in range(document.n_system):
        if i not in mapped:
            yield f"{name}\t-\t|\t{_fields(document.system, document.system_labels, i)}\t-"
    if coref:
        yield from _cluster_lines(document.gold, "gold")
        yield from _cluster_lines(document.system, "system")
    yield "#EndOfDocument "


def _fields(document: Document, labels: Labels, i: int) -> str:
    mention = document.mentions[i]
    return "\t".join((mention.id, _span(mention), labels.types[i], labels.realis[i], mention.text))


def _span(mention: Mention) -> str:
    if mention.tokens:
        return ",".join(mention.tokens)
    return ",".join(str(at) for begin, end in mention.pieces for at in range(begin, end))


def _cluster_lines(document: Document, side: str) -> Iterator[str]:
    texts = {mention.id: mention.text.replace(",", "") for mention in document.mentions}
    for relation in document.relations:
        if relation.name == COREFERENCE:
            members = ",".join(f"{i}:{texts[i]}" for i in relation.arguments if i in texts)
            yield f"@coref\t{side}\t{members}"


def bar_chart(evaluations: dict[str, Evaluation]) -> BarChart:
    """Return a chart of micro averages in per cent, the best system first; undefined ones are 0."""
    groups = sorted(
        (Group(name, _bars(each)) for name, each in evaluations.items()),
        key=lambda group: -group.bars[-1].value,
    )
    profile = next(iter(evaluations.values())).scoring.options.profile.name
    if profile == "pilot":
        title = "Event nuggets (pilot): span F1, and accuracy of type and realis"
        return BarChart(title, "per cent, micro average", tuple(groups), losses=False)
    title = f"Event nuggets ({profile}): F1 by what must be right"
    return BarChart(title, "F1 in per cent, micro average", tuple(groups), losses=True)


def _bars(evaluation: Evaluation) -> tuple[Bar, ...]:
    if evaluation.paper is None:
        documents = evaluation.scoring.documents
        scores = {
            label: averages(tally(each, name) for each in documents).micro.f1
            for name, label in _BAR_LABELS.items()
        }
        return tuple(Bar(label, value or 0.0) for label, value in scores.items())
    final = paper_averages(evaluation.paper)
    parts = {
        "span F1": final.spans.micro.f1,
        "type accuracy": final.micro.type,
        "realis accuracy": final.micro.realis,
        "multiplied": multiplied(final),
    }
    return tuple(Bar(label, 100 * (value or 0.0)) for label, value in parts.items())


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

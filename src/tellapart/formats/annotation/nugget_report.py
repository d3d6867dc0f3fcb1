"""The report in the layout of the public scorer, the comparison file, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tellapart.formats.annotation.clusters import (
    coref_record,
    coref_scores,
    printed_scores,
    summed,
)
from tellapart.formats.annotation.model import Document
from tellapart.formats.annotation.nuggets import (
    ATTRIBUTE_SETS,
    PLAIN,
    Evaluation,
    Label,
    ScoredDocument,
    averages,
    pilot_averages,
    pilot_figures,
    pilot_tally,
    tally,
    type_table,
)
from tellapart.formats.annotation.tbf import COREFERENCE, Mention

_SET_WIDTH: Final = 18
_LABEL_WIDTH: Final = 26
_SCORE_NAMES: Final = "Prec  \tRec  \tF1   "
_BETWEEN_SETS: Final = "\t|\t"


def report_text(evaluation: Evaluation) -> str:
    """Return the whole report, with the sections that were asked for."""
    text = (pilot_report if evaluation.pilot else nugget_report)(evaluation.documents)
    if evaluation.clusters:
        text += _coref_report(printed_scores(coref_scores(summed(evaluation.clusters))))
    return text


def nugget_report(documents: Sequence[ScoredDocument]) -> str:
    """Return the mention scores as printed: per document, per type, and averaged."""
    sections = _document_lines(documents), _type_lines(documents), _average_lines(documents)
    return "{}\n\n\n{}\n\n{}\n".format(*map("\n".join, sections))


def _coref_report(printed: Mapping[str, float]) -> str:
    lines = [
        "",
        "=======Final Mention Coreference Results=========",
        *(
            f"Metric : {name}\tScore\t{printed[name]:.2f}{' *' if name == 'ceafm' else ''}"
            for name in ("bcub", "ceafe", "ceafm", "muc", "blanc")
        ),
        f"Overall Average CoNLL score\t{printed['average']:.2f}",
        "",
        "* Score not included for final CoNLL score.",
    ]
    return "\n".join(lines) + "\n"


def pilot_report(documents: Sequence[ScoredDocument]) -> str:
    """Return the figures of the 2015 paper as printed, on a scale from 0 to 1."""
    width = max((len(document.id) for document in documents), default=0)
    lines = [
        "========Document Mention Detection Results (pilot)==========",
        f"{'Doc ID':>{width}}\tTP\tFP\t#Gold\t#Sys\tPrec\tRec\tF1\tType\tRealis",
    ]
    for document in documents:
        counts = (
            f"{pilot_tally(document).true_positives:.4f}\t{document.false_positives}\t"
            f"{document.n_gold}\t{document.n_system}"
        )
        cells = _cells(pilot_figures(document), 4)
        lines.append(f"{document.id:>{width}}\t{counts}\t{cells}")
    micro, macro = pilot_averages(documents)
    lines += ["", "=======Final Mention Detection Results (pilot)========="]
    lines.append(f"{'':>13}\tPrec\tRec\tF1\tType\tRealis")
    lines.append(f"Micro Average\t{_cells(micro, 4)}")
    lines.append(f"Macro Average\t{_cells(macro, 4)}")
    return "\n".join(lines) + "\n"


def _document_lines(documents: Sequence[ScoredDocument]) -> list[str]:
    width = max((len(document.id) for document in documents), default=0)
    names = _BETWEEN_SETS.join(f"{name:>{_SET_WIDTH}}" for name in ATTRIBUTE_SETS)
    heads = _BETWEEN_SETS.join(_SCORE_NAMES for _ in ATTRIBUTE_SETS)
    lines = [
        "========Document Mention Detection Results==========",
        f"{'':>{width}}\t{names}",
        f"{'Doc ID':>{width}}\t{heads}",
    ]
    for document in documents:
        cells = (_cells(tally(document, name).figures()) for name in ATTRIBUTE_SETS)
        lines.append(f"{document.id:>{width}}\t{_BETWEEN_SETS.join(cells)}")
    return lines


def _type_lines(documents: Sequence[ScoredDocument]) -> list[str]:
    table = type_table(documents)
    lines = ["========Mention Type Results=========="]
    width = max(map(len, table), default=0)
    if table:
        lines.append(f"{'Type':>{width}}\tPrec\tRec\tF1\t#Gold\t#Sys")
    for name, counts in table.items():
        cells = _cells([value or 0.0 for value in counts.figures(1)])
        lines.append(f"{name:>{width}}\t{cells}\t{counts.n_gold}\t{counts.n_given}")
    return lines


def _average_lines(documents: Sequence[ScoredDocument]) -> list[str]:
    lines = [
        "=======Final Mention Detection Results=========",
        f"{'':>{_LABEL_WIDTH}}\t{'Micro Average':>{_SET_WIDTH}}\t{'Macro Average':>{_SET_WIDTH}}",
        f"{'Attributes':>{_LABEL_WIDTH}}\t{_SCORE_NAMES}\t{_SCORE_NAMES}",
    ]
    for name in ATTRIBUTE_SETS:
        micro, macro = averages(tally(document, name) for document in documents)
        lines.append(f"{name:>{_LABEL_WIDTH}}\t{_cells([*micro, *macro])}")
    return lines


def _cells(values: Sequence[float | None], decimals: int = 2) -> str:
    return "\t".join("nan" if value is None else f"{value:.{decimals}f}" for value in values)


def comparison_text(documents: Sequence[ScoredDocument], name: str, coref: bool) -> str:
    """Return the comparison file: gold and system mentions side by side, by the plain mapping.

    `name` is that of the system file, which starts document line.
    """
    lines = (line for document in documents for line in _comparison_lines(document, name, coref))
    return "".join(f"{line}\n" for line in lines)


def _comparison_lines(document: ScoredDocument, name: str, coref: bool) -> Iterator[str]:
    yield f"#BeginOfDocument {document.id}"
    partners = {gold: (at, dice) for gold, at, dice in document.mappings[PLAIN].links()}
    for i in range(document.n_gold):
        gold = _fields(document.gold, document.gold_labels, i)
        response, score = "-", "-"
        if i in partners:
            at, dice = partners[i]
            response, score = _fields(document.system, document.system_labels, at), f"{dice:.2f}"
        yield f"{name}\t{gold}\t|\t{response}\t{score}"
    mapped = {at for at, _ in partners.values()}
    for i in range(document.n_system):
        if i not in mapped:
            yield f"{name}\t-\t|\t{_fields(document.system, document.system_labels, i)}\t-"
    if coref:
        yield from _cluster_lines(document.gold, "gold")
        yield from _cluster_lines(document.system, "system")
    yield "#EndOfDocument "


def _fields(document: Document[Mention], labels: Sequence[Label], i: int) -> str:
    mention = document.spans[i]
    offsets = (str(at) for begin, end in mention.pieces for at in range(begin, end))
    span = ",".join(mention.tokens or offsets)
    return "\t".join((mention.id, span, *labels[i], mention.text))


def _cluster_lines(document: Document[Mention], side: str) -> Iterator[str]:
    texts = {mention.id: mention.text.replace(",", "") for mention in document.spans}
    for link in document.links:
        if link.name == COREFERENCE:
            members = ",".join(f"{i}:{texts[i]}" for i in link.arguments if i in texts)
            yield f"@coref\t{side}\t{members}"


Record = dict[str, Any]


def as_record(evaluation: Evaluation) -> Record:
    """Return what the report prints, as numbers; None where something is undefined."""
    options = evaluation.options
    record: Record = {
        "profile": options.profile,
        "mode": "char" if options.tokens is None else "token",
        **(_pilot_record if evaluation.pilot else _nugget_record)(evaluation.documents),
    }
    if evaluation.clusters:
        record["coref"] = coref_record(summed(evaluation.clusters))
    return record


def _nugget_record(documents: Sequence[ScoredDocument]) -> Record:
    means = {name: averages(tally(each, name) for each in documents) for name in ATTRIBUTE_SETS}
    return {
        "documents": [
            {
                "doc": document.id,
                "n_gold": document.n_gold,
                "n_sys": document.n_system,
                "tp": {name: document.mappings[name].true_positives for name in ATTRIBUTE_SETS},
            }
            for document in documents
        ],
        "averages": {
            name: {"micro": both.micro._asdict(), "macro": both.macro._asdict()}
            for name, both in means.items()
        },
        "types": {
            name: {
                "n_gold": counts.n_gold,
                "n_sys": counts.n_given,
                "tp": counts.true_positives,
                **counts.figures(1)._asdict(),
            }
            for name, counts in type_table(documents).items()
        },
    }


def _pilot_record(documents: Sequence[ScoredDocument]) -> Record:
    micro, macro = pilot_averages(documents)
    rows = [
        {
            "doc": document.id,
            "n_gold": document.n_gold,
            "n_sys": document.n_system,
            "tp": pilot_tally(document).true_positives,
            "fp": document.false_positives,
            "type_correct": document.right[0],
            "realis_correct": document.right[1],
            **pilot_figures(document)._asdict(),
        }
        for document in documents
    ]
    return {"documents": rows, "micro": micro._asdict(), "macro": macro._asdict()}

"""The texts and labels of items, which all files must agree on where they matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tellapart.counts import ItemTexts
from tellapart.errors import DataError, Notice
from tellapart.formats.logs.kept_texts import is_label
from tellapart.formats.logs.log import Log, Sample
from tellapart.words import listed, several

_SHOWN = 60

Systems = Mapping[str, Sequence[Log]]


def _each(systems: Systems) -> Iterator[Sample]:
    for logs in systems.values():
        for log in logs:
            yield from log.samples


def first_samples(systems: Systems) -> dict[str, Sample]:
    """Return the first sample of each item, after checking that all have the same gold answer."""
    first: dict[str, Sample] = {}
    golds: dict[str, tuple[Sample, Sample]] = {}
    documents: dict[str, tuple[Sample, Sample]] = {}
    for sample in _each(systems):
        known = first.setdefault(sample.item, sample)
        if _differ(known.gold_print, sample.gold_print):
            golds.setdefault(sample.item, (known, sample))
        elif _differ(known.document_print, sample.document_print):
            documents.setdefault(sample.item, (known, sample))
    if golds:
        raise _golds_differ(*next(iter(golds.values())), len(golds))
    if documents:
        known, sample = next(iter(documents.values()))
        raise DataError(
            f"{sample.place}: the document is not the one in {known.place} (doc_hash differs); "
            f"the files disagree about {several(len(documents), 'item')}: compare runs on the "
            "same version of the data"
        )
    return first


def _golds_differ(known: Sample, sample: Sample, items: int) -> DataError:
    mine, other = _shortened(sample.gold), _shortened(known.gold)
    finding = f"the gold answer is {mine}, but {other} in {known.place}"
    if mine == other:
        what = "target_hash differs" if sample.gold == known.gold else "it differs further on"
        finding = f"the gold answer is not the one in {known.place} ({what})"
    return DataError(
        f"{sample.place}: {finding}; the files disagree about the gold answer of "
        f"{several(items, 'item')}: compare runs on the same version of the data"
    )


def _differ(one: str, other: str) -> bool:
    return bool(one) and bool(other) and one != other


def _shortened(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def prompts_notice(systems: Systems, first: Mapping[str, Sample]) -> Notice | None:
    """Return a notice if systems did not get the same prompts."""
    other = dict.fromkeys(
        sample.item
        for sample in _each(systems)
        if _differ(first[sample.item].prompt_print, sample.prompt_print)
    )
    if not other:
        return None
    text = f"The systems did not get the same prompts ({len(other)} of {len(first)} items differ)."
    return Notice("prompts-differ", text, tuple(other))


def item_labels(
    systems: Systems, items: Sequence[str]
) -> tuple[dict[str, tuple[str, ...]], Notice | None]:
    """Return what files say of items alike; what differs between them is no label."""
    found: dict[str, dict[str, str]] = {}
    differing: dict[str, str] = {}
    for sample in _each(systems):
        for name, text in sample.labels.items():
            if found.setdefault(name, {}).setdefault(sample.item, text) != text:
                differing.setdefault(name, sample.place)
    labels = {}
    for name, texts in found.items():
        if name not in differing and is_label(list(texts.values())):
            labels[name] = tuple(texts.get(item, "") for item in items)
    if not differing:
        return labels, None
    text = (
        f"What differs between systems or runs is no label of an item: "
        f"{listed(tuple(differing), 6)} "
        f"(as first seen in {next(iter(differing.values()))})."
    )
    return labels, Notice("labels-differ", text, tuple(differing))


def item_texts(
    systems: Systems, first: Mapping[str, Sample], items: Sequence[str]
) -> ItemTexts | None:
    """Return the prompts, the gold answers, and what each system answered in each run."""
    inputs = tuple(first[item].input for item in items)
    golds = tuple(first[item].gold for item in items)
    outputs = {}
    for name, logs in systems.items():
        answers: dict[str, list[str]] = {}
        for log in logs:
            for sample in log.samples:
                answers.setdefault(sample.item, []).append(sample.output)
        texts = tuple("\n".join(answers.get(item, ())) for item in items)
        if any(text.strip() for text in texts):
            outputs[name] = texts
    found = ItemTexts(inputs if any(inputs) else (), golds if any(golds) else (), outputs)
    return found if found != ItemTexts() else None

"""WikiEvents' scores of arguments: Head F1 and Coref F1, as in the scorer of gen-arg.

Events, with their triggers and types, are given; a system finds their arguments. An argument
matches by its head word where heads are given, else by its span; failing that, by a mention of the
same entity. Nothing is one-to-one: several predictions may match one gold argument, so that recall
can exceed 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.formats.records import parse_json
from tellapart.formats.templates.events import EventDocument, arguments, list_of, text_of
from tellapart.formats.templates.families import Corpus, Family, Row, f1_metrics
from tellapart.formats.templates.generated import load_ontology
from tellapart.formats.templates.layouts import ARGUMENTS, EVENTS
from tellapart.formats.templates.model import Document, Span
from tellapart.formats.templates.records import Record, read_records
from tellapart.words import listed

COLUMNS: Final = ("pred", "gold", "idn", "cls", "idn_coref", "cls_coref")
_ARTICLES: Final = ("the", "a", "an")

Argument = tuple[str, Span]
"""Role and span, the end not included"""


@dataclass(slots=True)
class Resources:
    """What arguments are matched with: heads, clusters of mentions, and the types that count."""

    heads: Mapping[str, Sequence[int]] | None = None
    """Document → the head of every token; None: spans are compared whole"""
    clusters: Mapping[str, Mapping[Span, int]] = field(default_factory=dict)
    """Document → span of a mention → its cluster"""
    types: frozenset[str] | None = None
    """Only events of these types count; None: all"""
    notices: list[Notice] = field(default_factory=list)
    above_one: bool = False
    """Whether it was said that recall can exceed 1"""


def head_of(span: Span, heads: Sequence[int]) -> Span:
    """Return the head word of a span: from its first token upwards, while that stays within it.

    >>> head_of((0, 3), [1, 2, 5]), head_of((0, 2), [4, 0])
    ((2, 3), (0, 1))
    """
    at = span[0]
    while span[0] <= heads[at] < span[1] and heads[at] != at:
        at = heads[at]
    return at, at + 1


def count_event(
    gold: Iterable[Argument],
    predicted: Iterable[Argument],
    tokens: Sequence[str],
    heads: Sequence[int] | None = None,
    clusters: Mapping[Span, int] | None = None,
) -> list[int]:
    """Return the counts of one event, in the order of the columns.

    >>> text = "the old rebels attacked".split()
    >>> count_event([("Attacker", (0, 3))], [("Target", (2, 3))], text, [2, 2, 3, 3])
    [1, 1, 1, 0, 0, 0]
    """
    clusters = clusters or {}
    own = {(role, head_of(span, heads) if heads else span) for role, span in predicted}
    right = {(role, _gold_span(span, tokens, heads)) for role, span in gold}
    spans = {span for _, span in right}
    known = {(role, clusters[span]) for role, span in right if span in clusters}
    entities = {cluster for _, cluster in known}
    row = [len(own), len(right), 0, 0, 0, 0]
    for role, span in own:
        if span in spans:
            row[2] += 1
            row[3] += (role, span) in right
        elif clusters.get(span) in entities:
            row[4] += 1
            row[5] += (role, clusters[span]) in known
    return row


def _gold_span(span: Span, tokens: Sequence[str], heads: Sequence[int] | None) -> Span:
    start, end = span
    if end - start > 1 and tokens and tokens[start].lower() in _ARTICLES:
        start += 1
    return head_of((start, end), heads) if heads and end - start > 1 else (start, end)


def count(
    gold: Document, predicted: Document, resources: Resources, *, coref: bool
) -> dict[str, Row]:
    """Return the counts of a document, whose events both sides have in the same order.

    With `coref`, arguments that match by coreference are among those that match.
    """
    row = [0] * len(COLUMNS)
    tokens = gold.tokens if isinstance(gold, EventDocument) else ()
    found = predicted.templates or (None,) * len(gold.templates)
    for event, own in zip(gold.templates, found, strict=True):
        if resources.types is not None and event.type not in resources.types:
            continue
        counts = count_event(
            arguments(event),
            arguments(own) if own is not None else (),
            tokens,
            resources.heads[gold.id] if resources.heads is not None else None,
            resources.clusters.get(gold.id),
        )
        for k, each in enumerate(counts):
            row[k] += each
    n_predicted, n_gold, identified, classified, corefer, same_role = row
    if coref:
        identified, classified = identified + corefer, classified + same_role
    if identified > n_gold and not resources.above_one:
        resources.above_one = True
        text = (
            f"In {gold.id} more arguments are right than gold has, since several predictions may "
            "match one gold argument; recall can exceed 1, as in the scorer of gen-arg."
        )
        resources.notices.append(Notice("recall-above-one", text, (gold.id,)))
    return {"all": (n_predicted, n_gold, identified, classified)}


def head_setting(corpus: Corpus) -> Resources:
    """Return the heads and the types of the files that options name."""
    options, gold = corpus.options, _event_documents(corpus)
    resources = Resources()
    if options.ontology is not None:
        resources.types = frozenset(load_ontology(options.ontology))
        types = {event.type or "" for document in corpus.gold for event in document.templates}
        unknown = tuple(sorted(types - resources.types))
        if unknown:
            text = (
                f"{shown(options.ontology)} has no type {listed(unknown, 5)}: events of a type "
                "that the ontology lacks do not count, nor what was predicted for them."
            )
            resources.notices.append(Notice("types-left-out", text, unknown))
    if options.heads is not None:
        resources.heads = read_heads(_content(options.heads), gold, shown(options.heads))
    else:
        text = "There are no --heads: arguments match by whole spans, not by head words."
        resources.notices.append(Notice("no-heads", text))
    return resources


def coref_setting(corpus: Corpus) -> Resources:
    """Return heads, types and clusters of mentions."""
    resources = head_setting(corpus)
    path = corpus.options.coref
    if path is None:
        raise UsageError("coref-i and coref-c need clusters of mentions: give --coref FILE")
    findings = Findings(strict=True)
    records = read_records(path, findings)
    resources.clusters = read_clusters(records, _event_documents(corpus), findings, shown(path))
    resources.notices += findings.notices()
    return resources


def _event_documents(corpus: Corpus) -> list[EventDocument]:
    """Return gold, whose events the predictions must have."""
    gold = [each for each in corpus.gold if isinstance(each, EventDocument)]
    for document in gold:
        if document.templates and not document.tokens:
            raise DataError(
                f"document {document.id!r} of gold has no 'tokens', which Head and Coref F1 need; "
                "add them"
            )
    for predicted in corpus.predicted:
        for wanted, own in zip(corpus.gold, predicted, strict=True):
            given, found = (
                [(each.type, each.trigger) for each in side.templates] for side in (wanted, own)
            )
            if found and given != found:
                raise UsageError(
                    f"Head and Coref F1 are of arguments of given events, and {wanted.id!r} has "
                    "other events in the predictions; tri-i, arg-c and their like can score them"
                )
    return gold


def _content(path: str) -> Any:
    with open_text(path) as stream:
        return parse_json(stream.read(), shown(path), "give a JSON file", line=1)


def read_heads(content: Any, gold: Iterable[EventDocument], place: str) -> dict[str, list[int]]:
    """Return the head of every token of each document; a root is its own head."""
    if not isinstance(content, dict):
        raise DataError(f"{place}: this is no object; give {{document: [head of every token]}}")
    found = {}
    for document in gold:
        name, n_tokens = document.id, len(document.tokens)
        heads = content.get(name)
        if not isinstance(heads, list) or len(heads) != n_tokens:
            raise DataError(
                f"{place}: {name!r} needs a list of {n_tokens} heads, one for each token; there "
                f"{'is none' if not isinstance(heads, list) else f'are {len(heads)}'}"
            )
        for each in heads:
            if type(each) is not int or not 0 <= each < n_tokens:
                raise DataError(
                    f"{place}: {each!r:.60} in {name!r} is no head; give the number of a token, "
                    "from 0, and of a root its own"
                )
        _refuse_circles(heads, name, place)
        found[name] = heads
    return found


def _refuse_circles(heads: Sequence[int], name: str, place: str) -> None:
    """Refuse tokens that head each other: from these, no walk up a tree ends."""
    done = bytearray(len(heads))  # 1: on the way, 2: known to end
    for start in range(len(heads)):
        path, at = [], start
        while not done[at]:
            done[at] = 1
            path.append(at)
            at = heads[at]
        if done[at] == 1 and heads[at] != at:
            raise DataError(
                f"{place}: token {at} of {name!r} is above itself by way of others; give the heads "
                "of a tree"
            )
        for each in path:
            done[each] = 2


def read_clusters(
    records: Iterable[Record], gold: Iterable[EventDocument], findings: Findings, path: str
) -> dict[str, dict[Span, int]]:
    """Return the cluster of each span of a mention, by document.

    Clusters without an informative mention are left out, as in the scorer of gen-arg; of a span in
    two clusters, the last counts.
    """
    of_name = {each.id: each for each in gold}
    found: dict[str, dict[Span, int]] = {}
    for record in records:
        place, row = f"{path}:{record.line}", record.value
        name = text_of(row, "doc_key", place, "the record")
        clusters = list_of(row, "clusters", place, "the record")
        informative = list_of(row, "informative_mentions", place, "the record")
        document = of_name.get(name)
        if document is None:
            findings.warn(f"{place}: document {name!r} is not in the gold file; it was left out")
            continue
        if len(informative) < len(clusters):
            findings.warn(
                f"{place}: there are {len(clusters)} clusters and {len(informative)} informative "
                "mentions; clusters beyond these were left out"
            )
        own = found.setdefault(name, {})
        for number, cluster in enumerate(clusters[: len(informative)]):
            for span in _spans(cluster, document, place):
                own[span] = number
    lacking = [name for name in of_name if name not in found]
    if lacking:
        findings.complain(
            f"{path}: there are no clusters of {listed(lacking, 5)}; give a line for every "
            "document of gold"
        )
    return found


def _spans(cluster: Any, document: EventDocument, place: str) -> Iterator[Span]:
    if not isinstance(cluster, list):
        raise DataError(f"{place}: a cluster is {cluster!r:.60}; give a list of ids of entities")
    for name in cluster:
        if str(name) not in document.entities:
            raise DataError(
                f"{place}: {name!r:.60} is no entity of {document.id!r}; give the ids of the gold "
                "file"
            )
        yield document.entities[str(name)]


def _family(name: str, setting: Callable[[Corpus], Resources], *, coref: bool) -> Family:
    metrics = [
        f1_metrics(
            f"{name}-{letter}",
            "",
            found=column,
            predicted="pred",
            hit=column,
            gold="gold",
            family=name,
        )
        for letter, column in (("i", "idn"), ("c", "cls"))
    ]
    return Family(
        name,
        frozenset((EVENTS, ARGUMENTS)),
        COLUMNS[:4],
        tuple(metric for part in zip(*metrics, strict=True) for metric in part),
        partial(count, coref=coref),
        setting,
        lambda resources: resources.notices,
        normalised=False,
        usual=2,
        signature=lambda options: "whole spans" if options.heads is None else "head words",
    )


HEAD: Final = _family("head", head_setting, coref=False)
COREF: Final = _family("coref", coref_setting, coref=True)

"""`--as simple-evals`: results of simple-evals, a row per sample, or `*_allresults.json`.

The file of all results has for each sample a conversation, a page with the score, and, in newer
versions, an object that names the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import INPUTS, Gathered, first_object, item_of, plain_text, text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, as_text, number
from tellapart.formats.logs.rows import Row, as_object, names_in, read_json, table_rows
from tellapart.formats.logs.totals import TotalsError, totals_sentence
from tellapart.formats.problems import Findings

SCORE: Final[Key] = ("score",)
_TOKENS: Final[Key] = ("total_tokens",)
_WHOLE: Final = frozenset({"score", "metrics", "htmls"})
"""What a file of all results begins with; its pages are long"""
_ITEM: Final = ("question_id", "prompt_id", "id", "example_id")
_PAGE_SCORE: Final = re.compile(r"Score:\s*([^<\s]+)")
_PAGE_GOLD: Final = re.compile(r"Correct Answer:\s*([^<]*)")
_TOTAL: Final = re.compile(r"(?P<name>.+):(std|bootstrap_std|n_samples)")


def _recognises(head: Head) -> bool:
    names = names_in(head)
    return names >= _WHOLE or (names >= {"score", "extracted_answer"} and "convo" in names)


def _refuses(head: Head) -> DataError | None:
    """Refuse the short file with the means."""
    tree = first_object(head)
    stated = [match["name"] for match in map(_TOTAL.fullmatch, tree) if match]
    if not stated or not all(isinstance(value, int | float | None) for value in tree.values()):
        return None
    remedy = "give the *_allresults.json of the same run instead"
    return TotalsError(totals_sentence(head, list(dict.fromkeys(stated)), remedy))


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    rows = list(table_rows(path, problems)) if _is_lines(path) else None
    if rows is not None:
        for row in rows:
            if "score" not in row.fields:
                problems.complain(f"{row.place}: the sample has no `score`; write it again")
            else:
                found.add(_row_sample(row, found))
    else:
        tree = as_object(read_json(path), shown(path))
        for sample in _page_samples(tree, found):
            found.add(sample)
    return found.logs(main=SCORE, lower=(_TOKENS,), costs=(_TOKENS,))


def _is_lines(path: str) -> bool:
    from tellapart.formats.head import read_head

    return not names_in(read_head(path)) >= _WHOLE


def _row_sample(row: Row, found: Gathered) -> Sample:
    asked = plain_text(row.fields.get("question")) or _asked(row.fields.get("convo"))
    gold = plain_text(row.fields.get("answer") or row.fields.get("correct_answer"))
    said = row.fields.get("extracted_answer")
    return Sample(
        text(row, *_ITEM) or _by_input(asked, found),
        found.values({SCORE: row.fields["score"], **_metrics(row.fields)}, row.place),
        row.place,
        input=asked,
        gold=gold,
        output=_said(row.fields.get("convo")) or ("" if said is None else as_text(said)),
        gold_print=gold,
        prompt_print=asked,
    )


def _by_input(asked: str, found: Gathered) -> str:
    found.pairing = INPUTS
    return item_of(asked)


def _metrics(fields: Mapping[str, Any]) -> dict[Key, Any]:
    metrics = fields.get("metrics")
    return {(name,): value for name, value in metrics.items()} if isinstance(metrics, dict) else {}


def _page_samples(tree: Mapping[str, Any], found: Gathered) -> Iterator[Sample]:
    """Yield the samples of a file of all results."""
    from html import unescape

    metadata = tree.get("metadata")
    listed = metadata.get("example_level_metadata") if isinstance(metadata, dict) else None
    convos, pages = (_a_list(tree.get(key)) for key in ("convos", "htmls"))
    examples = _a_list(listed)
    for k in range(max(len(convos), len(pages), len(examples))):
        place = f"{shown(found.path)}, sample {k + 1}"
        page = pages[k] if k < len(pages) and isinstance(pages[k], str) else ""
        example = examples[k] if k < len(examples) and isinstance(examples[k], dict) else {}
        convo = convos[k] if k < len(convos) else None
        score = example.get("score")
        if score is None:
            match = _PAGE_SCORE.search(page)
            score = number(match[1], {}) if match else None
        gold = example.get("correct_answer")
        if gold is None:
            match = _PAGE_GOLD.search(page)
            gold = unescape(match[1].strip()) if match else ""
        asked = _asked(convo) or plain_text(example.get("prompt"))
        named = next((as_text(example[key]) for key in _ITEM if example.get(key) is not None), "")
        usage = example.get("usage")
        fields: dict[Key, Any] = {SCORE: score}
        if isinstance(usage, dict) and "total_tokens" in usage:
            fields[_TOKENS] = usage["total_tokens"]
        yield Sample(
            named or _by_input(asked, found),
            found.values(fields, place),
            place,
            input=asked,
            gold=plain_text(gold),
            output=_said(convo),
            prompt_print=asked,
            gold_print=plain_text(gold),
        )


def _a_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _asked(convo: Any) -> str:
    """Return what was said to the model: the conversation without its last answer."""
    turns = [turn for turn in _a_list(convo) if isinstance(turn, dict)]
    while turns and turns[-1].get("role") == "assistant":
        turns = turns[:-1]
    if len(turns) == 1:
        return plain_text(turns[0].get("content"))
    return plain_text(turns) if turns else ""


def _said(convo: Any) -> str:
    turns = [turn for turn in _a_list(convo) if isinstance(turn, dict)]
    last = turns[-1] if turns and turns[-1].get("role") == "assistant" else {}
    return plain_text(last.get("content"))


FORMAT = log_format(
    "simple-evals",
    "results of simple-evals, JSONL or `*_allresults.json`",
    files="results of simple-evals",
    recognises=_recognises,
    read_file=_read_file,
    refuses=_refuses,
)

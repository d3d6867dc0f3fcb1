"""`--as langsmith`: an exported experiment of LangSmith, CSV or JSON, a row per run.

Runs have ids of their own in every experiment. Items are known by the example of the data set, or
else by their inputs.
"""

from __future__ import annotations

from typing import Any, Final

from tellapart.formats.head import Head
from tellapart.formats.logs.exports import INPUTS, Gathered, item_of, part, plain_text, text, under
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.rows import Row, names_in, table_rows
from tellapart.formats.problems import Findings

_FEEDBACK: Final = "feedback."
_INPUTS: Final = ("inputs.", "input.")
_OUTPUTS: Final = ("outputs.", "output.")
_GOLD: Final = ("reference.", "reference_outputs.")
_EXAMPLE: Final = ("example_id", "reference_example_id")
_COSTS: Final = (
    "latency", "execution_time", "total_tokens", "prompt_tokens", "completion_tokens",
    "total_cost", "prompt_cost", "completion_cost",
)  # fmt: skip
_LOWER: Final = tuple((name,) for name in _COSTS)


def _recognises(head: Head) -> bool:
    keys = names_in(head)
    return any(key.startswith(_FEEDBACK) for key in keys) and any(
        key in ("inputs", "input") or key.startswith(_INPUTS) for key in keys
    )


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    rows = [row for row in table_rows(path, problems) if found.is_new(row)]
    by_example = all(text(row, *_EXAMPLE) for row in rows)
    found.pairing = "" if by_example else INPUTS
    for row in rows:
        asked = _part(row, ("inputs", "input"), _INPUTS)
        gold = _part(row, ("reference_outputs", "reference"), _GOLD)
        feedback: dict[Key, Any] = {(key,): value for key, value in under(row, _FEEDBACK).items()}
        costs: dict[Key, Any] = {(key,): row.fields[key] for key in _COSTS if key in row.fields}
        found.add(
            Sample(
                text(row, *_EXAMPLE) if by_example else item_of(asked),
                found.values({**feedback, **costs}, row.place),
                row.place,
                error=text(row, "error"),
                input=asked,
                gold=gold,
                output=_part(row, ("outputs", "output"), _OUTPUTS),
                labels=found.labels(under(row, "metadata."), "metadata", row.place),
                prompt_print=asked,
                gold_print=gold,
            ),
            text(row, "experiment", "experiment_name", "session_name"),
        )
    return found.logs(lower=_LOWER, costs=_LOWER)


def _part(row: Row, whole: tuple[str, ...], prefixes: tuple[str, ...]) -> str:
    """Return the texts under a heading, which is one column or several."""
    parts = {
        name: value for name, value in under(row, *prefixes).items() if value not in (None, "")
    }
    if parts:
        return plain_text(parts)
    for name in whole:
        if part(row, name):
            return plain_text(part(row, name))
    return text(row, *whole)


FORMAT = log_format(
    "langsmith",
    "experiments of LangSmith, exported as CSV or JSON",
    files="experiments of LangSmith",
    recognises=_recognises,
    read_file=_read_file,
    suffixes=(".csv",),
)

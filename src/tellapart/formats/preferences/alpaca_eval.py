"""`--as alpaca-eval`: annotations of AlpacaEval, outputs against those of a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from tellapart.formats.contract import Sources
from tellapart.formats.head import Head
from tellapart.formats.logs.rows import Row
from tellapart.formats.preferences.judgment import (
    Collected,
    Judgment,
    glanced_rows,
    preference_format,
    preference_rows,
    refuse_same,
)
from tellapart.formats.problems import Findings
from tellapart.formats.sources import parse_source
from tellapart.options import NoOptions

_GENERATORS: Final = ("generator_1", "generator_2")
_KEYS: Final = frozenset({*_GENERATORS, "preference", "instruction"})


def _recognises(head: Head) -> bool:
    """Return whether these are annotations of AlpacaEval.

    >>> row = b'[{"instruction": "x", "generator_1": "a", "generator_2": "b", "preference": 1}]'
    >>> _recognises(Head("x", row, True))
    True
    """
    return any(map(_KEYS.issubset, glanced_rows(head)))


def _collect(sources: Sources, _: NoOptions, problems: Findings) -> Collected:
    """Read all files; prompts have no ids there, and are told apart by their texts."""
    found: list[Judgment] = []
    numbers: dict[str, str] = {}
    for each in sources.systems:
        source = parse_source(each)
        for path in source.paths:
            for row in preference_rows(path, problems):
                judgment = _judgment(row, source.name, numbers, problems)
                if judgment is not None and not refuse_same(judgment, problems):
                    found.append(judgment)
    references = {judgment.first for judgment in found}
    reference = next(iter(references)) if len(references) == 1 else None
    # Outputs are shown to the annotator in an order that the file does not tell.
    return Collected(found, ordered=False, reference=reference)


def _judgment(
    row: Row, name: str | None, numbers: dict[str, str], problems: Findings
) -> Judgment | None:
    """Return the judgment of one row, if it holds one; prompts get numbers as they come."""
    fields = row.fields
    texts = [fields.get(key) for key in (*_GENERATORS, "instruction")]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        problems.complain(
            f"{row.place}: an annotation has instruction, generator_1 and generator_2, all texts; "
            "write the row again"
        )
        return None
    points = _points(row, problems)
    if points is None:
        return None
    first, second, prompt = map(str, texts)
    return Judgment(
        numbers.setdefault(prompt, str(len(numbers) + 1)),
        first,
        name or second,
        points,
        row.place,
        labels={key: str(fields[key]) for key in ("dataset", "annotator") if fields.get(key)},
        input=prompt,
        outputs=_outputs(fields),
    )


def _points(row: Row, problems: Findings) -> float | None:
    """Return the points of the first: 1 for a preference of 1, 0 for one of 2, or between."""
    lean = row.fields.get("preference")
    if isinstance(lean, str) and not lean.strip():
        lean = None
    if lean is None or (isinstance(lean, float) and math.isnan(lean)):
        problems.warn(f"{row.place}: the annotator gave no preference; the row was left out")
        return None
    try:
        number = math.nan if isinstance(lean, bool) else float(lean)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if number == 0:
        return 0.5
    if 1 <= number <= 2:
        return 2 - number
    problems.complain(
        f"{row.place}: the preference is {lean!r}, and AlpacaEval's are 1 (the first), 2 (the "
        "second), between them, or 0 for a tie"
    )
    return None


def _outputs(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    one, other = fields.get("output_1"), fields.get("output_2")
    return (one, other) if isinstance(one, str) and isinstance(other, str) else None


FORMAT = preference_format(
    "alpaca-eval",
    "annotations of AlpacaEval, JSON",
    recognises=_recognises,
    collect=_collect,
)

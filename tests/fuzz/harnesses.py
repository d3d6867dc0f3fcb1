"""Targets for the results of evaluation harnesses, made in one way: a tree or rows per system.

To add a harness, write a function that makes what one system's file holds, and yield a target:

    yield target("promptfoo", "json", _promptfoo_tree)

The second opinion is the same for all of JSON: keys and types as they were. What `fixed` returns
may not be otherwise (versions, totals that rows must fit), and what `unique` returns for a row
may not be there twice.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import harness_files as made

from .damage import BYTES, KEYED, PLAIN
from .soundness import NotSoundError, any_text, json_rows, no_repeats, parsed, shape, text_of
from .target import File, Sound, Target

ITEMS = 8
SYSTEMS = ("alder", "birch")

Fixed = Callable[[Any], Hashable]
Unique = Callable[[Any], Hashable]


def right(system: int, item: int) -> bool:
    """Return whether a system is right about an item: some are right for one of the two only."""
    return bool((item * 3 + system) % 4 // 2)


def harness_targets() -> Iterator[Target]:
    """Yield the targets of all harnesses that have one file per system."""
    yield target("promptfoo", "json", lambda k, name: made.promptfoo({name: _all(k)}))
    yield target("promptfoo", "jsonl", lambda k, name: made.promptfoo_rows({name: _all(k)}))
    yield target(
        "promptfoo", "csv", lambda k, name: made.promptfoo_csv({name: _all(k)}), sound=any_text
    )
    yield target("deepeval", "json", lambda k, name: made.deepeval(name, _all(k)))
    yield target("ragas", "jsonl", lambda k, _: made.ragas_rows(_all(k)))
    yield target("ragas", "csv", lambda k, _: made.ragas_csv(_all(k)), sound=any_text)
    yield target("humaneval", "jsonl", lambda k, _: made.humaneval_rows([_all(k)]))
    yield target("evalplus", "json", lambda k, _: made.evalplus([_all(k)]))
    yield target("swe-bench", "json", lambda k, _: made.swebench(_all(k)))
    yield target("helm", "json", lambda k, _: made.helm_stats([_all(k)]))
    yield _lighteval()


def _all(system: int) -> list[bool]:
    return [right(system, item) for item in range(ITEMS)]


def _lighteval() -> Target:
    """Return the target of a format that is binary, with checksums."""
    import pyarrow.parquet as pq

    files = []
    for k, name in enumerate(SYSTEMS):
        stream = io.BytesIO()
        pq.write_table(made.lighteval_table(_all(k)), stream, write_page_checksum=True)
        files.append(File(f"{name}.parquet", stream.getvalue(), None, BYTES, also=(name,)))
    names = tuple(file.name for file in files)
    return Target("lighteval", "lighteval", tuple(files), names, names)


def target(
    form: str,
    kind: str,
    make: Callable[[int, str], Any],
    *,
    name: str = "",
    fixed: Fixed = lambda _: None,
    unique: Unique | None = None,
    rows: Callable[[Any], Sequence[Any]] = lambda tree: tree,
    verbs: tuple[str, ...] = ("score", "compare"),
    sound: Sound | None = None,
) -> Target:
    """Return the target of a harness: a file of each system, of `kind` json, jsonl or csv.

    `make` returns what the file of a system holds, by its number and its name: a tree of JSON, a
    list of rows, or lines of CSV, of which `sound` is the second opinion. `rows` are those of a
    tree, which `unique` names.
    """
    files = []
    for k, system in enumerate(SYSTEMS):
        held = make(k, system)
        file = f"{system}.{kind}"
        if kind == "csv":
            files.append(File(file, "".join(held).encode(), sound, PLAIN, also=(system,)))
        elif kind == "jsonl":
            text = "".join(json.dumps(row) + "\n" for row in held)
            sound = json_rows(unique, fixed)
            files.append(File(file, text.encode(), sound, KEYED, also=(system,)))
        else:
            text = json.dumps(held)
            files.append(
                File(file, text.encode(), sound_tree(fixed, unique, rows), KEYED, also=(system,))
            )
    names = tuple(file.name for file in files)
    return Target(name or f"{form}-{kind}", form, tuple(files), names, names, verbs)


def sound_tree(
    fixed: Fixed = lambda _: None,
    unique: Unique | None = None,
    rows: Callable[[Any], Sequence[Any]] = lambda tree: tree,
) -> Sound:
    """Return a check of one JSON document: keys and types as they were, and nothing twice."""

    def sound(data: bytes, original: bytes) -> bool:
        try:
            found, known = (parsed(text_of(each) or "") for each in (data, original))
        except NotSoundError:
            return False
        return (
            shape(found) == shape(known)
            and fixed(found) == fixed(known)
            and (unique is None or no_repeats(map(unique, rows(found))))
        )

    return sound

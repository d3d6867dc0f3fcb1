"""Targets for small harnesses and for exports of platforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import export_files

from .harnesses import ITEMS, target
from .soundness import NotSoundError, parsed, text_of
from .target import File, Target


def export_targets() -> Iterator[Target]:
    """Yield the targets, one for each dress of a format."""
    yield target("livebench", "jsonl", _made(export_files.livebench))
    yield target("mt-bench", "jsonl", _made(export_files.mt_bench))
    yield target("every-eval-ever", "jsonl", _made(export_files.every_eval_ever))
    yield _mteb()


def _mteb() -> Target:
    """Return the target of predictions of MTEB, whose judgements are sound."""
    made = target("mteb", "json", _made(export_files.mteb_predictions))
    judged = "".join(export_files.mteb_judgements(ITEMS)).encode()
    gold = ("--gold", "qrels.tsv")
    runs = (replace(file, sound=_sound_rankings) for file in made.files)
    return replace(
        made,
        files=(*runs, File("qrels.tsv", judged, fixed=True)),
        arguments=(*gold, *made.arguments),
        validated=(*gold, *made.arguments),
    )


def _sound_rankings(data: bytes, _: bytes) -> bool:
    """Accept any documents with finite numbers, in one split of one subset."""
    try:
        tree = parsed(text_of(data) or "")
    except NotSoundError:
        return False
    splits = [s for key, s in tree.items() if key != "mteb_model_meta"] if "mteb_model_meta" in (
        tree
    ) else []  # fmt: skip
    if len(splits) != 1 or not isinstance(splits[0], dict) or len(splits[0]) != 1:
        return False
    queries = next(iter(splits[0].values()))
    return isinstance(queries, dict) and all(
        isinstance(ranked, dict)
        and all(type(n) in (int, float) and isfinite(n) for n in ranked.values())
        for ranked in queries.values()
    )


def _made(make: Callable[[list[bool], str], Any]) -> Callable[[int, str], Any]:
    return lambda k, system: make(export_files.right_items(k, ITEMS), system)

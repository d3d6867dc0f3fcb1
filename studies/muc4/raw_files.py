"""The counts of MUC-4: built in, or scored anew from a folder of raw files; and which set they are.

Raw files tell more than the built-in counts: the rows of the summary, and templates and slots as
observations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.reading import example
from tellapart.words import listed

if TYPE_CHECKING:
    from studies.muc3.appositives import Contrast

TST3, TST4 = "TST3", "TST4"
ITEMS: Final = ("message", "template", "slot")
"""What an observation can be (section 4.4 of the paper of 1993), the largest first"""
ROWS: Final = {
    "matched-only": "MATCHED ONLY", "matched-missing": "MATCHED/MISSING",
    "matched-spurious": "MATCHED/SPURIOUS", "all-templates": "ALL TEMPLATES",
}  # fmt: skip
_PARTS: Final = ("key.txt", "history.txt", "replay.json", "responses")
_SET: Final = re.compile(r"(TST\d+)-")
_TEXTS: Final = "texts.txt"
_KEY_OF_MUC3: Final = "keys/tst2.txt"


@dataclass(frozen=True, slots=True)
class Results:
    """Counts of all systems by message, and what raw files tell beyond them."""

    counts: Counts
    rows: Mapping[str, Counts] = field(default_factory=dict)
    """By row of the summary; empty without raw files"""
    observations: Mapping[str, Counts] = field(default_factory=dict)
    """By what an observation is; empty without raw files"""
    muc3_key: tuple[int, int] | None = None
    """Relevant messages and templates in the key of TST2, the test of MUC-3, where it is at hand"""
    appositives: tuple[Contrast, ...] = ()
    """Kinds of appositives against each other, where the texts are at hand, texts.txt"""

    @property
    def test_set(self) -> str | None:
        """The set of messages by its name, as their numbers have it; None if they do not tell."""
        return set_name(self.counts)


def set_name(counts: Counts) -> str | None:
    """Return the test set that all messages belong to, by how they are numbered.

    >>> set_name(example("muc4"))
    'TST3'
    """
    found = {match[1] if (match := _SET.match(item)) else None for item in counts.items}
    return found.pop() if len(found) == 1 else None


def irrelevant(counts: Counts) -> int:
    """Return the number of messages in which there was nothing to find, for any system.

    >>> irrelevant(example("muc4"))
    31
    """
    return int((counts.column("pos").max(axis=0) == 0).sum())


def read_results(folder: str | None) -> Results:
    """Return the built-in results, or those of a folder of raw files."""
    return Results(example("muc4")) if folder is None else read_folder(folder)


def read_folder(folder: str) -> Results:
    """Return the results of a folder's responses, scored as in 1992, in the order of then.

    The folder holds the answer key, the history of human decisions, the data of the replay and one
    file of responses per system; it may also be the folder `tst3` inside of the one named.
    """
    from studies.muc3 import appositives
    from tellapart.formats.templates.counts import run_counts
    from tellapart.formats.templates.evaluation import read_evaluation
    from tellapart.formats.templates.format import TemplateOptions

    place = _place(Path(folder))
    key, history, replay, responses = (place / part for part in _PARTS)
    systems = sorted(responses.glob("*.txt"))
    _check_systems(folder, [path.stem for path in systems])
    texts = place / _TEXTS
    named = str(texts) if texts.is_file() else None
    options = TemplateOptions(history=str(history), replay=str(replay), texts=named)
    evaluation = read_evaluation(str(key), tuple(systems), options)
    runs = evaluation.score()
    rows = {row: run_counts(runs, "message", row, None) for row in ROWS}
    smaller = {item: run_counts(runs, item, "all-templates", None) for item in ITEMS[1:]}
    counts = rows["all-templates"]
    counts = replace(counts, notices=(*counts.notices, *evaluation.notices))
    found: tuple[Contrast, ...] = ()
    if given := evaluation.corpus.texts():
        messages = {name: " ".join(text.split()) for name, text in given.items()}
        places = appositives.find(messages, evaluation.key.messages, evaluation.design)
        found = appositives.contrasts(runs, places)
    return Results(counts, rows, {ITEMS[0]: counts, **smaller}, _muc3_key(place), found)


def _muc3_key(place: Path) -> tuple[int, int] | None:
    """Return the relevant messages and the templates of the key of TST2 beside this set."""
    from tellapart.formats.problems import Findings
    from tellapart.formats.templates.design import load_design
    from tellapart.formats.templates.muc_reader import read_templates

    for path in (place / _KEY_OF_MUC3, place.parent / _KEY_OF_MUC3):
        if path.is_file():
            messages = read_templates(str(path), load_design(), Findings()).messages
            filled = [each for known in messages.values() for each in known if each.relevant]
            return len({each.message for each in filled}), len(filled)
    return None


def _place(folder: Path) -> Path:
    for place in (folder, folder / "tst3"):
        lacking = [part for part in _PARTS if not (place / part).exists()]
        if not lacking:
            return place
    if not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder; --data names a folder of raw files")
    lacking = [part for part in _PARTS if not (folder / part).exists()]
    raise DataError(
        f"{folder}: the folder lacks {listed(lacking)}; the study needs key.txt, history.txt, "
        "replay.json and responses/ with one NAME.txt per system"
    )


def _check_systems(folder: str, names: list[str]) -> None:
    """Refuse other systems than those that the papers speak of."""
    known = set(example("muc4").names)
    if lacking := sorted(known - set(names)):
        raise DataError(
            f"{folder}: responses/ lacks {listed(lacking)}; the papers speak of all 17 systems "
            "(compare others with `tellapart compare --as muc`)"
        )
    if added := sorted(set(names) - known):
        raise DataError(
            f"{folder}: responses/ has {listed(added)}, not among the 17 systems of the papers; "
            "compare them with `tellapart compare --as muc`"
        )

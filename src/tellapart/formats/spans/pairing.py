"""The lines of several span files paired by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.spans.files import SpanFile, SpanLine
from tellapart.words import listed, several

_SHOWN: Final = 40  # characters of a text in a message
_IDS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class PairedLines:
    """The lines that are scored, file by file; None for a text that a file lacks."""

    items: tuple[str, ...]
    gold: list[SpanLine]
    systems: list[list[SpanLine | None]]
    key: str | None
    notices: tuple[Notice, ...]


def pair_lines(gold: SpanFile, systems: Sequence[SpanFile], missing: str) -> PairedLines:
    """Return the lines of each text that the gold accepts, from all systems' files."""
    key = _key([gold, *systems])
    wanted, *found = (_by_id(file, key) for file in (gold, *systems))
    for file, lines in zip(systems, found, strict=True):
        _check_texts(file, lines, gold, wanted)
    notices = [_left_out(gold)]
    items = [item for item, line in wanted.items() if line.answer == "accept"]
    if not items:
        raise DataError(f"{shown(gold.path)}: no text was accepted; there is nothing to score")
    for file, lines in zip(systems, found, strict=True):
        notices.append(_extra(file, lines, gold, wanted, missing))
        notices.append(_rejected(file, [lines[item] for item in items if item in lines]))
    items, notice = _without_missing(items, systems, found, missing)
    return PairedLines(
        tuple(items),
        [wanted[item] for item in items],
        [[lines.get(item) for item in items] for lines in found],
        key,
        tuple(each for each in (*notices, notice) if each is not None),
    )


def _key(files: Sequence[SpanFile]) -> str | None:
    """Return what names a line: an id that all have; None for its place in the file."""
    for key in ("id", "meta.id"):
        if all(key in line.ids for file in files for line in file.lines):
            return key
    hashes = [[line.ids.get("_input_hash") for line in file.lines] for file in files]
    # The same text twice has the same hash; only its place tells which is which.
    unique = all(None not in some and len(set(some)) == len(some) for some in hashes)
    return "_input_hash" if unique else None


def _by_id(file: SpanFile, key: str | None) -> dict[str, SpanLine]:
    lines: dict[str, SpanLine] = {}
    for place, line in enumerate(file.lines, 1):
        item = str(place) if key is None else line.ids[key]
        if item in lines:
            raise DataError(
                f"{file.place(line)}: the {key} {item!r} appears twice, first in "
                f"{file.place(lines[item])}; give each text its own"
            )
        lines[item] = line
    return lines


def _check_texts(
    file: SpanFile, lines: Mapping[str, SpanLine], gold: SpanFile, wanted: Mapping[str, SpanLine]
) -> None:
    for item, line in lines.items():
        if item in wanted and line.text != wanted[item].text:
            raise DataError(
                f"{file.place(line)}: the text is {line.text[:_SHOWN]!r}, but "
                f"{wanted[item].text[:_SHOWN]!r} in {gold.place(wanted[item])}; give the same "
                'texts, in the same order or with an "id"'
            )


def _left_out(file: SpanFile) -> Notice | None:
    """Return a notice of the lines that were rejected or ignored."""
    numbers = [
        f"{number} {answer}{'d' if answer.endswith('e') else 'ed'}"
        for answer in ("reject", "ignore")
        if (number := sum(line.answer == answer for line in file.lines))
    ]
    if not numbers:
        return None
    text = f"Left out, of the lines of {shown(file.path)}: {' and '.join(numbers)}."
    return Notice("left-out", text, (shown(file.path),))


def _rejected(file: SpanFile, lines: Sequence[SpanLine]) -> Notice | None:
    """Return a notice that a system's own rejections do not change the test set."""
    number = sum(line.answer != "accept" for line in lines)
    if not number:
        return None
    text = (
        f"{several(number, 'line')} of {shown(file.path)} {'is' if number == 1 else 'are'} marked "
        "as rejected or ignored, but scored: only the gold says what is left out."
    )
    return Notice("answer", text, (shown(file.path),))


def _extra(
    file: SpanFile,
    lines: Mapping[str, SpanLine],
    gold: SpanFile,
    wanted: Mapping[str, SpanLine],
    missing: str,
) -> Notice | None:
    """Refuse texts that the gold lacks, or return a notice that they are not scored."""
    extra = tuple(item for item in lines if item not in wanted)
    if not extra:
        return None
    texts = f"{several(len(extra), 'text')} that {shown(gold.path)} lacks: "
    texts += listed(extra, _IDS_SHOWN)
    if missing == "error":
        raise DataError(
            f"{file.place(lines[extra[0]])}: the file has {texts}; give gold for them, or "
            "--missing drop leaves them out"
        )
    return Notice("extra", f"Not scored, in {shown(file.path)}: {texts}.", extra)


def _without_missing(
    items: list[str],
    systems: Sequence[SpanFile],
    found: Sequence[Mapping[str, SpanLine]],
    missing: str,
) -> tuple[list[str], Notice | None]:
    """Return the texts to score, by the policy for those that a system lacks."""
    lacking: dict[str, None] = {}
    for file, lines in zip(systems, found, strict=True):
        here = [item for item in items if item not in lines]
        if here and missing == "error":
            raise DataError(
                f"{shown(file.path)} lacks {several(len(here), 'text')} of the gold: "
                f"{listed(here, _IDS_SHOWN)}; --missing zero counts their spans as missed, "
                "--missing drop leaves the texts out"
            )
        lacking.update(dict.fromkeys(here))
    if not lacking:
        return items, None
    ids = tuple(lacking)
    texts = f"{several(len(ids), 'text')} that not every system has: {listed(ids, _IDS_SHOWN)}."
    if missing == "zero":
        return items, Notice("missing", f"All spans were counted as missed in {texts}", ids)
    kept = [item for item in items if item not in lacking]
    if not kept:
        raise DataError("the systems have no text in common; check the ids")
    return kept, Notice("missing", f"Dropped for all systems: {texts}", ids)

"""Which format the files of the systems have, told by what is in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tellapart.errors import DataError, TellapartError
from tellapart.files import shown, unpacked_name
from tellapart.formats.head import (
    Head,
    files_below,
    heads_below,
    lies_beside,
    read_head,
    what_is_wrong,
)
from tellapart.formats.registry import TABLES, Format, format_of, formats
from tellapart.formats.sources import parse_source


def guess_format(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), *, checked: bool = True
) -> Format:
    """Return the format of files, by how they begin.

    All files must be of one format. Files that look like none are read in the format of the
    others, or of the gold, and what is wrong with them then is the error; if that looks like none,
    too, they are lines of text. Those who check files themselves (not `checked`) get the format of
    files with problems, and of gold files.
    """
    paths = [path for system in systems for path in parse_source(system).paths]
    found: list[tuple[Head, Format | None]] = []
    refused: list[tuple[Head, DataError]] = []
    for head in (read_head(path) for path in dict.fromkeys(paths)):
        try:
            found.append((head, _recognised(head, checked)))
        except DataError as problem:
            refused.append((head, problem))
    for head, refusal in refused:
        if not any(_is_beside(head, log, kind) for log, kind in found):
            raise refusal
    unknown = [head for head, kind in found if kind is None]
    known = {head.path: (head, kind) for head, kind in found if kind is not None}
    if not known and unknown and gold:
        known = _recognised_gold(str(gold[0]))
    if known and checked:
        _refuse_broken(unknown)
    kinds = list(dict.fromkeys(kind for _, kind in known.values()))
    if len(kinds) > 1:
        raise _mixed({path: kind for path, (_, kind) in known.items()}, *kinds[:2])
    if not known:
        return _format_of_lines(unknown) if gold and unknown else format_of(TABLES)
    if checked:
        _check(unknown, *next(iter(known.values())))
    return kinds[0]


def _is_beside(head: Head, log: Head, kind: Format | None) -> bool:
    """Return whether a file without scores was given along with a log of the same folder."""
    if kind is None or not kind.folders or kind.refuses is None:
        return False
    return lies_beside(head, [log.path]) and kind.refuses(head) is not None


def _recognised(head: Head, checked: bool) -> Format | None:
    """Return the format of one file; None if it looks like none."""
    if not checked:
        for each in formats():
            if each.recognises_gold is not None and each.recognises_gold(head):
                return each
    if head.is_folder:
        return _of_folder(head)
    likely = [each for each in formats() if unpacked_name(head.path).endswith(each.suffixes)]
    for each in likely:
        if each.recognises(head):
            return each
    for each in formats():
        refusal = None if each.refuses is None else each.refuses(head)
        if refusal is not None:
            raise refusal
    return next((each for each in formats() if each.recognises(head)), None)


def parquet_folder(systems: Sequence[str]) -> Path | None:
    """Return the folder of Parquet files that is all there is to read, and no harness's, if any."""
    if len(systems) != 1 or not os.path.isdir(systems[0]):
        return None
    if not any(path.endswith(".parquet") for path in files_below(systems[0])):
        return None
    takers = [each for each in formats() if each.folders]
    logs = any(each.recognises(head) for head in heads_below(systems[0]) for each in takers)
    return None if logs else Path(systems[0])


def _of_folder(folder: Head) -> Format:
    """Return the format of the files in a folder that are of any; the others are bystanders."""
    takers = [each for each in formats() if each.folders]
    found: dict[str, tuple[Format, str]] = {}
    for head in heads_below(folder.path):
        kind = next((each for each in takers if each.recognises(head)), None)
        if kind is not None:
            found.setdefault(kind.name, (kind, head.path))
    if len(found) > 1:
        (one, first), (two, second) = list(found.values())[:2]
        raise DataError(
            f"{shown(folder.path)}: this folder holds files of two formats, {shown(first)} of "
            f"{one.name!r} and {shown(second)} of {two.name!r}; name a folder of one, or one of "
            "them with --as"
        )
    if found:
        return next(iter(found.values()))[0]
    for head in heads_below(folder.path):
        for each in takers:
            refusal = None if each.refuses is None else each.refuses(head)
            if refusal is not None:
                raise refusal
    if os.path.isfile(os.path.join(folder.path, "campaign.toml")):
        raise DataError(
            f"{shown(folder.path)}: this is a campaign; `tellapart campaign status` tells its "
            "verdict, and `tellapart campaign export --scores FILE` writes a table to compare"
        )
    if any(path.endswith(".parquet") for path in files_below(folder.path)):
        raise DataError(
            f"{shown(folder.path)}: this is a folder of Parquet files, which `tellapart compare` "
            "takes alone, as one table"
        )
    raise DataError(
        f"{shown(folder.path)}: this is a folder, and there is no log of a known harness in it; "
        "name the files"
    )


def _recognised_gold(path: str) -> dict[str, tuple[Head, Format]]:
    head = read_head(path)
    for each in formats():
        if each.recognises_gold is not None and each.recognises_gold(head):
            return {path: (head, each)}
    return {}


def _refuse_broken(heads: Sequence[Head]) -> None:
    """Refuse files by what is wrong with them, rather than for not looking like the others."""
    for head in heads:
        problem = what_is_wrong(head)
        if problem is not None:
            raise DataError(problem)


def _check(heads: Sequence[Head], like: Head, kind: Format) -> None:
    """Refuse files that cannot be read in the format of another."""
    for head in heads:
        if kind.check is None:
            problem = f"{shown(head.path)}: this looks like another format; give files of one"
            raise DataError(f"{problem} ({shown(like.path)} looks like {_named(kind)})")
        try:
            kind.check(head.path, like)
        except TellapartError as error:
            raise DataError(f"{error} ({shown(like.path)} looks like {_named(kind)})") from None


def _mixed(found: Mapping[str, Format], one: Format, two: Format) -> DataError:
    first, second = (next(p for p, kind in found.items() if kind is k) for k in (one, two))
    return DataError(
        f"{shown(second)}: this looks like {_named(two)}, but {shown(first)} like "
        f"{_named(one)}; give files of one format, or name it with --as"
    )


def _named(kind: Format) -> str:
    return "a table" if TABLES in kind.names else f"the format {kind.name!r}"


def _format_of_lines(heads: Sequence[Head]) -> Format:
    """Return the format of plain lines, which begin in no way of their own."""
    for head in heads:
        if not head.data or head.text.lstrip().startswith('{"'):
            problem = what_is_wrong(head)
            if problem is not None:
                raise DataError(problem)
    for each in formats():
        if each.recognises_lines is not None and all(map(each.recognises_lines, heads)):
            return each
    return format_of(TABLES)

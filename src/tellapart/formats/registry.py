"""Which formats there are, by name, and which one files have, told by what is in them.

A format is loaded when it is named, or when a file may be of it: what `_BUILT_IN` says of each (the
kinds of content, and the columns by which its tables are known) is enough to pass over most. Others
add a format by an entry point of the group `tellapart.formats` that names a `Format`, or a recipe.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import tellapart.plugins as plugins
from tellapart.errors import DataError, UsageError
from tellapart.files import STANDARD, shown
from tellapart.formats.contract import Format, paths_of
from tellapart.formats.head import (
    Head,
    files_below,
    heads_below,
    read_head,
)
from tellapart.formats.preferences import KNOWN_BY
from tellapart.words import nearest

TABLES = "items"
"""What files are taken for that nobody recognises: tables say best what is wrong with them"""


class _BuiltIn(NamedTuple):
    """Where a format stands, or several, and what their files may be."""

    place: str
    """Module and name"""
    kinds: str
    """Of `Head.kind`, those in which it may be"""
    names: tuple[str, ...] = ()
    """What `--as` takes for it, where it is to be found without loading others"""
    columns: frozenset[str] = frozenset()
    """Of a table with known columns: those of which it must have one"""
    folders: bool = False

    @cache  # noqa: B019  (there are as many as stand below)
    def load(self) -> tuple[Format, ...]:
        """Return the formats, of which recipes are made when they are asked for."""
        module, name = self.place.split(":")
        value = getattr(import_module(f"tellapart.formats.{module}"), name)
        several = value if isinstance(value, tuple) else (value,)
        return tuple(each if isinstance(each, Format) else each.format() for each in several)


# A file is of the first one that recognises it.
_BUILT_IN = (
    _BuiltIn("logs.inspect:FORMAT", "zip json", ("inspect",), folders=True),
    _BuiltIn("logs.lm_eval:FORMAT", "json", ("lm-eval",), folders=True),
    _BuiltIn("logs.helm:FORMAT", "json", ("helm",), folders=True),
    _BuiltIn("logs.recipes:RECIPES", "json parquet lines", columns=frozenset({"status"}),
             folders=True),
    _BuiltIn("preferences.format:FORMATS", "json parquet lines", columns=KNOWN_BY),
    _BuiltIn("templates.format:MUC", "lines", ("muc",)),
    _BuiltIn("annotation.formats:NUGGETS", "lines", ("nuggets",)),
    _BuiltIn("annotation.formats:COREF", "lines", ("coref",)),
    _BuiltIn("annotation.formats:SPANS", "json", ("spans",)),
    _BuiltIn("retrieval.reader:FORMAT", "lines", ("trec",)),
    _BuiltIn("annotation.formats:TAGS", "lines", ("conll",)),
    _BuiltIn("annotation.formats:RELATIONS", "json lines", ("relations",)),
    _BuiltIn("templates.format:FORMAT", "json", ("templates",)),
    _BuiltIn("texts:FORMAT", "", ("text",)),
    _BuiltIn("tables.format:FORMAT", "json parquet lines", ("counts", "items")),
)  # fmt: skip


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats: those of others first, since they are asked for on purpose."""
    return (*_plugged_in(), *(each for built_in in _BUILT_IN for each in built_in.load()))


@cache
def _plugged_in() -> tuple[Format, ...]:
    added = []
    for name in plugins.names(plugins.FORMATS):
        plugin = plugins.find(plugins.FORMATS, name)
        if not isinstance(plugin, Format):
            from tellapart.formats.logs.recipe_reader import Recipe

            if not isinstance(plugin, Recipe):
                raise UsageError(f"the plug-in {name!r} is no Format and no Recipe")
            plugin = plugin.format()
        added.append(plugin)
    return tuple(added)


def names() -> list[str]:
    """Return all that `--as` takes."""
    return [name for each in formats() for name in each.names]


def format_of(name: str) -> Format:
    """Return the format of a name, or of a recipe in a TOML file.

    >>> format_of("inspect").about
    'logs of Inspect, `.eval` or `.json`'
    """
    likely_first = sorted(_BUILT_IN, key=lambda each: name not in each.names)
    for form in chain(_plugged_in(), (each for some in likely_first for each in some.load())):
        if name in form.names:
            return form
    if name.endswith(".toml"):
        from tellapart.formats.logs.recipe_reader import read_recipe

        return read_recipe(name).format()
    raise UsageError(f"there is no format {name!r}; {nearest(name, names())}")


def _candidates(head: Head, *, folders: bool = False) -> Iterator[Format]:
    """Yield the formats that a file may have, most special first, and load no others."""
    yield from (each for each in _plugged_in() if each.folders or not folders)
    columns = None if folders else _known_columns(head)
    for built_in in _BUILT_IN:
        may_be = head.kind in built_in.kinds.split() and (built_in.folders or not folders)
        if may_be and (columns is None or columns & built_in.columns or TABLES in built_in.names):
            yield from built_in.load()


def _known_columns(head: Head) -> set[str] | None:
    """Return the columns of lines that are a table beyond doubt: some have known names."""
    from tellapart.formats.tables.format import header_of, names_columns

    header = header_of(head) if head.kind == "lines" else []
    return set(header) if names_columns(header) else None


def guess_format(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), *, checked: bool = True
) -> Format:
    """Return the format of files, by how they begin.

    All files must be of one format. Files that look like none are of the format of the others, or
    of the gold, whose reader says what is wrong with them; if that looks like none, too, they are
    lines of text. Those who check files themselves (not `checked`) get the format of gold files.
    """
    known: list[tuple[Head, Format]] = []
    unknown: list[Head] = []
    refused: list[DataError] = []
    paths = (p for p in paths_of(systems) if checked or p == STANDARD or os.path.exists(p))
    for head in map(read_head, dict.fromkeys(paths)):
        if checked and head.whole and not (head.is_folder or head.data.strip()):
            raise DataError(f"{shown(head.path)}: the file is empty")
        try:
            form = _recognised(head, checked)
        except DataError as refusal:
            refused.append(refusal)
            continue
        if form is None:
            unknown.append(head)
        else:
            known.append((head, form))
    if refused and not any(form.folders for _, form in known):
        raise refused[0]  # a harness's reader itself knows what lies beside its logs
    if not known and unknown and gold:
        head = read_head(str(gold[0]))
        known = [(head, form) for form in [_of_gold(head)] if form is not None]
    if not known:
        lines = format_of("text" if gold and unknown else TABLES)
        for head in unknown:
            _refuse_by(lines, head)
        return lines
    like, form = known[0]
    for head, other in known:
        if other is not form:
            raise DataError(
                f"{shown(head.path)}: this looks like {_named(other)}, but {shown(like.path)} like "
                f"{_named(form)}; give files of one format, or name it with --as"
            )
    return form


def _recognised(head: Head, checked: bool) -> Format | None:
    """Return the format of one file; None if it looks like none."""
    gold = None if checked else _of_gold(head)
    if gold is not None:
        return gold
    if head.is_folder:
        return _of_folder(head)
    for form in _candidates(head):
        if form.recognises(head):
            return form
        _refuse_by(form, head)
    return None


def _refuse_by(form: Format, head: Head) -> None:
    refusal = None if form.refuses is None else form.refuses(head)
    if refusal is not None:
        raise refusal


def _of_gold(head: Head) -> Format | None:
    takers = (each for each in formats() if each.recognises_gold is not None)
    return next((each for each in takers if each.recognises_gold(head)), None)  # type: ignore[misc]


def parquet_folder(systems: Sequence[str]) -> Path | None:
    """Return the folder of Parquet files that is all there is to read, and no harness's, if any."""
    if len(systems) != 1 or not os.path.isdir(systems[0]):
        return None
    if not any(path.endswith(".parquet") for path in files_below(systems[0])):
        return None
    return None if _logs_below(systems[0]) else Path(systems[0])


def _logs_below(folder: str) -> dict[str, tuple[Format, str]]:
    """Return the formats of the logs in a folder, by name, each with one of its files."""
    logs: dict[str, tuple[Format, str]] = {}
    for head in heads_below(folder):
        form = next((f for f in _candidates(head, folders=True) if f.recognises(head)), None)
        if form is not None:
            logs.setdefault(form.name, (form, head.path))
    return logs


def _of_folder(folder: Head) -> Format:
    """Return the format of the files in a folder that are of any; the others are bystanders."""
    logs = _logs_below(folder.path)
    if len(logs) > 1:
        (one, first), (two, second) = list(logs.values())[:2]
        raise DataError(
            f"{shown(folder.path)}: {shown(first)} is of the format {one.name!r}, {shown(second)} "
            f"of {two.name!r}; name one with --as"
        )
    if logs:
        return next(iter(logs.values()))[0]
    for head in heads_below(folder.path):
        for form in _candidates(head, folders=True):
            _refuse_by(form, head)
    finding = "there is no log of a known harness in this folder; name the files"
    raise DataError(f"{shown(folder.path)}: {finding}")


def _named(form: Format) -> str:
    return "a table" if TABLES in form.names else f"the format {form.name!r}"

"""The files of systems, one or several runs each, and the mean of the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tellapart.bundling import bundle
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.notices import Notice
from tellapart.scorers.sources import default_name, parse_source


def system_files(systems: Sequence[str | Path]) -> dict[str, tuple[str, ...]]:
    """Return the files of each system by its name.

    >>> system_files(["runs/old.txt", "new=1.txt,2.txt"])
    {'old': ('runs/old.txt',), 'new': ('1.txt', '2.txt')}
    """
    files: dict[str, tuple[str, ...]] = {}
    for text in systems:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in files:
            raise DataError(
                f"{shown(source.paths[0])}: a system called {name!r} is already there, from "
                f"{shown(files[name][0])}; tell them apart with NAME=path"
            )
        files[name] = source.paths
    return files


def run_names(files: Mapping[str, Sequence[str]]) -> list[str]:
    """Name every file: the system, and which run it is where there are several.

    >>> run_names({"old": ["a"], "new": ["b", "c"]})
    ['old', 'new (run 1)', 'new (run 2)']
    """
    return [
        f"{name} (run {k})" if len(paths) > 1 else name
        for name, paths in files.items()
        for k in range(1, len(paths) + 1)
    ]


def averaged(
    single: Counts, files: Mapping[str, Sequence[str]], notices: Sequence[Notice]
) -> Counts:
    """Average the runs of each system; `single` has one system per file, named by `run_names`."""
    if len(single.names) == len(files):
        return replace(single, notices=tuple(notices))
    names = iter(single.names)
    counts = bundle(
        {name: [single.systems[(next(names),)] for _ in paths] for name, paths in files.items()}
    )
    return replace(counts, notices=(*counts.notices, *notices))

"""`Recipe`: a harness as a value, and the one reader of all such harnesses.

A recipe says which keys mark a file, and where its records, items, scores, systems and texts are. A
path is `"a.b"`, or `"$.a.b"` from the top of the file; of several paths the first that is there
counts; a function takes the record. Recipes of a user stand in a TOML file, with paths alone.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError, Notice, UsageError
from tellapart.files import STANDARD, open_bytes, open_text, shown, unpacked_name
from tellapart.formats.contract import Format
from tellapart.formats.head import Head, read_head
from tellapart.formats.logs.log import (
    Harness,
    Log,
    Sample,
    Values,
    as_text,
    plain_text,
    scalar_labels,
    text_hash,
    without_items,
)
from tellapart.formats.problems import Findings
from tellapart.formats.records import PARQUET, Record, as_object, read_json, read_records, try_json
from tellapart.words import nearest

Paths: TypeAlias = str | tuple[str, ...]
Where: TypeAlias = Paths | Mapping[str, Paths] | Callable[[Mapping[str, Any]], Any]
"""Where something stands in a record: a path, several, an object of them, or a function"""

FILE: Final = "\0file"
"""Under this key a record knows the top of its file, for paths that begin with `$.`"""
_OWNER: Final = ("system", "task", "group", "prompt", "run")
_FOOTER: Final = 1 << 20  # bytes at the end of Parquet in which the names of columns are


class Opened:
    """A file of a harness, as functions of recipes take it."""

    def __init__(self, path: str, at: str, problems: Findings) -> None:
        self.path, self._problems, self._at = path, problems, at
        self.top: dict[str, Any] = {}
        """The whole of a file that is one JSON object"""
        self.remarks: list[str] = []
        """What a function wants users to know"""
        self.lower: dict[str, None] = {}
        """Scores of which less is better, as a function saw"""
        self.main = ""
        """The score that is reported first, as a function saw"""
        self.settings: dict[str, Any] = {}
        if read_head(path).text.lstrip().startswith("{"):
            with suppress(DataError):  # JSON lines; or else `records` says what is wrong
                self.top = as_object(read_json(path), shown(path))

    @cached_property
    def records(self) -> list[Record]:
        """The records at the recipe's path, the rows of the file, or the file as one record."""
        if not self.top:
            return list(read_records(self.path, problems=self._problems))
        if not self._at:
            return [Record(shown(self.path), self.top)]
        return list(self.listed(value_at(self.top, self._at), self._at))

    def listed(self, values: Any, name: str) -> Iterator[Record]:
        """Yield the objects of a list, which `name` names, as records."""
        if not isinstance(values, list):
            raise DataError(f"{shown(self.path)}: {name!r} is no list; give a finished run")
        for number, value in enumerate(values, 1):
            place = f"{shown(self.path)}, {name.rpartition('.')[2]} {number}"
            with self._problems.of_file():
                yield Record(place, as_object(value, place))

    def beside(self, suffix: str, other: str) -> dict[str, Any]:
        """Return the JSON of the file with another suffix, if it is there; else nothing."""
        path = unpacked_name(self.path)
        name = f"{path.removesuffix(suffix)}{other}"
        known = self.path != STANDARD and path.endswith(suffix) and Path(name).is_file()
        return as_object(read_json(name), shown(name)) if known else {}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the files of one harness are recognised and read."""

    name: str
    marks: tuple[frozenset[str], ...]
    """Keys that the file or its first record has, or columns; any of several sets"""
    item: Where
    scores: Where
    """The scores by their names; or where an object is whose values are scores"""
    about: str = ""
    unlike: frozenset[str] = frozenset()
    """Keys that the files of others have"""
    records: str | Callable[[Opened], Iterable[Record]] = ""
    """Where the list of records is in a JSON object, or what makes records of a file"""
    system: Where = ()
    task: Where = ()
    group: Where = ()
    run: Where = ()
    """What tells runs of one system apart, such as a seed"""
    prompt: Where = ()
    """The prompt or other condition, which is part of the system's name where several are there"""
    file: str = ""
    """A pattern of paths, whose groups `system`, `task`, `run`, `time` tell what records do not"""
    settings: Where = ()
    """An object of what was set, which tells systems of one model apart"""
    costs: Mapping[str, Paths] = field(default_factory=dict)
    """What a sample took, of which less is better, and which is compared where it is named"""
    main: tuple[str, ...] = ()
    """The score that is reported first: the first of these that is there"""
    lower: tuple[str, ...] = ()
    grades: Mapping[str, float] = field(default_factory=dict)
    """Words that count as scores"""
    error: Where = ()
    """What went wrong; such a sample has no score"""
    labels: Where = ()
    input: Where = ()
    gold: Where = ()
    output: Where = ()
    data: Where = ()
    """What is the same where the item is the same; by default the gold answer"""
    weights: str = "tasks"
    totals: Mapping[frozenset[str], str] = field(default_factory=dict)
    """Keys of files that hold no items: what to give instead"""
    recognises: Callable[[Head], bool] | None = None
    """Where keys do not tell: whether a file is of the harness"""
    part_of: Callable[[str], str] | None = None
    """Where a file holds one item: the run that a path is part of"""
    source: str = ""
    """The TOML file of a user that it stands in: what it names must then be in the files"""

    def format(self) -> Format:
        """Return the format of the harness."""
        about = self.about or f"results of {self.name}"
        return Harness(
            self.name,
            about,
            files=about.partition(":")[0],
            recognises=self.recognises or self._marked,
            read_file=lambda path, problems: read_file(self, path, problems),
            refuses=self._refuses,
            weights=self.weights,
            check_logs=self._check_names,
        ).format()

    def _check_names(self, logs: Sequence[Log]) -> None:
        """Refuse a user's recipe with a path that leads nowhere."""
        if not self.source or all(sample.error for log in logs for sample in log.samples):
            return
        known = {key[0] for log in logs for key in (*log.value_keys(), *log.faults)}
        scores = self.scores if isinstance(self.scores, Mapping) else {}
        lost = [repr(name) for name in (*scores, *self.costs, *self.lower) if name not in known]
        if isinstance(self.labels, Mapping):
            given = (each.labels.items() for log in logs for each in log.samples)
            labels = {name.removeprefix("label.") for own in given for name, text in own if text}
            lost += [repr(name) for name in self.labels if name not in labels]
        settings = {name for log in logs for name in log.settings}
        for part in ("system", "task", "group", "run", "prompt"):
            there = part in settings or any(getattr(log, part, "") for log in logs)
            if getattr(self, part) and not there:
                lost.append(f"{getattr(self, part)!r} ({part})")
        if lost:
            raise UsageError(f"{shown(self.source)}: no record has {lost[0]}; check its path")

    def _marked(self, head: Head) -> bool:
        if head.data.startswith(PARQUET):
            return any(has_columns(head, marks) for marks in self.marks)
        keys = keys_of(head)
        return any(keys >= marks for marks in self.marks) and keys.isdisjoint(self.unlike)

    def _refuses(self, head: Head) -> DataError | None:
        for keys, remedy in self.totals.items():
            if keys_of(head) >= keys:
                return without_items(head.path, remedy)
        return None


def read_file(recipe: Recipe, path: str, problems: Findings) -> list[Log]:
    """Return the logs of one file: one for each system, task and run in it."""
    opened = Opened(path, recipe.records if isinstance(recipe.records, str) else "", problems)
    made = recipe.records(opened) if callable(recipe.records) else opened.records
    named = _named_by_file(recipe.file, path)
    values = Values(recipe.grades)
    samples: dict[tuple[str, ...], list[Sample]] = {}
    settings: Any = {}
    owners: list[Where] = [getattr(recipe, part) for part in _OWNER]
    for record in made:
        with problems.of_file():
            fields = {FILE: opened.top, **record.fields}
            sample = _sample(recipe, record.place, fields, values)
            owner = tuple(
                as_text(value_at(fields, where)) or named.get(part) or ""
                for part, where in zip(_OWNER, owners, strict=True)
            )
            settings = settings or value_at(fields, recipe.settings)
            samples.setdefault(owner, []).append(sample)
    if not samples and not problems.fatal:
        problems.complain(f"{shown(path)}: there are no records; give the file of a finished run")
    remarks = tuple(Notice("remark", text, (path,)) for text in opened.remarks)
    known = dict.fromkeys(key for own in samples.values() for one in own for key in one.values)
    mains = [(name,) for name in (opened.main, *recipe.main)]
    main = next((key for key in mains if key in known or key in values.faults), None)
    if main in values.faults and main not in known:
        problems.complain(f"{values.faults[main]}; the recipe's grades say what words score")
    costs = tuple((name,) for name in recipe.costs)
    return [
        Log(
            path,
            tuple(own),
            notices=remarks,
            faults=values.faults,
            system=system,
            task=task,
            group=group,
            group_weights="tasks",
            main=main,
            lower=(*((name,) for name in (*recipe.lower, *opened.lower)), *costs),
            costs=costs,
            settings={
                **scalar_labels(settings, "set"),
                **scalar_labels(opened.settings, "set"),
                **({"prompt": prompt} if prompt else {}),
                **({"run": run} if run else {}),
            },
            part_of=recipe.part_of(path) if recipe.part_of else "",
            time=named.get("time") or "",
        )
        for (system, task, group, prompt, run), own in samples.items()
    ]


def _sample(recipe: Recipe, place: str, fields: Mapping[str, Any], values: Values) -> Sample:
    item = value_at(fields, recipe.item)
    if item is None or item == "":
        raise DataError(f"{place}: {_missing(recipe.item)}; check the file, or name it with --as")
    error = as_text(value_at(fields, recipe.error))
    costs = value_at(fields, recipe.costs)
    given, gold, output = (
        plain_text(value_at(fields, where)) for where in (recipe.input, recipe.gold, recipe.output)
    )
    return Sample(
        item=as_text(item),
        values=values.of({**({} if error else _scores(recipe, fields, place)), **costs}, place),
        place=place,
        error=error,
        input=given,
        gold=gold,
        output=output,
        labels=scalar_labels(value_at(fields, recipe.labels), "label"),
        data=text_hash(as_text(value_at(fields, recipe.data)) or gold),
    )


def _scores(recipe: Recipe, fields: Mapping[str, Any], place: str) -> Mapping[Any, Any]:
    scores = value_at(fields, recipe.scores)
    if isinstance(scores, dict):
        return scores
    if scores is None or isinstance(scores, list) or not isinstance(recipe.scores, str):
        raise DataError(f"{place}: {_missing(recipe.scores)}; check the file")
    return {recipe.scores.rpartition(".")[2]: scores}


def _missing(where: Any) -> str:
    if callable(where) or isinstance(where, Mapping):
        return "the record is not whole"
    paths = (where,) if isinstance(where, str) else where
    return f"there is no {' or '.join(map(repr, paths))}"


def value_at(fields: Mapping[str, Any], where: Where) -> Any:
    """Return what stands at a path, or at the first of several that is there; None if nothing is.

    Of paths by name, it is an object.

    >>> value_at({"a": {"b": 7}, "c.d": 1}, ("x", "a.b")), value_at({"c.d": 1}, "c.d")
    (7, 1)
    """
    if callable(where):
        return where(fields)
    if isinstance(where, Mapping):
        return {name: value_at(fields, path) for name, path in where.items()}
    for path in (where,) if isinstance(where, str) else where:
        value = _at(fields, path)
        if value is not None and value != "":
            return value
    return None


def _at(fields: Any, path: str) -> Any:
    if path.startswith("$."):
        fields, path = fields.get(FILE), path[2:]
    while isinstance(fields, dict):
        if path in fields:
            return fields[path]
        key, dot, path = path.partition(".")
        fields = fields.get(key)
        if isinstance(fields, str) and dot and fields.startswith("{"):  # a cell of a table
            fields = try_json(fields)
        if not dot:
            return fields
    return None


def _named_by_file(pattern: str, path: str) -> dict[str, str | None]:
    """Return what the pattern finds in the last parts of a path."""
    if not pattern or path == STANDARD:
        return {}
    place = Path(path).resolve()
    match = re.search(pattern, "/".join([*place.parts[-4:-1], unpacked_name(place.name)]))
    return match.groupdict() if match else {}


def keys_of(head: Head) -> set[str]:
    r"""Return the keys of a JSON object or of the first record, or the columns of a table.

    >>> sorted(keys_of(Head("x", b'[{"id": 7, "score": 1}]', True)))
    ['id', 'score']
    >>> sorted(keys_of(Head("x", b"id,score\n7,1\n", True)))
    ['id', 'score']
    """
    if head.kind == "json":
        text = head.text.lstrip().removeprefix("[")
        return set(Head(head.path, text.encode(), head.whole).keys())
    try:
        return {cell.strip() for cell in next(csv.reader(head.filled_lines(1), strict=True), ())}
    except csv.Error:
        return set()


def has_columns(head: Head, names: Iterable[str]) -> bool:
    """Return whether a Parquet file has all of some columns, or fields in them, by its end.

    The names stand there as they are, each after its length, so that this needs no library.
    """
    footer = head.data
    if not head.whole:
        with open_bytes(head.path) as stream:
            stream.seek(max(0, stream.seek(0, io.SEEK_END) - _FOOTER))
            footer = stream.read()
    return all(bytes([len(name)]) + name.encode() in footer for name in names)


_PATH: Final = "a path, or a list of paths"
_OF_A_USER: Final = {
    "a text": ("name", "about", "records", "file"),
    "a list of texts": ("marks", "unlike", "main", "lower"),
    "a table": ("costs", "grades"),
    _PATH: ("item", "scores", "system", "task", "group", "prompt", "run", "settings", "error",
            "labels", "input", "gold", "output"),
}  # fmt: skip
"""What a recipe in a TOML file may have"""


def read_recipe(path: str) -> Recipe:
    """Return the recipe of a TOML file; what it cannot be is an error that names the key."""
    try:
        with open_text(path) as stream:
            table = tomllib.loads(stream.read())
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown(path)}: this is not TOML ({error}); check the recipe") from None
    table.setdefault("name", Path(path).stem)
    missing = [key for key in ("marks", "item", "scores") if key not in table]
    if missing:
        raise UsageError(f"{shown(path)}: a recipe needs {missing[0]!r}; docs/recipes.md shows one")
    values = {key: _of_toml(key, value, path) for key, value in table.items()}
    return Recipe(**values, source=path)


def _of_toml(key: str, value: Any, path: str) -> Any:
    known = {name: kind for kind, names in _OF_A_USER.items() for name in names}
    if key not in known:
        raise UsageError(f"{shown(path)}: no recipe has {key!r}; {nearest(key, list(known))}")
    kind = known[key]
    if isinstance(value, str) and kind in ("a text", _PATH):
        return value
    if key == "marks" and isinstance(value, list) and all(isinstance(own, list) for own in value):
        return tuple(map(frozenset, value))
    if _are_texts(value) and kind in ("a list of texts", _PATH):
        return (frozenset(value),) if key == "marks" else tuple(value)
    if key == "grades" and isinstance(value, dict):
        return value
    if key in ("scores", "labels", "costs") and isinstance(value, dict):
        kind = "a path, or a list of paths, by name"
        if all(isinstance(part, str) or _are_texts(part) for part in value.values()):
            return {k: part if isinstance(part, str) else tuple(part) for k, part in value.items()}
    raise UsageError(f"{shown(path)}: {key!r} is {kind}, not {value!r}")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)

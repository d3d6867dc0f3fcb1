"""`--as preferences`: tables that say row by row which of two systems was preferred."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tellapart.errors import DataError, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Sources
from tellapart.formats.head import PARQUET, Head
from tellapart.formats.logs.rows import Row, parquet_has
from tellapart.formats.preferences.judgment import (
    Collected,
    Judgment,
    are_verdicts,
    glanced_rows,
    is_nothing,
    number_scale,
    points_of,
    preference_format,
    preference_rows,
    refuse_same,
)
from tellapart.formats.problems import Findings
from tellapart.formats.sources import parse_source
from tellapart.options import option
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts

Fields: TypeAlias = Mapping[str, Any]
_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
_SYSTEMS: Final = ("model", "system", "generator", "assistant", "model_name", "system_name")
_TEXTS: Final = ("response", "output", "answer", "completion", "text", "conversation")
_VERDICTS: Final = (
    "winner", "preference", "preferred", "preferred_model", "verdict", "outcome", "choice", "vote",
    "human_preference", "better", "judgment", "judgement", "result", "label", "annotation",
)  # fmt: skip
_ALONE: Final = frozenset(_VERDICTS[:10])
"""Columns that need no names of systems beside them, if they hold verdicts"""
_ITEMS: Final = (
    "item", "id", "prompt_id", "question_id", "task_id", "sample_id", "instance_id", "item_id",
    "example_id", "uid", "query_id", "conversation_id",
)  # fmt: skip
_PROMPTS: Final = ("prompt", "instruction", "question", "input", "query")
_ONE_HOT: Final = ("winner_model_a", "winner_model_b", "winner_tie")
_TOTALS: Final = frozenset({"wins", "wins_a", "wins_b", "a_wins", "b_wins", "ties", "losses"})
_ONE_SYSTEM: Final = frozenset({"system", "model", "model_name", "system_name", "score"})
_ORDER: Final = "order"
"""A column that may say ``unknown``, of what was shown first"""
_LONGEST_LABEL: Final = 80


@dataclass(frozen=True, slots=True)
class PreferenceOptions:
    """What a preference table does not say itself."""

    names: str | None = option(
        None, "the two systems, where the table does not name them", metavar="A,B"
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold what; None where there is no such column."""

    verdict: str | None
    systems: tuple[str, str] | None
    texts: tuple[str, str] | None
    item: str | None
    prompt: str | None
    one_hot: tuple[str, str, str] | None = None
    """Columns of 0 and 1 that say who won: the first, the second, or nobody"""


def _both(names: Mapping[str, str], words: Iterable[str]) -> tuple[str, str] | None:
    """Return the two columns that are alike but for their side: model_a, model_b."""
    for word in words:
        for one, other in _SIDES:
            for pattern in (f"{word}_{{}}", f"{word}{{}}", f"{{}}_{word}", f"{word} {{}}"):
                pair = pattern.format(one), pattern.format(other)
                if pair[0] in names and pair[1] in names:
                    return names[pair[0]], names[pair[1]]
    return None


def _layout(columns: Collection[str], item: str | None = None) -> _Layout:
    names = {name.strip().lower(): name for name in columns}
    systems = _both(names, _SYSTEMS)
    hot = _ONE_HOT
    found = next((names[name] for name in (item, *_ITEMS) if name and name in names), None)
    if item is not None and item not in columns:
        raise UsageError(f"there is no column {item!r} (--item); there are {listed([*columns])}")
    return _Layout(
        next((names[name] for name in _VERDICTS if name in names), None),
        systems,
        _both(names, _TEXTS),
        item or found,
        next((names[name] for name in _PROMPTS if name in names), None),
        (names[hot[0]], names[hot[1]], names[hot[2]]) if all(h in names for h in hot) else None,
    )


def _recognises(head: Head) -> bool:
    r"""Return whether this is a table of preferences.

    Either two columns name systems and one says which is better, or one says so without names.

    >>> _recognises(Head("x", b"id,model_a,model_b,winner\n1,x,y,tie\n", whole=True))
    True
    >>> _recognises(Head("x", b"id,verdict\n1,win\n2,tie\n", whole=True))
    True
    >>> _recognises(Head("x", b"id,model,result\n1,x,win\n", whole=True))
    False
    """
    if head.data.startswith(PARQUET):
        return _parquet_is_judged(head)
    rows = glanced_rows(head)
    if not rows:
        return False
    columns = {name for row in rows for name in row if isinstance(name, str)}
    if "generator_1" in columns:
        return False  # annotations of AlpacaEval, which have a reader of their own
    layout = _layout(columns)
    if layout.one_hot is not None and layout.systems is not None:
        return True
    if layout.verdict is None:
        return False
    words = [_word(row.get(layout.verdict)) for row in rows]
    if layout.systems is not None:
        return _are_readable(words, rows, layout.systems)
    small = {name.strip().lower() for name in columns}
    return (
        layout.verdict.strip().lower() in _ALONE
        and small.isdisjoint(_ONE_SYSTEM)
        and are_verdicts(words)
    )


def _parquet_is_judged(head: Head) -> bool:
    """Return whether a Parquet file has two columns of systems and one that says who won."""
    sides = [(f"{word}_{one}", f"{word}_{other}") for word in _SYSTEMS for one, other in _SIDES]
    verdicts = (*_VERDICTS, _ONE_HOT[0])
    return any(
        parquet_has(head, *pair) and any(parquet_has(head, name) for name in verdicts)
        for pair in sides
    )


def _refuses(head: Head) -> DataError | None:
    """Return the refusal of a table of totals: wins, ties and losses without the prompts."""
    rows = [] if head.data.startswith(PARQUET) else glanced_rows(head)
    columns = {name.strip().lower() for row in rows for name in row if isinstance(name, str)}
    layout = _layout(columns)
    if layout.systems is None or layout.verdict or layout.one_hot:
        return None
    if columns.isdisjoint(_TOTALS):
        return None
    return DataError(
        f"{shown(head.path)}: these are totals of wins, and whether a lead is chance depends on "
        "the prompts; give the table with one row per judgment (model_a, model_b, winner)"
    )


def _are_readable(words: Sequence[str], rows: Sequence[Fields], systems: tuple[str, str]) -> bool:
    """Return whether the first verdicts beside two names can be read."""
    known = [
        _number(word) is not None
        or is_nothing(word)
        or points_of(word, _word(row.get(systems[0])), _word(row.get(systems[1]))) is not None
        for word, row in zip(words, rows, strict=True)
    ]
    return any(known)


def _word(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _number(word: str) -> Fraction | None:
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return None


def _collect(sources: Sources, options: PreferenceOptions, problems: Findings) -> Collected:
    found: list[Collected] = []
    for each in sources.systems:
        source = parse_source(each)
        for path in source.paths:
            rows = list(preference_rows(path, problems))
            asked = _Asked(sources.item, options.names, source.name)
            found.append(_collected(path, rows, asked, problems))
    return Collected(
        [judgment for each in found for judgment in each.judgments],
        ordered=all(each.ordered for each in found),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is said of one table: the column of prompts, both names, or the name of the first."""

    item: str | None = None
    names: str | None = None
    name: str | None = None


def _collected(path: str, rows: Sequence[Row], asked: _Asked, problems: Findings) -> Collected:
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    layout = _layout(columns, asked.item)
    names = _names(path, layout, asked.names, asked.name, problems)
    ordered = layout.systems is not None or layout.texts is not None
    ordered &= not any(row.fields.get(_ORDER) == "unknown" for row in rows)
    return Collected(list(_judgments(path, rows, layout, names, problems)), ordered=ordered)


def preference_counts(
    judgments: Any, *, names: Sequence[str] | None = None, item: str | None = None
) -> Counts:
    """Return counts of judgments side by side, as `read` makes them of a table.

    `judgments` is a data frame, or a list of rows with its columns: `model_a`, `model_b`, `winner`,
    and what else a table may have. `names` are the two systems where the rows do not name them;
    `item` is the column that names the prompt.

    >>> rows = [{"id": 1, "model_a": "x", "model_b": "y", "winner": "x"},
    ...         {"id": 2, "model_a": "y", "model_b": "x", "winner": "tie"}]
    >>> preference_counts(rows)
    <Counts: 2 systems × 2 prompts × 1 column>
    """
    from tellapart.formats.preferences.assembly import assemble

    records = _records(judgments)
    if not records or not all(isinstance(each, Mapping) for each in records):
        raise UsageError(
            "judgments are a data frame or a list of rows such as {'model_a': …, 'model_b': …, "
            "'winner': …}, and not empty"
        )
    problems = Findings(strict=True)
    rows = [Row(f"judgment {k}", dict(each)) for k, each in enumerate(records, 1)]
    asked = _Asked(item, None if names is None else ",".join(names))
    return assemble(_collected("judgments", rows, asked, problems), "error", problems)


def _records(given: Any) -> list[Any]:
    """Return the rows of a data frame of pandas, Polars or Arrow, or of a list."""
    for method, arguments in (("to_dicts", ()), ("to_pylist", ()), ("to_dict", ("records",))):
        if hasattr(given, method):
            return list(getattr(given, method)(*arguments))
    try:
        return list(given)
    except TypeError:
        return []


def _names(
    path: str, layout: _Layout, given: str | None, name: str | None, problems: Findings
) -> tuple[str, str] | None:
    """Return the two systems of a table that does not name them; None if it does."""
    if layout.systems is not None:
        if given is not None:
            raise UsageError(
                f"{shown(path)}: the columns {' and '.join(layout.systems)} name the systems; "
                "drop --names"
            )
        return None
    if given is not None:
        both = [each.strip() for each in given.split(",")]
        if len(both) != 2 or not all(both) or both[0] == both[1]:
            raise UsageError(f"--names wants two systems, A,B, not {given!r}")
        return both[0], both[1]
    if name is not None:
        return name, f"not {name}"
    problems.warn(
        f"{shown(path)}: no columns such as model_a and model_b name the systems; a win is taken "
        "for one of A over B: --names A,B says what they are called"
    )
    return "A", "B"


def _judgments(
    path: str,
    rows: Sequence[Row],
    layout: _Layout,
    names: tuple[str, str] | None,
    problems: Findings,
) -> Iterable[Judgment]:
    verdict = _reader(path, rows, layout)
    used = {
        layout.verdict, layout.item, layout.prompt, *(layout.systems or ()), *(layout.texts or ()),
        *(layout.one_hot or ()),
    }  # fmt: skip
    used.add(_ORDER)
    if layout.item is None and layout.prompt is None and not layout.texts:
        problems.warn(
            f"{shown(path)}: no column such as id, question_id or prompt tells the prompts; each "
            "row was taken for one of its own: --item COLUMN says which"
        )
    prompts: dict[str, str] = {}
    for number, (place, row) in enumerate(rows, 1):
        first, second = names or _systems(row, layout)
        if not first or not second:
            problems.complain(f"{place}: a system has no name; name both")
            continue
        word = verdict.word(row)
        if is_nothing(word):
            problems.warn(f"{place}: there is no verdict but {word!r}; the row was left out")
            continue
        points = verdict.points(word, first, second)
        if points is None:
            problems.complain(
                f"{place}: the verdict is {word!r}, which names neither {first} nor {second} and "
                "is no A, B, tie, win, lose, left, right or the like; write one of these"
            )
            continue
        prompt = _prompt(row, layout)
        item = _word(row.get(layout.item)) if layout.item else ""
        if layout.item and not item:
            problems.complain(f"{place}: the column {layout.item!r} is empty; give every row one")
            continue
        if not item:  # the same text is the same prompt; without any, each row is one
            item = prompts.setdefault(prompt or f"\0{number}", str(len(prompts) + 1))
        judgment = Judgment(
            item,
            first,
            second,
            float(points),
            place,
            labels=_labels(row, used),
            input=prompt,
            outputs=_outputs(row, layout),
        )
        if not refuse_same(judgment, problems):
            yield judgment


def _systems(row: Fields, layout: _Layout) -> tuple[str, str]:
    one, other = layout.systems or ("", "")
    return _word(row.get(one)), _word(row.get(other))


def _prompt(row: Fields, layout: _Layout) -> str:
    """Return what the two systems were asked: a column, or where both conversations begin."""
    if layout.prompt is not None:
        return _word(row.get(layout.prompt))
    said = _messages(row.get(layout.texts[0])) if layout.texts else []
    return said[0] if len(said) > 1 else ""


def _outputs(row: Fields, layout: _Layout) -> tuple[str, str] | None:
    """Return both outputs: texts, or the last messages of conversations."""
    if layout.texts is None:
        return None
    one, other = (_messages(row.get(name)) for name in layout.texts)
    return (one[-1], other[-1]) if one and other else None


def _messages(cell: Any) -> list[str]:
    """Return the texts of a conversation; a text is one.

    >>> _messages([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    ['Hi', 'Hello']
    """
    if isinstance(cell, str):
        return [cell]
    if not isinstance(cell, list):
        return []
    contents = [each.get("content") for each in cell if isinstance(each, dict)]
    return [each for each in contents if isinstance(each, str)]


def _labels(row: Fields, used: Collection[str | None]) -> dict[str, str]:
    return {
        name: text
        for name, cell in row.items()
        if name not in used
        and isinstance(cell, str | int | bool)
        and len(text := _word(cell)) <= _LONGEST_LABEL
    }


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """How the verdict of a row is found and read."""

    word: Callable[[Fields], str]
    points: Callable[[str, str, str], Fraction | None]


def _reader(path: str, rows: Sequence[Row], layout: _Layout) -> _Verdicts:
    """Return how verdicts are read: as words and names or, if all are numbers, by their scale."""
    if layout.verdict is None and layout.one_hot is not None:
        hot = layout.one_hot

        def chosen(row: Fields) -> str:
            marked = [k for k, name in enumerate(hot) if _number(_word(row.get(name))) == 1]
            return ("a", "b", "tie")[marked[0]] if len(marked) == 1 else ""

        return _Verdicts(chosen, points_of)
    column = layout.verdict
    if column is None:
        known = listed([*dict.fromkeys(name for _, row in rows for name in row)])
        raise DataError(
            f"{shown(path)}: no column says which system is better ({', '.join(_VERDICTS[:5])}, "
            f"…) among {known}; rename the one that does"
        )

    def word(row: Fields) -> str:
        return _word(row.get(column))

    words = {each for _, row in rows if not is_nothing(each := word(row))}
    numbers = {each: value for each in words if (value := _number(each)) is not None}
    if len(numbers) < len(words) or not words:
        return _Verdicts(word, points_of)
    scale = number_scale(list(numbers.values()))
    if scale is None:
        raise DataError(
            f"{shown(path)}: the column {column!r} holds {listed(sorted(words))}, which may name a "
            "place or count wins; write A, B and tie, or 1, 2 and 0"
        )
    return _Verdicts(word, lambda each, _, __: scale(numbers[each]))


FORMAT = preference_format(
    "preferences",
    "tables of which of two systems was preferred: CSV, TSV, JSON, JSONL, Parquet",
    recognises=_recognises,
    collect=_collect,
    options=PreferenceOptions,
    suffixes=(".csv", ".tsv", ".parquet"),
    refuses=_refuses,
)

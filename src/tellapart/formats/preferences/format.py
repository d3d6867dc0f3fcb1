"""Preferences: tables that say row by row which of two systems was preferred.

A harness is a value (`PairwiseHarness`): the keys that mark its files, and how a record becomes
rows of such a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tellapart.errors import DataError, Finding, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Sources, parse_source, paths_of
from tellapart.formats.head import GLANCED, Head, first_rows
from tellapart.formats.preferences import TOTALS, VERDICTS
from tellapart.formats.problems import Findings, findings_of
from tellapart.formats.records import (
    Record,
    read_records,
)
from tellapart.options import NoOptions, option
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts

Fields: TypeAlias = Mapping[str, Any]

_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("x", "y"))
_SYSTEMS: Final = ("model", "system", "generator", "assistant", "model_name", "system_name")
_SYSTEMS_OR_TEXTS: Final = ("", "option", "candidate", "player", "competitor")
_TEXTS: Final = ("response", "output", "answer", "completion", "text", "conversation")
_WON: Final = {"winner_model_a": "A", "winner_model_b": "B", "winner_tie": "tie"}
"""Columns of 0 and 1 that say who won"""
_ALONE: Final = frozenset(VERDICTS[:10])
"""Columns that need no names of systems beside them, if they hold verdicts"""
_ITEMS: Final = (
    "item", "id", "prompt_id", "question_id", "task_id", "sample_id", "instance_id", "item_id",
    "example_id", "uid", "query_id", "conversation_id",
)  # fmt: skip
_PROMPTS: Final = ("prompt", "instruction", "question", "input", "query")
_ONE_SYSTEM: Final = frozenset({"system", "model", "model_name", "system_name", "score"})
_LONGEST_LABEL: Final = 80


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judgment as it was read: the points of the system that was shown first."""

    item: str
    first: str
    second: str
    points: float
    weight: int = 1
    """How often the harness itself counts it: arena-hard three times if the lead is clear"""
    labels: Mapping[str, str] = field(default_factory=dict)
    input: str = ""
    outputs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """All judgments of some files, and what is known of them together."""

    judgments: Sequence[Judgment]
    ordered: bool
    """Whether `first` is what the judge saw first"""
    reference: str | None = None
    """The system that all others were held against"""
    agreement: bool = False


@dataclass(frozen=True, slots=True)
class PreferenceOptions:
    """What a preference table does not say itself."""

    names: str | None = option(
        None, "the two systems, where the table does not name them", metavar="A,B"
    )


@dataclass(frozen=True, slots=True)
class PairwiseHarness:
    """A harness that judges outputs side by side: what marks its records, and what they say."""

    name: str
    about: str
    keys: tuple[str, ...]
    """What marks its records"""
    rows: Callable[[Fields], Iterable[dict[str, Any]]]
    """Makes rows with item (or prompt), model_a, model_b and winner of a record"""
    ordered: bool = True
    agreement: bool = False
    clear: int = 1
    """How often a clear lead, such as A>>B, counts"""
    system: str | None = None
    """Where the system stands that is held against one reference for all, if so"""


def _arena_hard(fields: Fields) -> Iterator[dict[str, Any]]:
    """Yield the games of a question: in the first, the baseline is A, in the second, B."""
    pair = str(fields.get("baseline") or "baseline"), fields["model"]
    first, second = fields["games"]
    for places, game in ((pair, first), (pair[::-1], second)):
        yield {
            "item": fields["question_id"] if "question_id" in fields else fields["uid"],
            "model_a": places[0],
            "model_b": places[1],
            "winner": (game or {}).get("score"),
            **{key: fields[key] for key in ("category", "cluster") if fields.get(key)},
        }


def _mt_bench_pair(fields: Fields) -> Iterator[dict[str, Any]]:
    """Yield both orders of a question, or of a turn of it; winners are named by model."""
    pair = fields["model_1"], fields["model_2"]
    names = {"model_1": pair[0], "model_2": pair[1]}
    question, turn = fields["question_id"], fields.get("turn")
    labels = {"question": question} | ({} if turn is None else {"turn": turn})
    for places, key in ((pair, "g1_winner"), (pair[::-1], "g2_winner")):
        yield {
            "item": question if turn is None else f"{question}/turn {turn}",
            "model_a": places[0],
            "model_b": places[1],
            "winner": names.get(fields[key], fields[key]),
            **labels,
        }


def _alpaca_eval(fields: Fields) -> Iterator[dict[str, Any]]:
    """Yield the annotation; prompts have no ids there, and are told apart by their texts."""
    yield {
        "prompt": fields["instruction"],
        "model_a": fields["generator_1"],
        "model_b": fields["generator_2"],
        "winner": fields["preference"],
        **{key: fields[key] for key in ("dataset", "annotator") if fields.get(key)},
        **{
            f"output_{s}": fields[f"output_{n}"] for s, n in ("a1", "b2") if f"output_{n}" in fields
        },
    }


HARNESSES: Final = (
    PairwiseHarness(
        "arena-hard",
        "judgments of arena-hard, JSONL",
        ("model", "games"),
        _arena_hard,
        clear=3,
        system="model",
    ),
    PairwiseHarness(
        "alpaca-eval",
        "annotations of AlpacaEval, JSON",
        ("instruction", "generator_1", "generator_2", "preference"),
        _alpaca_eval,
        ordered=False,  # outputs are shown in an order that the file does not tell
        system="generator_2",
    ),
    PairwiseHarness(
        "mt-bench-pair",
        "pairwise judgments of MT-bench, JSONL",
        ("model_1", "model_2", "g1_winner", "g2_winner"),
        _mt_bench_pair,
        agreement=True,
    ),
)


_NOUNS: Final = ("", "model", "system", "answer", "output", "response", "assistant", "option",
                 "chosen", "generator", "candidate", "player")  # fmt: skip
_FIRST, _SECOND = (
    [word for noun in _NOUNS for sides in _SIDES for word in (noun + sides[k], sides[k] + noun)]
    for k in (0, 1)
)
_FIRST += ["win", "wins", "won", "better", "a>b", "a>>b", "b<a", "b<<a", "awins", "abetter",
           "aisbetter"]  # fmt: skip
_SECOND += ["lose", "loses", "loss", "lost", "worse", "b>a", "b>>a", "a<b", "a<<b", "bwins",
            "bbetter", "bisbetter"]  # fmt: skip
_TIE: Final = (
    "tie", "ties", "tied", "draw", "drawn", "equal", "equals", "same", "similar", "both", "neither",
    "c", "a=b", "b=a", "=", "none", "nopreference", "nodifference", "tiebothbad", "bothbad",
    "tiebothgood", "bothgood", "bothequal", "equallygood", "equallybad", "thesame", "a~b", "b~a",
    "a≈b",
)  # fmt: skip
_HALF: Final = Fraction(1, 2)
_POINTS: Final = {
    **dict.fromkeys(_FIRST, Fraction(1)),
    **dict.fromkeys(_SECOND, Fraction(0)),
    **dict.fromkeys(_TIE, _HALF),
}
_BARE: Final = frozenset({
    "c", "1", "2", "x", "y", "none", "neither", "both", "same", "similar", "=",
})  # fmt: skip
"""Words that only mean a verdict beside other such words, or where the two systems are named"""
_NO_LETTERS: Final = re.compile(r"[\s_()\[\]\"'.:,!]+|-(?!\d)")  # -1 is another number than 1
_NOTHING: Final = frozenset({"", "error", "na", "n/a", "nan", "null", "invalid", "skip", "skipped"})
"""Verdicts that are none"""


def _plain(word: str) -> str:
    """Return a verdict without brackets, blanks and underlines.

    >>> _plain("[[A]]"), _plain("tie (both bad)"), _plain("model_a")
    ('a', 'tiebothbad', 'modela')
    """
    return _NO_LETTERS.sub("", word.lower())


def _is_nothing(word: str) -> bool:
    return word.lower() in _NOTHING


def points_of(word: str, first: str, second: str) -> Fraction | None:
    """Return the points of the first of two systems by a word, a name or a number; None if none.

    1 and 2 name a place, numbers between lean to one, as AlpacaEval's do, 0 is a tie, -1 a loss.

    >>> points_of("B>>A", "alder", "birch"), points_of("birch", "alder", "birch")
    (Fraction(0, 1), Fraction(0, 1))
    >>> points_of("both bad", "alder", "birch"), points_of("cedar", "alder", "birch")
    (Fraction(1, 2), None)
    >>> points_of("1.25", "alder", "birch")
    Fraction(3, 4)
    """
    if word in (first, second):
        return Fraction(int(word == first))
    number = _number(word)
    if number is None:
        return _POINTS.get(_plain(word))
    if number in (0, -1):
        return _HALF + number / 2
    return 2 - number if 1 <= number <= 2 else None


def _are_verdicts(words: Collection[str]) -> bool:
    """Return whether words can hardly be anything but verdicts, without names beside them.

    >>> _are_verdicts(["win", "tie", "lose"]), _are_verdicts(["A", "B", "tie"])
    (True, True)
    >>> _are_verdicts(["1", "2"]), _are_verdicts(["A", "B", "C", "D"]), _are_verdicts(["same"])
    (False, False, False)
    """
    plain = {_plain(word) for word in words if not _is_nothing(word)}
    return bool(plain) and plain <= _POINTS.keys() and not plain <= _BARE


def _word(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _number(word: str) -> Fraction | None:
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold what; None where there is no such column."""

    verdict: str | None
    systems: tuple[str, str] | None
    texts: tuple[str, str] | None
    item: str | None
    prompt: str | None
    unknown: tuple[str, str] | None = None
    """Two columns alike but for their side, of which nobody knows whether they name systems"""
    names: Collection[str] = ()
    """All columns, in small letters"""


_OF_HARNESSES: Final = _Layout(
    "winner", ("model_a", "model_b"), ("output_a", "output_b"), "item", "prompt"
)
"""The rows that harnesses are brought to"""


def _sided(names: Mapping[str, str], words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield all two columns that are alike but for their side: model_a and model_b."""
    for word in words:
        for sides in _SIDES:
            for pattern in (f"{word}_{{}}", f"{word}{{}}", f"{{}}_{word}", f"{word} {{}}"):
                one, other = (pattern.format(side).strip("_ ") for side in sides)
                if one in names and other in names:
                    yield names[one], names[other]


def _layout(rows: Sequence[Fields], item: str | None = None) -> _Layout:
    columns = list(dict.fromkeys(name for row in rows for name in row if isinstance(name, str)))
    if item is not None and item not in columns:
        raise UsageError(f"there is no column {item!r} (--item); there are {listed(columns)}")
    names = {name.strip().lower(): name for name in columns}

    def first_of(candidates: Iterable[str]) -> str | None:
        return next((names[name] for name in candidates if name in names), None)

    verdict = first_of(VERDICTS)
    doubtful = list(_sided(names, _SYSTEMS_OR_TEXTS))
    systems = [*_sided(names, _SYSTEMS), *(pair for pair in doubtful if _are_names(rows, pair))]
    words = {_plain(_word(row.get(verdict))) for row in rows} if verdict else set[str]()
    systems.sort(key=lambda pair: not {_plain(name) for name in pair} <= words)
    return _Layout(
        verdict,
        systems[0] if systems else None,
        next(_sided(names, _TEXTS), None),
        item or first_of(_ITEMS),
        first_of(_PROMPTS),
        next((pair for pair in doubtful if pair not in systems), None),
        names.keys(),
    )


def _are_names(rows: Sequence[Fields], pair: tuple[str, str]) -> bool:
    """Return whether two columns hold names, which come again, rather than texts."""
    words = [_word(row.get(column)) for row in rows for column in pair]
    if not all(words) or max(map(len, words)) > _LONGEST_LABEL:
        return False
    return 2 <= len(set(words)) <= max(2, 0.75 * len(words)) and not any(
        "." in word for word in words if _number(word) is not None
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
    return are_preferences(first_rows(head))


def are_preferences(rows: Sequence[Fields]) -> bool:
    """Return whether the rows of a table say which of two systems was preferred.

    >>> are_preferences([{"id": 1, "model_a": "x", "model_b": "y", "winner": "tie"}])
    True
    """
    rows = list(map(_plain_row, rows))
    layout = _layout(rows)
    if layout.verdict is None:
        return False
    words = [_word(row.get(layout.verdict)) for row in rows]
    if layout.systems is not None:
        one, other = layout.systems
        return any(
            _number(word) is not None
            or _is_nothing(word)
            or points_of(word, _word(row.get(one)), _word(row.get(other))) is not None
            for word, row in zip(words, rows, strict=True)
        )
    alone = layout.verdict.strip().lower() in _ALONE and _ONE_SYSTEM.isdisjoint(layout.names)
    return alone and _are_verdicts(words)


def _refuses(head: Head) -> DataError | None:
    """Return the refusal of a table of columns that count wins, ties and losses."""
    layout = _layout(first_rows(head))
    if TOTALS.isdisjoint(layout.names) or layout.systems is None or layout.verdict:
        return None
    remedy = "give one row per judgment: model_a, model_b, winner"
    return DataError(f"{shown(head.path)}: wins are counted in columns; {remedy}")


def _judgments(
    rows: Sequence[Record],
    layout: _Layout,
    problems: Findings,
    names: tuple[str, str] | None = None,
    clear: int = 1,
) -> Iterator[Judgment]:
    """Yield the judgments of all rows; what is none is named.

    `names` are the two systems of a table that does not name them; a clear lead counts so often.
    """
    used = {
        layout.verdict, layout.item, layout.prompt, *(layout.systems or ()),
        *(layout.texts or ()),
    }  # fmt: skip
    prompts: dict[str, str] = {}
    for number, (place, row) in enumerate(rows, 1):
        first, second = names or (_word(row.get(name)) for name in layout.systems or ())
        word, prompt, item = (
            _word(row.get(name)) if name else ""
            for name in (layout.verdict, layout.prompt, layout.item)
        )
        points = points_of(word, first, second)
        if not first or not second or first == second:
            problems.complain(f"{place}: {first!r} and {second!r} are no two systems; name two")
        elif _is_nothing(word):
            problems.warn(f"{place}: there is no verdict but {word!r}; the judgment was left out")
        elif points is None:
            problems.complain(
                f"{place}: the verdict is {word!r}; write A, B or tie, or name {first} or {second}"
            )
        elif layout.item and not item:
            problems.complain(f"{place}: the column {layout.item!r} is empty")
        else:
            # The same text is the same prompt; without any, each row is one.
            item = item or prompts.setdefault(prompt or f"\0{number}", str(len(prompts) + 1))
            weight = clear if ">>" in word or "<<" in word else 1
            labels, outputs = _labels(row, used), _outputs(row, layout)
            yield Judgment(item, first, second, float(points), weight, labels, prompt, outputs)


def _plain_row(row: Fields) -> dict[str, Any]:
    """Return a row of the Chatbot Arena as other tables have it: a winner, a prompt and outputs.

    >>> _plain_row({"winner_model_a": 0, "winner_model_b": 1, "winner_tie": 0})
    {'winner': 'B'}
    >>> _plain_row({"conversation_a": [{"content": "Hi"}, {"content": "Hello"}]})
    {'conversation_a': 'Hello', 'prompt': 'Hi'}
    """
    plain = dict(row)
    if row.keys() >= _WON.keys():
        won = [word for column, word in _WON.items() if _number(_word(plain.pop(column))) == 1]
        plain["winner"] = won[0] if len(won) == 1 else ""
    for column in ("conversation_a", "conversation_b"):
        if isinstance(messages := row.get(column), list) and messages:
            *asked, plain[column] = (
                message.get("content") if isinstance(message, dict) else message
                for message in messages
            )
            plain.setdefault("prompt", asked[0] if asked else "")
    return plain


def _in_table(
    path: str,
    rows: Sequence[Record],
    problems: Findings,
    item: str | None,
    names: str | None,
) -> Collected:
    """Return the judgments of a table; `names` are the two systems, if it does not name them."""
    rows = [Record(place, _plain_row(fields)) for place, fields in rows]
    fields = [row.fields for row in rows]
    layout = _layout(fields, item)
    if layout.verdict is None:
        columns = listed(list(dict.fromkeys(column for row in fields for column in row)))
        finding = f"no column such as winner or preference among {columns}"
        raise DataError(f"{shown(path)}: {finding}; call the verdict winner")
    if layout.item is None and layout.prompt is None and not layout.texts:
        problems.warn(f"{shown(path)}: each row was taken for a prompt; --item names their column")
    both = _names(path, layout, names, problems)
    words = {word for row in fields if not _is_nothing(word := _word(row.get(layout.verdict)))}
    numbers = {_number(word) for word in words}
    if words and (numbers <= {0, 1} or numbers >= {-1, 2}):
        finding = f"the column {layout.verdict!r} holds {listed(sorted(words))}"
        raise DataError(f"{shown(path)}: {finding}; write A, B and tie, or 1, 2 and 0")
    ordered = layout.systems is not None or layout.texts is not None
    return Collected(list(_judgments(rows, layout, problems, both)), ordered)


def _names(
    path: str, layout: _Layout, both: str | None, problems: Findings
) -> tuple[str, str] | None:
    """Return the two systems of a table that does not name them; None if it does."""
    if both is not None:
        if layout.systems is not None:
            raise UsageError(f"{' and '.join(layout.systems)} name the systems; drop --names")
        first, _, second = (part.strip() for part in both.partition(","))
        if not first or not second or first == second or "," in second:
            raise UsageError(f"--names wants two systems, A,B, not {both!r}")
        return first, second
    if layout.systems is not None:
        return None
    if layout.unknown is not None:
        raise DataError(
            f"{shown(path)}: {' and '.join(layout.unknown)} may be names or outputs; call them "
            "model_a and model_b, or output_a and output_b"
        )
    called = "no column names the systems, called A and B; --as preferences --names X,Y does"
    problems.warn(f"{shown(path)}: {called}")
    return "A", "B"


def _outputs(row: Fields, layout: _Layout) -> tuple[str, str] | None:
    """Return both outputs, if they are texts."""
    one, other = (row.get(name) for name in layout.texts or ("", ""))
    return (one, other) if isinstance(one, str) and isinstance(other, str) else None


def _labels(row: Fields, used: Collection[str | None]) -> dict[str, str]:
    return {
        name: text
        for name, cell in row.items()
        if name not in used
        and isinstance(cell, str | int | bool)
        and len(text := _word(cell)) <= _LONGEST_LABEL
    }


def _collect_tables(sources: Sources, options: PreferenceOptions, problems: Findings) -> Collected:
    tables = []
    for source in map(parse_source, sources.systems):
        for path in source.paths:
            rows = list(read_records(path, problems=problems))
            tables.append(_in_table(path, rows, problems, sources.item, options.names))
    judgments = [judgment for table in tables for judgment in table.judgments]
    return Collected(judgments, all(table.ordered for table in tables))


def _collect_harness(
    harness: PairwiseHarness, sources: Sources, _: NoOptions, problems: Findings
) -> Collected:
    """Read all files of a harness as one table: prompts are told apart by texts across files."""
    rows: list[Record] = []
    for each in sources.systems:
        source = parse_source(each)
        named = {harness.system: source.name} if harness.system and source.name else {}
        for path in source.paths:
            for place, fields in read_records(path, problems=problems):
                try:
                    rows += [Record(place, row) for row in harness.rows({**fields, **named})]
                except (KeyError, TypeError, ValueError, AttributeError):
                    keys = ", ".join(harness.keys)
                    problems.complain(f"{place}: this is no judgment with an item, {keys}")
    path = shown(parse_source(sources.systems[0]).paths[0])
    if not rows:
        raise DataError(f"{path}: there is no judgment")
    layout = replace(_OF_HARNESSES, item="item" if "item" in rows[0].fields else None)
    judgments = list(_judgments(rows, layout, problems, clear=harness.clear))
    reference = None
    if harness.system is not None and judgments:
        in_all = set.intersection(*({row.first, row.second} for row in judgments))
        reference = next(iter(in_all)) if len(in_all) == 1 else None
    return Collected(judgments, harness.ordered, reference, harness.agreement)


def rows_of(frame: Any, most: int | None = None) -> list[dict[str, Any]]:
    """Return the first rows, or all, of a data frame or of a dictionary of columns."""
    if isinstance(frame, Mapping):
        rows = zip(*frame.values(), strict=True)
        return [dict(zip(frame, cells, strict=True)) for cells in islice(rows, most)]
    return list((frame if most is None else frame.head(most)).rows(named=True))


def is_judged_frame(frame: Any) -> bool:
    """Return whether a data frame says row by row which of two systems was preferred."""
    with suppress(TypeError, ValueError):  # columns that are none: the reader of tables says it
        return are_preferences(rows_of(frame, GLANCED))
    return False


def read_frame(sources: Sources, options: PreferenceOptions, frame: Any) -> Counts:
    """Return the counts of judgments in memory, as those of a file."""
    from tellapart.formats.preferences.assembly import assemble

    problems = Findings(strict=True)
    rows = [Record(f"row {k}", row) for k, row in enumerate(rows_of(frame), 1)]
    collected = _in_table("the frame", rows, problems, sources.item, options.names)
    return assemble(collected, sources.missing or "error", problems)


def _preference_format(
    name: str,
    about: str,
    recognises: Callable[[Head], bool],
    collect: Callable[[Sources, Any, Findings], Collected],
    **more: Any,
) -> Format:
    """Return the format of files of judgments: `collect` reads all files together."""

    def read(sources: Sources, options: Any) -> Counts:
        from tellapart.formats.preferences.assembly import assemble

        problems = Findings(strict=True)
        return assemble(collect(sources, options, problems), sources.missing or "error", problems)

    def findings(files: Sequence[str], gold: Sequence[str], options: Any) -> Iterable[Finding]:
        def read_one(path: str, problems: Findings) -> None:
            collect(Sources((path,)), options, problems)

        sources = Sources(tuple(files), tuple(gold))
        return findings_of(paths_of(files), read_one, lambda: read(sources, options).notices)

    return Format((name,), about, recognises, read, findings=findings, item_column=True, **more)


def _harness_format(harness: PairwiseHarness) -> Format:
    def recognises(head: Head) -> bool:
        return set(harness.keys) <= next(iter(first_rows(head)), {}).keys()

    collect = partial(_collect_harness, harness)
    return _preference_format(harness.name, harness.about, recognises, collect)


FORMATS: Final = (
    *map(_harness_format, HARNESSES),
    _preference_format(
        "preferences",
        "tables of which of two systems was preferred",
        _recognises,
        _collect_tables,
        options=PreferenceOptions,
        refuses=_refuses,
    ),
)

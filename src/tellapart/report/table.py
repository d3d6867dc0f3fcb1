r"""One table, and how it is written: for a terminal, in Markdown, in LaTeX, as TSV, for a page.

>>> table = Table(
...     (Column("pair", "name"), Column("95 % CI", "interval"), Column("p", "p")),
...     (Row((Cell(("new", "old")), Cell(("-0.100", "+0.250")), Cell((".0284",), " *"))),),
...     notes=("* p at most 0.05",),
... )
>>> print(terminal(table))
  pair             95 % CI      p
  new - old  -0.100 +0.250  .0284 *
  * p at most 0.05
>>> print(markdown(table), end="")
| pair | 95 % CI | p |
| --- | ---: | ---: |
| new - old | -0.100 to +0.250 | .0284 \* |
<BLANKLINE>
\* p at most 0.05
>>> print(latex(table).splitlines()[6])
new $-$ old & $-0.100$ to $+0.250$ & .0284$^*$ \\
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tellapart.console import styled
from tellapart.report.text import (
    INDENT,
    WIDTH,
    columns,
    filled,
    joined_ends,
    left,
    right,
    short_names,
    shortened,
)
from tellapart.words import clean

WORDS: Final = ("name", "text")
"""Kinds of columns that stand at the left"""
_JOINT: Final = {"interval": " ", "range": " - "}
"""What stands between the ends of intervals in a terminal, where they stand below each other"""
_SHORTEST_NAME, _SHORTEST_HEAD = 4, 7  # so short names may be before a table is too wide
_LONGEST_HEAD = 12  # of names in a table that is continued below


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head, and what is in it."""

    head: str
    kind: str = "number"
    """``name`` (of systems, shortened where there is no room), ``text``, ``number``,
    ``difference``, ``interval`` (of differences), ``range`` (of scores) or ``p``"""
    write: Callable[[Any], Cell | str] = str
    """What makes a cell of what a row is about"""
    of_system: bool = False
    """Whether the head is the name of a system, which may be shortened"""
    spare: bool = False
    """Whether others tell it, so that it is left out before names are cut"""

    def mapped(self, about: Callable[[Any], Any]) -> Column:
        """Return the column for things of which it tells what they are `about`."""
        return replace(self, write=lambda thing: self.write(about(thing)))

    def cell(self, thing: Any) -> Cell:
        """Return the cell in the row of a thing."""
        made = self.write(thing)
        return made if isinstance(made, Cell) else Cell((made,))

    def text(self, content: Cell) -> str:
        """Return what a cell says in one line, without its mark."""
        if self.kind in _JOINT and len(content.parts) == 2:
            return joined_ends(*content.parts)
        return clean((" - " if self.kind == "name" else " ").join(content.parts))


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a row and a column: names of systems, ends of an interval, or one text."""

    parts: tuple[str, ...] = ()
    mark: str = ""
    """What follows, such as a star"""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row, with a heading across the table before it where a new section begins."""

    cells: tuple[Cell, ...]
    heading: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows, a caption, and notes."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    keys: int | None = None
    """How many columns are repeated where a terminal is too narrow for all others, which then stand
    in parts below each other; None where they do not"""

    @classmethod
    def of(
        cls,
        things: Iterable[Any],
        columns: Sequence[Column],
        caption: str = "",
        *,
        section: Callable[[Any], str] = lambda _: "",
        bold: Callable[[Any], bool] = lambda _: False,
        **rest: Any,
    ) -> Table:
        """Return a table with a row for each thing; a new section has its heading."""
        rows, last = [], ""
        for thing in things:
            heading = section(thing)
            cells = tuple(column.cell(thing) for column in columns)
            rows.append(Row(cells, "" if heading == last else heading, bold(thing)))
            last = heading
        return cls(tuple(columns), tuple(rows), caption, **rest)

    def texts(self, row: Row) -> list[str]:
        """Return the cells of a row as texts with their marks."""
        both = zip(self.columns, row.cells, strict=True)
        return [f"{column.text(content)}{content.mark}" for column, content in both]

    def without_empty(self) -> Table:
        """Return the table for readers: without columns that say nothing in any row."""

        def stays(k: int, column: Column) -> bool:
            is_needed = k < (self.keys or 1) or column.of_system or column.kind == "p"
            return is_needed or any(column.text(r.cells[k]) not in ("", "-") for r in self.rows)

        return self.taken([k for k, column in enumerate(self.columns) if stays(k, column)])

    def taken(self, kept: Sequence[int]) -> Table:
        """Return the table with some of its columns."""
        rows = (replace(row, cells=tuple(row.cells[k] for k in kept)) for row in self.rows)
        return replace(self, columns=tuple(self.columns[k] for k in kept), rows=tuple(rows))


def starred(text: str, is_so: bool | None, star: str = "*") -> Cell:
    """Return a cell with a star where something is so."""
    return Cell((text,), f" {star}" if is_so else "")


def columns_of(
    names: Iterable[str],
    write: Callable[[Any, str], Cell | str],
    kind: str = "number",
    *,
    of_systems: bool = False,
) -> list[Column]:
    """Return a column for each name, of a system or of something else."""

    def column(name: str) -> Column:
        return Column(name, kind, lambda thing: write(thing, name), of_systems)

    return [column(name) for name in names]


# For a terminal


def terminal(table: Table, width: int = WIDTH, *, colour: bool = False) -> str:
    """Return a table in lines that fit a terminal.

    Names are shortened as little as that takes, and the notes say how. Columns of systems that do
    not fit beside each other stand in further parts below.
    """
    table = table.without_empty()
    names, gap, blocks = _fitted(table, width)
    body = [line for block in blocks for line in ("", *_body(block, names, gap, colour))][1:]
    notes = (line for note in (*table.notes, shortened(names)) for line in _note(note, width))
    return "\n".join([*_note(table.caption, width), *body, *notes])


def _note(note: str, width: int) -> list[str]:
    return filled(clean(note), INDENT, width).splitlines()


def _fitted(table: Table, width: int) -> tuple[dict[str, str], int, list[Table]]:
    """Return names as they are shown, the gap between columns, and parts that stand below."""
    rows = (row.cells[0].parts for row in table.rows if table.columns[0].kind == "name")
    heads = (column.head for column in table.columns if column.of_system)
    names = list(dict.fromkeys([*(name for parts in rows for name in parts), *heads]))
    longest = max((columns(clean(name)) for name in names), default=0)
    least = min(longest, _SHORTEST_NAME if table.keys is None else _SHORTEST_HEAD)
    short: dict[str, str] = {}
    needed = table.taken([k for k, column in enumerate(table.columns) if not column.spare])
    tried = [(table, longest), (needed, longest)]
    for own, limit in [*tried, *((table, limit) for limit in range(longest - 1, least - 1, -1))]:
        short = short_names(names, limit)
        taken = sum(_widths(own, short))
        for gap in (2, 1):  # closer together, for the sake of names
            if len(INDENT) + taken + gap * (len(own.columns) - 1) <= width:
                return short, gap, [own]
    if table.keys is None:
        return short, 1, [table]
    short = short_names(names, _LONGEST_HEAD)
    return short, 2, [table.taken(part) for part in _parts(table, table.keys, short, width)]


def _parts(table: Table, keys: int, names: Mapping[str, str], width: int) -> list[list[int]]:
    """Return the columns of each part: the keys, and as many others as fit beside them."""
    taken = [own + 2 for own in _widths(table, names)]
    parts: list[list[int]] = [[]]
    for k in range(keys, len(taken)):
        beside = [*range(keys), *parts[-1], k]
        if parts[-1] and sum(taken[j] for j in beside) > width:
            # An interval stays beside what it is of.
            both = table.columns[k].kind in _JOINT and len(parts[-1]) > 1
            parts.append([parts[-1].pop()] if both else [])
        parts[-1].append(k)
    return [[*range(keys), *part] for part in parts]


def _widths(table: Table, names: Mapping[str, str]) -> list[int]:
    return [columns(head) for head, *_ in _aligned(table, names)]


def _aligned(table: Table, names: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the head and the cells of each column with their marks, all of the same width."""
    for k, column in enumerate(table.columns):
        cells = [row.cells[k] for row in table.rows]
        texts = [names[column.head] if column.of_system else clean(column.head)]
        joint = _JOINT.get(column.kind)
        for cell in cells:
            if column.kind == "name" and k == 0:
                texts.append(" - ".join(names[name] for name in cell.parts))
            elif joint and not {"-", "inf", "-inf"} & {*cell.parts}:
                texts.append(joint.join(cell.parts))
            else:
                texts.append(column.text(cell))
        marks = ["", *(cell.mark for cell in cells)]
        width, room = max(map(columns, texts)), max(map(columns, marks))
        place = left if column.kind in WORDS else right
        both = zip(texts, marks, strict=True)
        yield [place(text, width) + left(mark, room) for text, mark in both]


def _body(table: Table, names: Mapping[str, str], gap: int, colour: bool) -> list[str]:
    """Return the lines between caption and notes."""
    joined = (f"{INDENT}{(' ' * gap).join(c)}" for c in zip(*_aligned(table, names), strict=True))
    head, *rows = map(str.rstrip, joined)
    lines = [head]
    for row, line in zip(table.rows, rows, strict=True):
        lines += [f"{INDENT}{clean(row.heading)}:"] if row.heading else []
        lines.append(styled(line, "bold") if colour and row.bold else line)
    return lines


# In Markdown

# Underscores in a word, as names have them, mean nothing; nor does @ after a letter (pass@4).
_MARKUP: Final = re.compile(
    r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|(?<!\w)[@#]|:(?=//)|(?<=www)\."
)
_ADDRESS: Final = re.compile(r"(?<=[\w.+-])\\?@(?=[\w-]*\.)")
_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_text(text: str) -> str:
    r"""Return text for Markdown that says just that: no markup, no HTML, no links, no mentions.

    >>> print(markdown_text("[old](http://x) <b> a_b | c"))
    \[old\](http\://x) &lt;b&gt; a_b \| c
    """
    escaped = _MARKUP.sub(r"\\\g<0>", clean(text)).translate(_HTML)
    # Addresses become links however they are escaped, unless something stands between.
    return _ADDRESS.sub(r"\g<0><!-- -->", escaped)


def markdown(table: Table) -> str:
    """Return a table in Markdown as GitHub reads it: caption, table, notes."""
    table = table.without_empty()
    lines = [_paragraph(table.caption), ""] if table.caption else []
    lines.append(_pipes(markdown_text(column.head) for column in table.columns))
    lines.append(_pipes("---" if column.kind in WORDS else "---:" for column in table.columns))
    for row in table.rows:
        if row.heading:
            blanks = [""] * (len(row.cells) - 1)
            lines.append(_pipes([f"**{markdown_text(row.heading)}**", *blanks]))
        lines.append(_pipes(map(markdown_text, table.texts(row))))
    for note in table.notes:
        lines += ["", _paragraph(note)]
    return "\n".join(lines) + "\n"


def _paragraph(text: str) -> str:
    """Return text that does not begin a list."""
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", markdown_text(text))


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


# As tab-separated values

_RUN: Final = ("=", "+", "-", "@")  # what begins a formula
_NUMBER: Final = re.compile(r"[+-]?(\d*\.?\d+(e[+-]?\d+)?|inf|nan)?")


def tsv(table: Table) -> str:
    """Return heads and rows as tab-separated values, for programs."""
    rows = [[column.head for column in table.columns], *(table.texts(row) for row in table.rows)]
    return tsv_text(rows)


def tsv_text(rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows of texts as tab-separated values, one line each.

    >>> tsv_text([["system", "f1"], ["two\nlines", "0.5"]])
    'system\tf1\ntwo lines\t0.5\n'
    """
    return "".join("\t".join(spreadsheet_cell(clean(c)) for c in row) + "\n" for row in rows)


def spreadsheet_cell(text: str) -> str:
    """Return the text of a cell; one that a spreadsheet would run as a formula is quoted.

    >>> spreadsheet_cell("=HYPERLINK(A1)"), spreadsheet_cell("-0.25"), spreadsheet_cell("GE")
    ("'=HYPERLINK(A1)", '-0.25', 'GE')
    """
    runs = text.lstrip().startswith(_RUN) and not _NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


# In LaTeX

_LATEX: Final = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip
_SIGNS: Final = {"*": "$^*$", "-": "$^-$", "=": "$^=$", "†": r"$^\dagger$", "‡": r"$^\ddagger$"}
_TYPESET: Final = {"†": r"$^\dagger$", "‡": r"$^\ddagger$", "×": r"$\times$", "≤": r"$\leq$",
                   r" \%": r"\,\%", "+ best; - ": "bold: best; $^-$ "}  # fmt: skip
_STAR: Final = re.compile(r"^\* ")
_FIGURE: Final = re.compile(r"(?<![\w.])([+-]?[\d.]+)(?:e-0*(\d+))?")
_P_NAME: Final = re.compile(r"\bp\b(?= at most|$)")
NEEDS_BOOKTABS: Final = r"% needs \usepackage{booktabs}"


def latex_text(words: str) -> str:
    r"""Return words as LaTeX prints them.

    >>> print(latex_text("a_b & 95 %, adjusted p at most 0.05"))
    a\_b \& 95\,\%, adjusted $p$ at most 0.05
    """
    text = clean(words).translate(_LATEX)
    for sign, typeset in _TYPESET.items():
        text = text.replace(sign, typeset)
    return _P_NAME.sub("$p$", _STAR.sub("$^*$ ", text))


def latex(table: Table) -> str:
    """Return a floating table in LaTeX, with the rules of booktabs and its notes in the caption."""
    table = table.without_empty()
    spec = "".join("l" if column.kind in WORDS else "r" for column in table.columns)
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines.append(" & ".join(latex_text(column.head) for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    for row in table.rows:
        if row.heading:
            name = rf"\textit{{{latex_text(row.heading)}}}"
            lines.append(rf"\multicolumn{{{len(spec)}}}{{l}}{{{name}}} \\")
        both = zip(table.columns, row.cells, strict=True)
        lines.append(" & ".join(_latex_cell(column, content) for column, content in both) + r" \\")
    notes = (table.caption, *table.notes)
    caption = " ".join(f"{latex_text(note).rstrip('.')}." for note in notes if note)
    end = [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}"]
    return "\n".join([*lines, *end]) + "\n"


def _latex_cell(column: Column, content: Cell) -> str:
    if column.kind == "name":
        return " $-$ ".join(map(latex_text, content.parts))
    shown = _FIGURE.sub(_latex_number, latex_text(column.text(content)))
    mark = content.mark.strip()
    if content.best:
        shown, mark = rf"\textbf{{{shown}}}", "" if mark == "+" else mark
    if not mark:
        return "--" if shown == "-" else shown
    return shown + (_SIGNS.get(mark) or rf"\textsuperscript{{{latex_text(mark)}}}")


def _latex_number(number: re.Match[str]) -> str:
    r"""Return a number with a sign or an exponent as it is typeset.

    >>> _FIGURE.sub(_latex_number, "+0.020, 7.1e-17"), _FIGURE.sub(_latex_number, "0.020, a-1")
    ('$+0.020$, $7.1\\times10^{-17}$', '0.020, a-1')
    """
    digits, power = number.groups()
    if power is not None:
        return rf"${digits}\times10^{{-{power}}}$"
    return f"${digits}$" if digits[0] in "+-" else digits

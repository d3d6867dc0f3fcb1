"""One table in five forms: what is in a cell is read back from each of them."""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options as CommonMark
from hypothesis import given
from hypothesis import strategies as st

from tellapart.report.table import (
    Cell,
    Column,
    Row,
    Table,
    columns_of,
    latex,
    markdown,
    terminal,
    tsv,
)
from tellapart.report.text import columns

PAIRS = Table(
    (Column("pair", "name"), Column("95 % CI", "interval"), Column("p", "p")),
    (
        Row((
            Cell(("new", "old")), Cell(("0.000", "+0.250")),
            Cell(("1.7e-18",), " *"),
        )),
        Row((Cell(("a_b", "c%d")), Cell(("-inf", "+0.100")), Cell(("-",))), "by f1"),
    ),
    notes=("* adjusted p at most 0.05", "+ best; - worse"),
)  # fmt: skip


class _Html(HTMLParser):
    """The cells of a table, and all tags beside its own."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.others: set[str] = set()
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.inside = tag in ("td", "th")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag not in ("table", "thead", "tbody", "p"):
            self.others.add(tag)

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def on_github(text: str) -> _Html:
    html = _Html()
    html.feed(cmarkgfm.github_flavored_markdown_to_html(text, options=CommonMark.CMARK_OPT_UNSAFE))
    return html


def as_markdown(text: str) -> Table:
    """Return a table with a text in head, cell, caption and note."""
    row = Row((Cell(("x",)), Cell((text,))))
    return Table((Column("x"), Column(text, "text")), (row,), text, notes=(text,))


@pytest.mark.parametrize(
    "text",
    [
        "[old](http://x)", "<b>bold</b>", "a | b", "*star*", "_a_b_", "`code`", "~~gone~~", "$x$",
        "@someone", "#12", "www.example.com", "https://example.com", "ann@example.com", "\\|",
        "&lt;", "http\\://x.y", "mailto:a.b@c.de", "[^1]", ":+1:", "xmpp:a@b.c", "![i](x)",
        "- item", "+ best", "1. first", "# head", "> quote", "=1+1", "pass@4", "a_b_c",
    ],
)  # fmt: skip
def test_github_shows_what_was_written_and_nothing_more(text: str) -> None:
    read = on_github(markdown(as_markdown(text)))
    assert read.others == set()
    assert [row[1].strip() for row in read.rows][:2] == [text, text]


@given(st.text(st.sampled_from("ab_*|~`<>&#@$\\[]()!:/.-+1 w"), min_size=1, max_size=20))
def test_github_obeys_nothing_in_a_cell(text: str) -> None:
    read = on_github(markdown(as_markdown(f"x{text}x")))
    assert read.others == set()
    shown = " ".join(read.rows[1][1].split())
    assert shown == " ".join(f"x{text}x".split())


def test_latex_escapes_and_typesets() -> None:
    lines = latex(PAIRS).splitlines()
    assert r"new $-$ old & 0.000 to $+0.250$ & $1.7\times10^{-18}$$^*$ \\" in lines
    assert r"a\_b $-$ c\%d & $+0.100$ or less & -- \\" in lines
    assert any(line.startswith(r"pair & 95\,\% CI & $p$") for line in lines)
    assert any(r"$^*$ adjusted $p$ at most 0.05" in line for line in lines)


def test_a_spreadsheet_runs_nothing() -> None:
    table = Table.of(["=HYPERLINK(A1)", "-0.25", "@x", "two\nlines\tmore"], [Column("x", "text")])
    assert tsv(table).splitlines() == ["x", "'=HYPERLINK(A1)", "-0.25", "'@x", "two lines more"]


@given(
    st.lists(st.text("abc日本-", min_size=1, max_size=40), min_size=1, max_size=4, unique=True),
    st.sampled_from([60, 80, 100]),
)
def test_a_terminal_shows_every_name_whole_or_says_what_it_is_short_for(
    names: list[str], width: int
) -> None:
    """Rows and columns of systems, as a matrix has them."""
    table = Table.of(
        names, [Column("", "name"), *columns_of(names, lambda *_: "1.000", of_systems=True)], keys=1
    )
    lines = terminal(table, width).splitlines()
    assert max(map(columns, lines)) <= width
    whole = "".join("".join(lines).split())
    assert all(name in whole for name in names)
    assert whole.count("1.000") == len(names) ** 2


def test_what_others_tell_is_left_out_before_names_are_cut() -> None:
    name = "b" * 40
    table = Table.of(["1" * 30], [Column("x", "name", lambda _: name), Column("y"),
                                  Column("spare", spare=True)])  # fmt: skip
    assert "spare" not in terminal(table)
    assert name in terminal(table)
    assert "spare" in terminal(table, 110)

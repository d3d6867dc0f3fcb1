"""TBF: which lines make which document, and what is wrong with a line."""

from __future__ import annotations

import pytest

from tellapart.errors import DataError
from tellapart.formats.annotation.tbf import cut, parse

LINE = "me\td\t{id}\t{span}\ttext\tLife_Die\tActual"


def mention(name: str = "E1", span: str = "0,4") -> str:
    return LINE.format(id=name, span=span)


def document(*lines: str, name: str = "d") -> str:
    return "\n".join([f"#BeginOfDocument {name}", *lines, "#EndOfDocument", ""])


@pytest.mark.parametrize("span", ["7", "7,12;", "", "1_0,2_0", "٣,٤", "1.0,2", f"0,1{9 * '0'}1"])
def test_bad_spans(span: str) -> None:
    with pytest.raises(DataError, match=r"text:2: column 4: the span"):
        parse(cut(document(mention(span=span))), "d", token_mode=False)

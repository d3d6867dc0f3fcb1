"""The fill grammar, premodifiers and equality of the MUC scorer."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN
from tellapart.formats.templates.muc_fills import FillError, parse_fill, readable
from tellapart.formats.templates.values import (
    Alternatives,
    Between,
    Location,
    Optional,
    Qualified,
    Range,
    Reference,
    Value,
    equal,
    shown,
)

T = DESIGN.text


def alt(*texts: str) -> Alternatives:
    return Alternatives(tuple(map(T, texts)))


def qual(name: str, kind: str = "CITY") -> Qualified:
    return Qualified(T(name), T(kind))


def days(low: str, high: str) -> Range:
    return Range(T(low), T(high))


def peru(*places: Value) -> Location:
    return Location((T("PERU"), *places))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", '"A" / "B"', alt('"A"', '"B"')),
        ("string", '? "A" / "B"', Optional(alt('"A"', '"B"'))),
        ("string", r'"\"SANTO TOMAS\" FARM"', T(r'"\"SANTO TOMAS\" FARM"')),
        ("string", '("A" / "B") / "C"', alt('"A"', '"B"', '"C"')),
        ("string", '"-"', T('"-"')),
        ("string", "-", None),
        ("string", "*", None),
        ("string", "()", None),
        ("string", "? -", None),
        ("set", 'death: "Jesuits"', Reference(T("DEATH"), T('"JESUITS"'))),
        ("set", 'GUN / RIFLE: "X" / "Y"', Reference(alt("GUN", "RIFLE"), alt('"X"', '"Y"'))),
        ("set", 'GUN: "-"', Reference(T("GUN"), T('"-"'))),
        ("set", "GUN: -", Reference(T("GUN"), T("-"))),
        ("set", "GUN:", T("GUN")),
        ("set", '(DEATH: "X")', Reference(T("DEATH"), T('"X"'))),
        ("date", "01 FEB 90 - 05 FEB 90", days("01 FEB 90", "05 FEB 90")),
        ("date", "- 15 OCT 89", Range(None, T("15 OCT 89"))),
        ("date", "15 OCT 89 -", Range(T("15 OCT 89"), None)),
        ("date", "-", None),
        ("date", "(5 MAY 90) / (4 MAY 90 - 5 MAY 90)",
         Alternatives((T("5 MAY 90"), days("4 MAY 90", "5 MAY 90")))),
        ("date", "5 MAY 90 / 4 MAY 90 - 5 MAY 90",
         Range(alt("5 MAY 90", "4 MAY 90"), T("5 MAY 90"))),
        ("date", "(1 MAY 90 - 2 MAY 90) / 4 MAY 90 - 5 MAY 90",
         Alternatives((days("1 MAY 90", "2 MAY 90"), days("4 MAY 90", "5 MAY 90")))),
        ("number", '7: "X"', Reference(T("7"), T('"X"'))),
        ("number", "5 - 7", Range(T("5"), T("7"))),
        ("number", '5 - 7: "X"', Reference(T("5 - 7"), T('"X"'))),
        ("number", '- 12 / 15: "X"', Reference(alt("- 12", "15"), T('"X"'))),
        ("number", "12 / 15", alt("12", "15")),
        ("location", "PERU", T("PERU")),
        ("location", "PERU: LIMA (CITY): SAN ISIDRO (NEIGHBORHOOD)",
         peru(qual("LIMA"), qual("SAN ISIDRO", "NEIGHBORHOOD"))),
        ("location", "PERU: LIMA (CITY) - CUZCO (CITY)",
         peru(Between(qual("LIMA"), qual("CUZCO")))),
        ("location", "PERU: A (CITY) / PERU: B (TOWN)",
         Alternatives((peru(qual("A")), peru(qual("B", "TOWN"))))),
        ("location", "(PERU: A (CITY)) / (PERU)", Alternatives((peru(qual("A")), T("PERU")))),
        ("location", "PERU: LIMA (CITY / MUNICIPALITY)",
         peru(Qualified(T("LIMA"), alt("CITY", "MUNICIPALITY")))),
        ("location", "PERU: LIMA: CENTRE", peru(T("LIMA"), T("CENTRE"))),
    ],
)  # fmt: skip
def test_fills_parse(kind: str, text: str, value: Value) -> None:
    assert parse_fill(text, kind, DESIGN) == value


@pytest.mark.parametrize(
    ("kind", "text", "read"),
    [
        ("set", 'INJURY: "MEN" THERE', 'INJURY: "MEN"'),
        ("set", 'INJURY: "MEN', 'INJURY: "MEN"'),
        ("set", 'INJURY: ("MEN" / "BOYS"', 'INJURY: "MEN" / "BOYS"'),
        ("set", 'INJURY: "MEN": "BOYS"', 'INJURY: "MEN"'),
        ("set", '(INJURY: "MEN") / (DEATH: "BOYS")', 'INJURY: "MEN"'),
        ("string", '"MEN" / ', '"MEN"'),
        ("string", '"A) B (C/-D" / "E" X', '"A) B (C/-D" / "E"'),
        ("date", "1 JAN 90 - 2 JAN 90 - 3 JAN 90", "1 JAN 90 - 2 JAN 90"),
        ("date", "-" * 201, None),
        ("location", "PERU (COUNTRY): LIMA (CITY)", "PERU (COUNTRY)"),
        ("location", "PERU: LIMA (CITY) (TOWN)", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY) -", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY", "PERU: LIMA (CITY)"),
        ("location", "(PERU: LIMA (CITY)): X", "PERU: LIMA (CITY)"),
    ],
)
def test_fills_that_do_not_parse_are_read_as_far_as_they_can(
    kind: str, text: str, read: str | None
) -> None:
    with pytest.raises(FillError):
        parse_fill(text, kind, DESIGN)
    value = readable(text, kind, DESIGN)
    assert value == (None if read is None else parse_fill(read, kind, DESIGN))


@given(st.text(alphabet='AB"\\/:-()[]? 19', max_size=25), st.sampled_from(
    ["string", "set", "number", "date", "location"]))  # fmt: skip
def test_whatever_is_written_is_read_or_refused(text: str, kind: str) -> None:
    with suppress(FillError):
        assert isinstance(shown(parse_fill(text, kind, DESIGN)), str)
    readable(text, kind, DESIGN)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ('"THE OIL PIPELINE"', '"OIL PIPELINE"', True),
        ('"TWO OF THE MEN"', '"MEN"', True),
        ('"MEN THE"', '"MEN"', False),
        ("02 FEB 90", "01 FEB 90", True),
        ("12 FEB 90", "11 FEB 90", True),
        ("22 FEB 90", "12 FEB 90", False),
        ("20 FEB 90", "10 FEB 90", False),
    ],
)
def test_premodifiers_are_stripped_as_in_1992(a: str, b: str, same: bool) -> None:
    assert equal(T(a), T(b)) is same


def test_equality_depends_on_the_order() -> None:
    tagged = Reference(T("GUN"), T('"X"'))
    place = peru(qual("LIMA"))
    assert equal(Optional(tagged), tagged)
    assert not equal(tagged, Optional(tagged))
    assert equal(Alternatives((place, T("PERU"))), place)
    assert not equal(place, Alternatives((place, T("PERU"))))
    assert equal(None, Optional(tagged))
    assert equal(T("A"), alt("A", "B"))

"""The fill grammar, premodifiers and equality of the MUC scorer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN
from tellapart.formats.templates.muc_fills import NO_TAG, FillError, parse_fill, read_fill
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


def qual(name: str, kind: str) -> Qualified:
    return Qualified(T(name), T(kind))


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
        ("string", "? -", None),
        ("set", 'death: "Jesuits"', Reference(T("DEATH"), T('"JESUITS"'))),
        ("set", 'GUN / RIFLE: "X" / "Y"', Reference(alt("GUN", "RIFLE"), alt('"X"', '"Y"'))),
        ("set", 'GUN: "-"', Reference(T("GUN"), T('"-"'))),
        ("set", "GUN: -", Reference(T("GUN"), T("-"))),
        ("set", '(DEATH: "X")', Reference(T("DEATH"), T('"X"'))),
        ("date", "01 FEB 90 - 05 FEB 90", Range(T("01 FEB 90"), T("05 FEB 90"))),
        ("date", "- 15 OCT 89", Range(None, T("15 OCT 89"))),
        ("date", "15 OCT 89 -", Range(T("15 OCT 89"), None)),
        ("date", "-", None),
        (
            "date",
            "(05 JAN 90) / (04 JAN 90 - 05 JAN 90)",
            Alternatives((T("05 JAN 90"), Range(T("04 JAN 90"), T("05 JAN 90")))),
        ),
        (
            "date",
            "05 JAN 90 / 04 JAN 90 - 05 JAN 90",
            Range(alt("05 JAN 90", "04 JAN 90"), T("05 JAN 90")),
        ),
        (
            "date",
            "(01 JAN 90 - 02 JAN 90) / 04 JAN 90 - 05 JAN 90",
            Alternatives(
                (Range(T("01 JAN 90"), T("02 JAN 90")), Range(T("04 JAN 90"), T("05 JAN 90")))
            ),
        ),
        ("number", '7: "X"', Reference(T("7"), T('"X"'))),
        ("number", "5 - 7", Range(T("5"), T("7"))),
        ("number", '5 - 7: "X"', Reference(T("5 - 7"), T('"X"'))),
        ("number", '- 12 / 15: "X"', Reference(alt("- 12", "15"), T('"X"'))),
        ("number", "12 / 15", alt("12", "15")),
        ("location", "PERU", T("PERU")),
        (
            "location",
            "PERU: LIMA (CITY): SAN ISIDRO (NEIGHBORHOOD)",
            Location((T("PERU"), qual("LIMA", "CITY"), qual("SAN ISIDRO", "NEIGHBORHOOD"))),
        ),
        (
            "location",
            "COLOMBIA: BOGOTA (CITY) - CALI (CITY)",
            Location((T("COLOMBIA"), Between(qual("BOGOTA", "CITY"), qual("CALI", "CITY")))),
        ),
        (
            "location",
            "PERU: A (CITY) / PERU: B (TOWN)",
            Alternatives(
                (
                    Location((T("PERU"), qual("A", "CITY"))),
                    Location((T("PERU"), qual("B", "TOWN"))),
                )
            ),
        ),
        (
            "location",
            "(PERU: A (CITY)) / (PERU)",
            Alternatives((Location((T("PERU"), qual("A", "CITY"))), T("PERU"))),
        ),
        (
            "location",
            "PERU: LIMA (CITY / MUNICIPALITY)",
            Location((T("PERU"), Qualified(T("LIMA"), alt("CITY", "MUNICIPALITY")))),
        ),
        ("location", "PERU: LIMA: CENTRE", Location((T("PERU"), T("LIMA"), T("CENTRE")))),
    ],
)
def test_fills_parse(kind: str, text: str, value: Value) -> None:
    assert parse_fill(text, kind, DESIGN) == value


@pytest.mark.parametrize(
    ("kind", "text", "kept"),
    [
        ("set", 'INJURY: "MEN" THERE', 'INJURY: "MEN"'),
        ("set", 'INJURY: "MEN', 'INJURY: "MEN"'),
        ("set", 'INJURY: ("MEN" / "BOYS"', 'INJURY: "MEN" / "BOYS"'),
        ("set", 'INJURY: "MEN": "BOYS"', 'INJURY: "MEN"'),
        ("set", 'INJURY: "MEN" / DEATH: "BOYS"', 'INJURY: "MEN"'),
        ("set", '(INJURY: "MEN") / (DEATH: "BOYS")', 'INJURY: "MEN"'),
        ("string", '"MEN" / "BOYS" / ("GIRLS" X)', '"MEN" / "BOYS" / "GIRLS"'),
        ("string", '("MEN") "BOYS"', '"MEN"'),
        ("date", "1 JAN 90 - 2 JAN 90 - 3 JAN 90", "1 JAN 90 - 2 JAN 90"),
        ("location", "PERU (COUNTRY): LIMA (CITY)", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY) (TOWN)", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY) -", "PERU: LIMA (CITY)"),
        ("location", "PERU: LIMA (CITY), CALLAO (PORT)", "PERU: LIMA (CITY)"),
        ("location", "(PERU: LIMA (CITY)): X", "PERU: LIMA (CITY)"),
        ("location", "? PERU: LIMA (CITY) HERE", "? PERU: LIMA (CITY)"),
    ],
)
def test_what_can_be_read_of_a_bad_fill_is_kept(kind: str, text: str, kept: str) -> None:
    value, remark = read_fill(text, kind, DESIGN)
    assert value == parse_fill(kept, kind, DESIGN)
    assert remark
    with pytest.raises(FillError):
        parse_fill(text, kind, DESIGN)


@given(st.text(alphabet='AB"\\/:-()[]? 19', max_size=25), st.sampled_from(
    ["string", "set", "number", "date", "location"]))  # fmt: skip
def test_whatever_is_written_is_read(text: str, kind: str) -> None:
    """Reading never fails, and what needs no remark is what strict reading gives."""
    value, remark = read_fill(text, kind, DESIGN)
    assert isinstance(shown(value), str)
    if remark in (None, NO_TAG):
        assert parse_fill(text, kind, DESIGN) == value
    else:
        with pytest.raises(FillError):
            parse_fill(text, kind, DESIGN)


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
    place = Location((T("PERU"), qual("LIMA", "CITY")))
    assert equal(Optional(tagged), tagged)
    assert not equal(tagged, Optional(tagged))
    assert equal(Alternatives((place, T("PERU"))), place)
    assert not equal(place, Alternatives((place, T("PERU"))))
    assert equal(None, Optional(tagged))
    assert equal(T("A"), alt("A", "B"))

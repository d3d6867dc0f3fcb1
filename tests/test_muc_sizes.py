"""Templates of absurd sizes: scored in moments, or refused in one sentence with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN, attack, counted, score, slot, template, write
from tellapart.cli import main
from tellapart.formats.templates.muc_fills import read_fill
from tellapart.formats.templates.values import Alternatives, Text, Value, equal, shown

MANY = 20_000


@pytest.mark.parametrize(
    ("name", "form", "many"),
    [("hum-tgt-desc", '"MAN {}"', MANY), ("inc-loc", "PERU: TOWN {} (TOWN)", 2000)],
)
def test_a_fill_of_thousands_of_alternatives(
    tmp_path: Path, name: str, form: str, many: int
) -> None:
    """The same ones in another order are correct; all others are not."""
    each = [form.format(k) for k in range(many + 1)]
    key, turned, other = (
        template(fills={"inc-type": "ATTACK", name: " / ".join(some)})
        for some in (each[1:], each[:0:-1], each[:-1])
    )
    assert counted(slot(score(tmp_path, [key], [turned]), name)) == {"pos": 1, "act": 1, "cor": 1}
    assert "cor" not in counted(slot(score(tmp_path, [key], [other]), name))


@pytest.mark.parametrize(
    "response",
    [
        attack(hum_tgt_desc=[f'"MAN {k}"' for k in range(2300)]),
        "".join(attack(number=str(k)) for k in range(1700)),
    ],
)
def test_what_would_take_hours_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], response: str
) -> None:
    """By every verb, in one sentence with file and line; the key alone may be as large."""
    key, large = write(tmp_path, "key.txt", attack()), write(tmp_path, "large.txt", response)
    for verb in ("score", "compare", "validate"):
        assert main([verb, "--as", "muc", "--gold", large, large, f"b={large}"]) == 2
        told = "".join(capsys.readouterr())
        assert f"{large}:1: message M1 has" in told
        assert "takes more than 10,000,000 comparisons" in told
    if response.count("MESSAGE: ID") == 1:
        assert main(["score", "--as", "muc", "--gold", key, large]) == 0


@pytest.mark.parametrize(
    ("text", "kind", "remark"),
    [
        ("(" * 5000 + "A" + ")" * 5000, "string", "brackets are nested"),
        ("(" * 5000, "location", "brackets are nested"),
        ("A (" * 3000, "location", "brackets are nested"),
        ("PERU: " + " - ".join(["A (CITY)"] * 5000), "location", "joined by dashes"),
    ],
)
def test_deep_fills(text: str, kind: str, remark: str) -> None:
    value, told = read_fill(text, kind, DESIGN)
    assert value is None
    assert told is not None
    assert remark in told


def test_a_history_that_is_nested_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "(optional " * 5000 + '"X"' + ")" * 5000
    history = write(tmp_path, "history.txt", f'(("M1" ("1" (inc-date\n ({deep} fail)))))')
    key = write(tmp_path, "key.txt", attack())
    assert main(["score", "--as", "muc", "--gold", key, "--history", history, key]) == 2
    assert f"{history}:2: the history does not parse: lists are nested" in capsys.readouterr().err


VALUES = st.recursive(
    st.one_of(st.none(), st.sampled_from(["A", "B", "THE A"]).map(DESIGN.text)),
    lambda inner: st.lists(inner, min_size=1, max_size=4).map(lambda m: Alternatives(tuple(m))),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_alternatives_are_equal_if_each_is_equal_to_one(a: Value, b: Value) -> None:
    def naive(a: Value, b: Value) -> bool:
        if isinstance(a, Alternatives) and isinstance(b, Alternatives):
            return all(
                any(naive(member, other) for other in second.members)
                for first, second in ((a, b), (b, a))
                for member in first.members
            )
        if isinstance(a, Alternatives):
            return any(naive(b, member) for member in a.members)
        if isinstance(b, Alternatives):
            return naive(b, a)
        bare = [each.bare if isinstance(each, Text) else None for each in (a, b)]
        return bare[0] == bare[1]

    assert equal(a, b) == naive(a, b), (shown(a), shown(b))

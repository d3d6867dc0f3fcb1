"""Templates of absurd sizes: scored in moments, or refused in one sentence with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from muc_files import attack, counted, score, slot, template, write
from tellapart.cli import main

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


def test_a_history_that_is_nested_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "(optional " * 5000 + '"X"' + ")" * 5000
    history = write(tmp_path, "history.txt", f'(("M1" ("1" (inc-date\n ({deep} fail)))))')
    key = write(tmp_path, "key.txt", attack())
    assert main(["score", "--as", "muc", "--gold", key, "--history", history, key]) == 2
    assert f"{history}:2: the history does not parse: lists are nested" in capsys.readouterr().err

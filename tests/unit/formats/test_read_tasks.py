"""`ta.read` reads templates, event nuggets and coreference with the options of the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from muc_files import attack, write
from tellapart.cli import main

METRICS = ["recall", "precision", "f1"]


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the record that `compare` prints."""
    assert main(["compare", *arguments, "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def record(counts: ta.Counts, metrics: list[str] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ta.compare(counts, metrics=metrics).to_json())
    return found


@pytest.fixture
def template_files(tmp_path: Path) -> list[str]:
    """Write a key of six messages; A is right about people, B about places."""
    messages = [f"M{i}" for i in range(6)]
    fills = {
        "key": {"hum_tgt_desc": '"PEASANTS"', "inc_loc": "PERU"},
        "A": {"hum_tgt_desc": '"PEASANTS"'},
        "B": {"hum_tgt_desc": '"MEN"', "inc_loc": "PERU"},
    }
    # The bridge lets the templates be paired, whatever their other fills.
    return [
        write(tmp_path, f"{name}.txt",
              *(attack(m, phys_tgt_id='"BRIDGE"', **each) for m in messages))
        for name, each in fills.items()
    ]  # fmt: skip


@pytest.fixture
def option_files(tmp_path: Path) -> dict[str, str]:
    """Return a file for each option that names one."""
    contents = {
        "history": '(("M1" ("1" (hum-tgt-desc ("\\"MEN\\"" match "\\"PEASANTS\\"")))))',
        "replay": json.dumps({
            "run_order": ["A", "B"],
            "answers": [["B", "M2", "1", "1", "hum-tgt-desc", 0, "", ["partial", 0]]],
        }),
        "only": "*\t*\thum-tgt-desc\n",
        "texts": "M1\n\nSOME MEN CAME.\n",
    }  # fmt: skip
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in contents}


@pytest.mark.parametrize(
    "names",
    [[], ["history"], ["history", "replay"], ["only"], ["texts"],
     ["history", "only"]],
)  # fmt: skip
def test_template_every_file(
    names: list[str],
    template_files: list[str],
    option_files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {name: option_files[name] for name in names}
    shown = [part for name, path in given.items() for part in (f"--{name}", path)]
    key, *systems = template_files
    counts = ta.read(systems, key, form="muc", **given)
    arguments = ["--as", "muc", "--gold", key, *systems, *shown]
    for metric in METRICS:
        arguments += ["--metric", metric]
    assert record(counts, METRICS) == printed(arguments, capsys)


def test_template_decisions_count(template_files: list[str], option_files: dict[str, str]) -> None:
    """The history gives B one match, and the replay half a point more."""
    key, *systems = template_files
    without = ta.read(systems, key, form="muc")
    decided = ta.read(systems, key, form="muc", history=option_files["history"])
    replayed = ta.read(
        systems, key, form="muc", history=option_files["history"], replay=option_files["replay"]
    )
    names = without.columns
    sums = [dict(zip(names, each.summed()[1].tolist(), strict=True))
            for each in (without, decided, replayed)]  # fmt: skip
    assert [each["cor"] for each in sums] == [18, 19, 19]
    assert [each["par"] for each in sums] == [0, 0, 1]


@pytest.mark.parametrize("row", ["all-templates", "set-fills"])
@pytest.mark.parametrize("item", ["message", "template", "slot"])
def test_template_rows_and_items(
    row: str, item: str, template_files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    key, *systems = template_files
    counts = ta.read(systems, key, form="muc", row=row, item=item)
    assert counts.kind == item
    arguments = ["--as", "muc", "--gold", key, *systems, "--row", row, "--item", item]
    assert record(counts, ["f1"]) == printed([*arguments, "--metric", "f1"], capsys)


GOLD = (("d1", "E1", "0,4", "Die", "Actual"), ("d1", "E2", "9,13", "Die", "Actual"),
        ("d2", "E1", "0,4", "Move", "Other"), ("d2", "E2", "9,13", "Move", "Other"))  # fmt: skip


@pytest.fixture
def nugget_files(tmp_path: Path) -> list[str]:
    """Write two documents of which A misses a mention and B has wrong types."""
    sides = {
        "gold": GOLD,
        "A": GOLD[:3],
        "B": [(d, i, span, "Move", realis) for d, i, span, _, realis in GOLD],
    }
    for name, rows in sides.items():
        lines = []
        for document in ("d1", "d2"):
            lines.append(f"#BeginOfDocument {document}")
            lines += [f"x\t{d}\t{i}\t{span}\tw\t{kind}\t{realis}"
                      for d, i, span, kind, realis in rows if d == document]  # fmt: skip
            if name != "A":
                lines.append("@Coreference\tC1\tE1,E2")
            lines.append("#EndOfDocument")
        (tmp_path / f"{name}.tbf").write_text("\n".join(lines) + "\n")
    (tmp_path / "types.txt").write_text("Die\n")
    return [str(tmp_path / f"{name}.tbf") for name in sides]


@pytest.mark.parametrize(
    "options",
    [{}, {"profile": "pilot"}, {"profile": "fixed"}, {"coref": True}, {"doc": "d1"},
     {"coref": True, "coref_mapping": 0, "coref_threshold": 0.5}, {"types": "types.txt"}],
)  # fmt: skip
def test_nugget_every_option(
    options: dict[str, Any], nugget_files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, *systems = nugget_files
    if "types" in options:
        options = {"types": str(Path(gold).parent / options["types"])}
    counts = ta.read(systems, gold, form="nuggets", **options)
    arguments = ["--as", "nuggets", "--gold", gold, *systems]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        arguments += [flag] if value is True else [flag, str(value)]
    assert record(counts) == printed(arguments, capsys)


def test_nugget_tokens(tmp_path: Path) -> None:
    """With token tables, spans are token ids."""
    text = "#BeginOfDocument d\nx\td\tE1\tt1,t2\tw\tDie\tActual\n#EndOfDocument\n"
    (tmp_path / "gold.tbf").write_text(text)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "d.tab").write_text("id\tword\nt1\tA\t0\t1\nt2\tB\t2\t3\n")
    gold = str(tmp_path / "gold.tbf")
    counts = ta.read([f"A={gold}"], gold, form="nuggets", tokens=str(tmp_path / "tables"))
    assert counts.items == ("d",)


@pytest.fixture
def coref_files(tmp_path: Path) -> list[str]:
    """Write two documents; A joins all mentions of the first one."""
    gold, joined = ["(1)", "(2)", "(1)", "-"], ["(1)", "(1)", "(1)", "-"]
    found = []
    for name, columns in {"gold": (gold, gold), "A": (joined, gold), "B": (gold, gold)}.items():
        lines = []
        for number, column in enumerate(columns):
            lines.append(f"#begin document d{number}")
            lines += [f"d {i} w {cell}" for i, cell in enumerate(column)]
            lines += ["", "#end document"]
        path = tmp_path / f"{name}.conll"
        path.write_text("\n".join(lines) + "\n")
        found.append(str(path))
    return found


@pytest.mark.parametrize("form", ["conll-coref", None])
def test_coref_reads_as_the_command_line(
    form: str | None, coref_files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, *systems = coref_files
    counts = ta.read(systems, gold, form=form)
    assert [metric.name for metric in counts.metrics][-1] == "conll"
    arguments = ["--as", "conll-coref", "--gold", gold, *systems]
    assert record(counts) == printed(arguments, capsys)

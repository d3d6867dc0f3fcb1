"""`--anonymous`: nothing that is written tells whose the systems are."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from log_files import header, json_log, refused, sample
from muc_files import attack
from muc_files import write as write_templates
from tellapart.cli import main
from tellapart.report import registry
from tellapart.report.html.items import unpack

SECRETS = ("zephyrium", "quokka", "umbrellalab")
"""What systems, files and folders are called; nothing else is"""
FOLDER = "umbrellalab-2026"
PACKED = r'"(eNr[A-Za-z0-9+/]+=*)"'  # deflated, in letters


def _answers(seed: int, count: int = 30) -> list[int]:
    rng = random.Random(seed)
    return [int(rng.random() < 0.4 + 0.2 * (seed % 2)) for _ in range(count)]


def _name(k: int) -> str:
    return f"zephyrium-{k}" if k % 2 else f"Quokka_{k}.b"


def _table(systems: int) -> list[str]:
    path = Path(FOLDER, "quokka-and-zephyrium.csv")
    rows = [f"{_name(k)},q{i},{x}" for k in range(systems) for i, x in enumerate(_answers(k))]
    path.write_text("\n".join(["system,item,correct", *rows]) + "\n")
    return [str(path), "--baseline", _name(1), "--pair", f"{_name(0)},{_name(1)}"]


def _runs(systems: int) -> list[str]:
    sources = []
    for k in range(systems):
        for run in (1, 2, 3):
            rows = [f"q{i},{x}" for i, x in enumerate(_answers(2 * k + run))]
            Path(FOLDER, f"quokka{k}-{run}.csv").write_text("\n".join(["item,score", *rows]) + "\n")
        sources.append(f"zephyrium{k}={FOLDER}/quokka{k}-*.csv")
    return sources


def _logs(systems: int) -> list[str]:
    paths = []
    for k in range(systems):
        rows = [sample(i, x, epoch) for i, x in enumerate(_answers(k)) for epoch in (1, 2)]
        path = Path(FOLDER, f"2026_zephyrium{k}.json")
        path.write_text(json_log(rows, header(f"umbrellalab/quokka-{k}")))
        paths.append(str(path))
    return paths


def _texts(systems: int) -> list[str]:
    words = ["the", "red", "cat", "sat", "down", "by", "an", "old", "door"]
    rng = random.Random(0)
    lines = [rng.sample(words, 7) for _ in range(30)]
    Path(FOLDER, "gold.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    paths = []
    for k in range(systems):
        said = (line[: 4 + right * 3] for line, right in zip(lines, _answers(k), strict=True))
        paths.append(Path(FOLDER, f"zephyrium.{k}.quokka.txt"))
        paths[-1].write_text("".join(" ".join(line) + "\n" for line in said))
    return ["--as", "text", "--gold", f"{FOLDER}/gold.txt", *map(str, paths)]


def _templates(systems: int) -> list[str]:
    def of(answers: list[int]) -> list[str]:
        return [
            attack(f"M{i}", perp_ind_id=f'"{"GUERRILLAS" if x else "PEASANTS"}"')
            for i, x in enumerate(answers)
        ]

    key = write_templates(Path(FOLDER), "key.txt", *of([1] * 12))
    paths = [
        write_templates(Path(FOLDER), f"zephyrium{k}.txt", *of(_answers(k, 12)))
        for k in range(systems)
    ]
    return ["--as", "muc", "--gold", key, *paths]


INPUTS = (_table, _runs, _logs, _texts, _templates)


def _told(data: bytes) -> list[str]:
    """Return the secrets in what was written, also in what the page has packed."""
    text = data.decode("utf-8", "replace")
    for packed in re.findall(PACKED, text):
        text += json.dumps(unpack(packed), ensure_ascii=False)
    return [secret for secret in SECRETS if secret in text.lower()]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder to work in, with one for files that have names to hide."""
    monkeypatch.chdir(tmp_path)
    Path(FOLDER).mkdir()
    return tmp_path


def _written(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, bytes]:
    """Return all that a comparison writes, by the name of the output."""
    out = ["--json", "r.json", "--html", "r.html", "--svg", "svg", "--save-counts", "c.csv",
           "--pr", "pr.md", "--junit", "j.xml"]  # fmt: skip
    shutil.rmtree("svg", ignore_errors=True)
    assert main(["compare", *words, *out]) == 0
    captured = capsys.readouterr()
    found = {"text": captured.out.encode(), "remarks": captured.err.encode()}
    for path in (*map(Path, out[1::2]), *Path("svg").rglob("*.svg")):
        if path.is_file():
            found[str(path)] = str(path).encode() + path.read_bytes()
    return found


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("make", INPUTS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("systems", [2, 21])  # reports shorten what is of more than 20
def test_no_output_tells_a_name(
    make: Callable[[int], list[str]], systems: int, capsys: pytest.CaptureFixture[str]
) -> None:
    given = make(systems)
    if systems == 2:  # they are there to be found
        named = _written(given, capsys)
        assert all(_told(named[name]) for name in ("text", "r.json", "r.html", "c.csv", "pr.md"))

    hidden = _written([*given, "--anonymous"], capsys)

    assert {name: _told(data) for name, data in hidden.items() if _told(data)} == {}
    assert "System 1" in hidden["text"].decode()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("form", [name for name in registry.WRITERS if name != "text"])
def test_no_format_tells_a_name(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *_table(3), "--anonymous", "--format", form]) == 0
    captured = capsys.readouterr()
    assert "System" in captured.out
    assert not _told((captured.out + captured.err).encode())


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("make", [_runs, _texts], ids=lambda make: make.__name__)
def test_the_numbers_are_those_of_the_named_systems(
    make: Callable[[int], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    given = make(3)
    named, hidden = (
        json.loads(_written([*given, *more], capsys)["r.json"].partition(b"r.json")[2])
        for more in ([], ["--anonymous"])
    )
    numbers = [
        [[pair[key] for key in ("difference", "p", "p_adjusted")] for pair in record["pairs"]]
        for record in (named, hidden)
    ]
    assert numbers[0] == numbers[1]
    names = [each["name"] for each in hidden["systems"]]
    assert names == ["System 1", "System 2", "System 3"]


@pytest.mark.usefixtures("place")
def test_texts_and_labels_stay(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that an item's text holds is the item's."""
    for name, said in (("cat", "the dog sat down"), ("dog", "the cat sat down")):
        Path(f"{name}.txt").write_text(f"{said}\n" * 5 + "a cat\n")
    Path("gold.txt").write_text("the cat sat down\n" * 6)
    words = ["--as", "text", "--gold", "gold.txt", "cat.txt", "dog.txt", "--anonymous"]
    page = _written(words, capsys)["r.html"].decode()
    packed = json.dumps([unpack(each) for each in re.findall(PACKED, page)])
    assert "the dog sat down" in packed
    assert "the System" not in packed


@pytest.mark.usefixtures("place")
def test_a_name_that_there_is_not_is_refused_by_the_real_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = _table(2)[:1]
    assert main(["compare", *words, "--anonymous", "--baseline", "zephyrium-2"]) == 2
    assert "did you mean 'zephyrium-1'" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_a_kept_baseline_needs_names(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*_table(2)[:1], "--anonymous", "--baseline-dir", "kept", "--accept"]
    assert "drop --anonymous" in refused(capsys, "compare", *words)

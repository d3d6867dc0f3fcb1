"""Thirty years of templates: the study on small made files."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from muc_files import attack
from studies.__main__ import main
from table_files import json_lines

NAMES = [f"TST3-MUC4-{k:04}" for k in range(1, 9)]


def found(right: int, star: bool = False) -> dict[str, Any]:
    """Return predictions in GTT's layout, of which the first ones are right."""
    rows: dict[str, Any] = {}
    for k in range(len(NAMES)):
        victim = [[f"victim {k}"]] if k < right else [["somebody"]]
        templates = [{"incident_type": "attack", "Victim": victim}]
        templates += [{"incident_type": "*", "Victim": []}] if star else []
        rows[str(30001 + k)] = {"pred_templates": templates}
    return rows


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder like that of the real files: three systems, and raw responses of two."""
    folder = tmp_path_factory.mktemp("data")
    muc, raw = folder / "templates" / "muc4", folder / "muc4" / "tst3"
    (muc / "gtt").mkdir(parents=True)
    (raw / "responses").mkdir(parents=True)
    gold = [
        {
            "docid": name,
            "doctext": "",
            "templates": [{"incident_type": "attack", "Victim": [[[f"victim {k}", 0]]]}],
        }
        for k, name in enumerate(NAMES)
    ]
    (muc / "gold.gtt.jsonl").write_text(json_lines(gold))
    systems = {"GE-1992": found(7), "GTT-2021": found(3), "NYU-1992": found(3, star=True)}
    for name, predicted in systems.items():
        (muc / "gtt" / f"{name}.json").write_text(json.dumps(predicted))
    key = "".join(attack(name, hum_tgt_name=f'"VICTIM {k}"') for k, name in enumerate(NAMES))
    (raw / "key.txt").write_text(key)
    texts = "".join(f"{name}\n\nVICTIM {k} DIED.\n\n" for k, name in enumerate(NAMES))
    (raw / "texts.txt").write_text(texts)
    for name in ("GE", "NYU"):
        (raw / "responses" / f"{name}.txt").write_text(key)
    return folder


def test_the_study_of_made_files(made: Path, tmp_path: Path) -> None:
    """Scores, losses, pictures and statements; what is not about these files is not checked."""
    record, pictures = tmp_path / "study.json", tmp_path / "pictures"
    shown = StringIO()
    with redirect_stdout(shown):
        words = ["templates", "--data", str(made), "--json", str(record), "--svg", str(pictures)]
        assert main(words) == 0

    told = json.loads(record.read_text())
    scores = told["figures"]["templates"]["scores"]
    # Types are all right; of 16 slots 8 + 7, and 8 + 3, are.
    assert scores["GE-1992"] == pytest.approx(15 / 16)
    assert scores["GTT-2021"] == pytest.approx(11 / 16)
    losses = {(each["system"], each["what"]): each for each in told["figures"]["losses"]}
    stars = losses["NYU-1992", "templates of type *"]
    # Eight more templates are predicted: P = 11/24, R = 11/16.
    assert stars["templates"] == 8
    assert stars["published"] == pytest.approx(0.55)
    assert stars["otherwise"] == pytest.approx(11 / 16)
    assert losses["NYU-1992", "raw response, TST3"]["otherwise"] == 1.0
    verdicts = {each["claim"]: each["verdict"] for each in told["statements"]}
    assert verdicts["GE of 1992 has the best CEAF-TF of all."] == "holds"
    assert verdicts["CEAF-TF of GTT is 50.23."] == "does not come out"
    assert verdicts["CEAF-TF of IterX (T5) is 53.01."] == "not checked"
    assert verdicts["CEAF-REE of GRIT is 54.50."] == "not checked"
    assert {each.name for each in pictures.iterdir()} >= {"matrix-templates.svg"}
    assert max(map(len, shown.getvalue().splitlines())) <= 80

"""The study of MUC-4's results of 1992, and of the paper of 1993: what comes out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from muc_files import attack, write
from pages import shows_study
from studies.__main__ import main
from studies.muc3 import appositives, tagger
from studies.muc3 import study as muc3_study
from studies.muc4 import study as muc4_study
from studies.muc4.raw_files import Results
from studies.muc4.runs import Runs, run_all
from study_runs import Run, check_verdicts, run_study
from table_files import Capture
from tellapart.console import Progress
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import load_design
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.texts import read_texts

SYSTEMS = ("BBN", "GE", "GE-CMU", "HUGHES", "LSI", "MDC", "MITRE", "NMSU", "NYU", "PARAMAX", "PRC",
           "SRA", "SRI", "SYNCH", "UMASS", "UMICH", "USC")  # fmt: skip
# The claims that do not simply hold, by how they begin.
OTHERWISE = {
    "The reason is that it gave so few": "is consistent",
    "The confidence that GE and UMASS differ": "does not come out",
    "So GE and UMASS cannot be considered": "settled by the exact test",
    "TST4 has fewer irrelevant": "not checked",
    "The same on TST4": "not checked",
    "At lower cutoffs than 0.1": "is consistent",
    "Recall, precision and overgeneration are": "does not come out",
    "Messages are as many for every system": "so on other systems",
    "Scores that are very different": "is consistent",
    "The exact test is out of reach": "settled by the exact test",
    "At 0.10 most pairs differ": "so on other systems",
    "At 0.01, with confidence, 33": "not checked",
    "At 0.01 60%": "does not come out",
    "One system is better in both": "not checked",
    "The results distinguish most": "so on other systems",
    "All members of a group": "does not come out",
    "A system that is alone in its group": "is consistent",
    "Systems where groups overlap": "is consistent",
    "Systems score differently on appositives": "not checked",
    "Systems score higher on simple": "not checked",
    "Systems score differently on postposed": "not checked",
    "All systems performed worse in recall": "not so on other systems",
}


@pytest.fixture(scope="module")
def compared_once() -> Iterator[None]:
    """Let the two studies of the built-in counts share their comparisons, which take seconds."""
    kept: dict[int, Runs] = {}

    def run_once(results: Results, seed: int, progress: Progress) -> Runs:
        if results.rows:  # raw files
            return run_all(results, seed, progress)
        if seed not in kept:
            kept[seed] = run_all(results, seed, progress)
        return kept[seed]

    with pytest.MonkeyPatch.context() as patch:
        for study in (muc3_study, muc4_study):
            patch.setattr(study, "run_all", run_once)
        yield


@pytest.fixture(scope="module")
def run(compared_once: None, tmp_path_factory: pytest.TempPathFactory) -> Run:  # noqa: ARG001
    """Run the command once on the built-in counts."""
    return run_study("muc4", tmp_path_factory.mktemp("muc4"))


@pytest.mark.slow
def test_every_statement_has_its_verdict(run: Run) -> None:
    """All statements of both papers hold, except for those known not to."""
    check_verdicts(run.record, OTHERWISE)
    papers = {each["paper"] for each in run.record["statements"]}
    assert papers == {"Chinchor 1992", "Chinchor, Hirschman and Lewis 1993"}


@pytest.mark.slow
def test_the_paper_of_1993_is_a_study_of_its_own(run: Run, tmp_path: Path, capsys: Capture) -> None:
    """It has those statements of the study muc4 that are its own, and no others."""
    assert main(["muc3", "--json", "-", "--svg", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["recall-precision.svg"]
    found = json.loads(capsys.readouterr().out)
    assert main(["muc3"]) == 0
    assert shows_study("muc3", capsys.readouterr().out)
    paper = "Chinchor, Hirschman and Lewis 1993"
    assert found["statements"] == [
        each for each in run.record["statements"] if each["paper"] == paper
    ]
    shared = ("recall_and_precision", "better_in_both", "rows", "observations", "appositives")
    assert found["figures"] == {name: run.record["figures"][name] for name in shared}


def small_folder(place: Path, prefix: str) -> Path:
    """Make the raw files of a small evaluation: 17 systems, six messages with a target each."""
    messages = [f"{prefix}{i}" for i in range(1, 7)]
    (place / "responses").mkdir(parents=True)
    write(place, "key.txt", *(attack(each, phys_tgt_id='"BRIDGE"') for each in messages))
    first = messages[0]
    history = f'(("{first}" ("1" (perp-ind-id ("\\"X\\"" match "\\"Y\\"")))))\n'
    write(place, "history.txt", history)
    (place / "replay.json").write_text(json.dumps({"run_order": SYSTEMS}))
    for k, system in enumerate(SYSTEMS):
        answers = ['"BRIDGE"' if (k + i) % 5 > k // 6 else '"DAM"' for i in range(len(messages))]
        responses = [attack(m, phys_tgt_id=a) for m, a in zip(messages, answers, strict=True)]
        write(place / "responses", f"{system}.txt", *responses)
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_folder(tmp_path / "raw", "M")


def test_appositives_are_found_in_texts(folder: Path) -> None:
    """Before the name or after it; a conjunction is complex; what only the key says is none."""
    described = ['"OLD BISHOP": "JUAN ROSA"', '"FORMER MAYOR AND POET": "ANA PAZ"',
                 '"JUDGE": "LUIS DIAZ"', '"STUDENTS": "RAUL RUIZ"']  # fmt: skip
    templates = [attack(f"M{k}", hum_tgt_desc=fill) for k, fill in enumerate(described, 1)]
    write(folder, "key.txt", *templates)
    words = ["M1\n\nOLD BISHOP JUAN\nROSA WAS SHOT.",
             "M2\n\nANA PAZ, THE FORMER MAYOR AND POET, DIED.",
             "M3\n\nLUIS DIAZ DIED.", "M4\n\nSTUDENTS RAUL RUIZ AND EVA PAZ DIED."]  # fmt: skip
    write(folder, "texts.txt", "\n\n".join(words) + "\n")
    key, design = folder / "key.txt", load_design()
    problems = Findings(strict=True)
    messages = read_templates(str(key), design, problems).messages
    texts = read_texts(str(folder / "texts.txt"), messages, problems)
    said = {name: " ".join(text.split()) for name, text in texts.items()}
    assert appositives.find(said, messages, design) == {
        "simple": {("M1", "1")}, "complex": {("M2", "1"), ("M4", "1")},
        "preposed": {("M1", "1"), ("M4", "1")}, "postposed": {("M2", "1")},
    }  # fmt: skip
    lines = set(tagger.tags(messages, said, design))
    assert {line for line in lines if line[3] == "conjunction"} == {
        ("M4", "1", "hum-tgt-desc", "conjunction")
    }
    assert ("M1", "*", "*", "one-template") in lines
    assert {line[0] for line in lines if line[3] == "long"} == {"M2", "M4"}


def test_raw_files_give_text_record_and_pictures(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    """A folder around tst3 will do as well."""
    around, target, pictures = (tmp_path / name for name in ("around", "record.json", "pictures"))
    shutil.copytree(folder, around / "tst3")
    options = ["--data", str(around), "--seed", "3", "--json", str(target), "--svg", str(pictures)]
    assert main(["muc4", *options]) == 0
    drawn = {path.name: path.read_bytes() for path in sorted(pictures.iterdir())}
    assert "17 systems, 6 messages" in capsys.readouterr().out
    assert json.loads(target.read_text())["seed"] == 3
    for metric in ("recall", "precision", "f1", "f0.5", "f2"):
        assert {f"matrix-{metric}-exact.svg", f"groups-{metric}-shuffles.svg"} <= set(drawn)
    for picture in drawn.values():
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        assert b"var(" not in picture

"""Files of templates: shapes, layouts, what is wrong with them, and the verbs that read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from muc_files import attack
from table_files import Capture, Write, json_lines
from tellapart.cli import main
from tellapart.errors import UsageError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.families import FAMILIES
from tellapart.formats.templates.layouts import DocumentFile, read_document_file
from tellapart.formats.templates.values import shown

GOLD = [
    {"doc": "d1", "templates": [{"type": "sale", "buyer": [["Ana", "Ana Ruiz"]], "price": 12}]},
    {"doc": "d2", "templates": [{"type": "sale", "buyer": "Bo"}, {"type": "theft", "what": "car"}]},
    {"doc": "d3", "templates": []},
]
GOOD = [
    {"doc": "d1", "templates": [{"type": "sale", "buyer": "ana ruiz", "price": "12.0"}]},
    {"doc": "d2", "templates": [{"type": "theft", "what": ["the car"]}, {"type": "sale"}]},
    {"doc": "d3", "templates": []},
]
POOR = [
    {"doc": "d1", "templates": {"type": "sale", "buyer": "Eva"}},
    {"doc": "d2", "templates": []},
    {"doc": "d3", "templates": [{"type": "sale", "buyer": "Bo", "price": 3, "what": "car"}]},
]


@pytest.fixture
def files(write: Write) -> dict[str, str]:
    """Write gold and two systems as JSON lines."""
    rows = {"gold": GOLD, "good": GOOD, "poor": POOR}
    return {name: write(f"{name}.jsonl", json_lines(some)) for name, some in rows.items()}


def _read(path: str | Path) -> DocumentFile:
    return read_document_file(str(path), Findings(strict=True))


def test_the_same_documents_in_every_clothing(write: Write) -> None:
    """Lines, an array, and an object of documents are one thing; so are names and numbers."""
    rows = [
        {"docid": f"TST3-X-{k:04}", "doctext": "", "templates": [{"incident_type": "attack",
         "PerpInd": [[["ana", 3]]], "Victim": []}]} for k in (1, 2)
    ]  # fmt: skip
    template = {"incident_type": "attack", "perpind": [["ana"]]}
    gold = write("gold.jsonl", json_lines(rows))
    clothes = {
        "gtt": {f"3000{k}": {"pred_templates": [template]} for k in (1, 2)},
        "array": [{"id": row["docid"], "events": [template]} for row in rows],
        "object": {row["docid"]: [template] for row in rows},
    }
    for name, content in clothes.items():
        for indent in (None, 1):
            path = write(f"{name}.json", json.dumps(content, indent=indent))
            if name != "array":  # small letters are those of GTT and IterX
                counts = ta.read(path, gold=gold, form="templates", metrics="ceaf-tf")
                assert counts.summed().tolist() == [[4, 4, 4, 4]]
    assert _read("gtt.json").layout.name == "GTT predictions"
    iterx = write("iterx.jsonl", json_lines([{row["docid"]: [template]} for row in rows] * 2))
    counts = ta.read(iterx, gold=gold, form="templates", metrics="ceaf-rme-phi3")
    assert counts.summed().tolist() == [[2, 4, 2, 2]]  # lines of one document are joined


def test_scores_and_a_comparison(files: dict[str, str], capsys: Capture) -> None:
    """`score` and `compare` work on guessed files; scores by hand: all but Bo was found."""
    command = ["--gold", files["gold"], files["good"], files["poor"]]
    asked = [f"--metric=ceaf-tf{part}" for part in ("", ".precision", ".recall")]
    assert main(["score", *command, *asked, "--json", "-"]) == 0
    good, poor = json.loads(capsys.readouterr().out)["systems"]
    assert good["scores"] == {
        "ceaf-tf": pytest.approx(12 / 13), "ceaf-tf.precision": 1, "ceaf-tf.recall": 6 / 7
    }  # fmt: skip
    assert poor["counts"] == {
        "ceaf-tf.p_num": 1, "ceaf-tf.p_den": 6, "ceaf-tf.r_num": 1, "ceaf-tf.r_den": 7
    }  # fmt: skip
    assert main(["compare", *command, "--metric", "ceaf-tf.recall", "--test", "exact"]) == 0
    assert "really better" in capsys.readouterr().out
    for full, told in ((), "each of them has there: --full"), (["--full"], "buyer: gold Ana"):
        assert main(["diff", *command, *full]) == 0
        assert told in capsys.readouterr().out
    assert main(["validate", *command]) == 0


def test_every_metric_by_its_name(files: dict[str, str]) -> None:
    """Each has precision and recall, and its variant in the signature."""
    for family in FAMILIES[:6]:
        names = [each.name for each in family.metrics]
        assert names == [family.name, f"{family.name}.precision", f"{family.name}.recall"]
        counts = ta.read([files["good"], files["poor"]], gold=files["gold"], metrics=names)
        assert (signed := family.metrics[0].signature)
        assert ta.compare(counts, intervals=False, shuffles=99).signature.count(signed) == 1
    with pytest.raises(UsageError, match=r"unknown metric 'ceaf-ft'.*'ceaf-tf'"):
        ta.read(files["good"], gold=files["gold"], form="templates", metrics="ceaf-ft")


def test_role_fillers_without_templates_have_one_metric(write: Write) -> None:
    """GRIT's files are scored by CEAF-REE, which templates are for, too; CEAF-TF refuses."""
    gold = write("gold.jsonl", json_lines([{"docid": "d", "extracts": {"Victim": [[["ana", 0]]]}}]))
    grit = write("grit.json", json.dumps({"d": {"pred_extracts": {"Victim": [["ana"], ["bo"]]}}}))
    counts = ta.read(grit, gold=gold)
    assert counts.summed().tolist() == [[1, 2, 1, 1]]
    with pytest.raises(UsageError, match=r"gold.jsonl has role fillers .* ceaf-tf does not score"):
        ta.read(grit, gold=gold, metrics="ceaf-tf")


def test_missing_documents_warn(files: dict[str, str], write: Write) -> None:
    """A document without predictions has no templates."""
    few = ta.read(write("few.jsonl", json_lines(GOOD[:1])), gold=files["gold"])
    assert [n.affected for n in few.notices if n.code == "missing-document"] == [("d2", "d3")]


def test_one_object_holds_the_roles(files: dict[str, str], write: Write) -> None:
    """The first of the usual ones that is there; null is none; what stands beside it is told."""
    both = {"slots": {"buyer": "Eva"}, "arguments": {"buyer": "Bo"}, "roles": {"buyer": "Ana"}}
    for template, kept, left in (
        (both, {"buyer": "Ana"}, "slots, arguments;"),
        ({"buyer": "Ana", "id": 3, "slots": {"price": 12}}, {"price": "12"}, "buyer;"),
        ({"buyer": "Ana", "roles": None, "price": 12}, {"buyer": "Ana", "price": "12"}, ""),
    ):
        path = write("a.jsonl", json_lines([{"doc": "d1", "templates": [template]}, *GOOD[1:]]))
        (read,) = _read(path).documents["d1"].templates
        assert {role: shown(*fills) for role, fills in read.roles.items()} == kept
        told = " ".join(each.text for each in ta.read(path, gold=files["gold"]).notices)
        assert ("nothing is read, but there is" in told) == bool(left)
        assert left in told


@pytest.mark.parametrize(
    "option", [["--row", "set-fills"], ["--unit", "slot"], ["--only", "o.tsv"]]
)
def test_what_metrics_of_the_field_do_not_have_is_not_passed_over(
    write: Write, capsys: Capture, option: list[str]
) -> None:
    """A layout of the field is then scored by `muc`, and one that `muc` cannot score is refused."""
    write("o.tsv", "*\t*\tVictim\n")
    rows = {"incident_type": "attack", "Victim": [[["ana", 3]]]}
    gtt = write("gtt.jsonl", json_lines([{"docid": "d1", "doctext": "", "templates": [rows]}]))
    grit = write(
        "grit.jsonl", json_lines([{"docid": "d1", "extracts": {"Victim": [[["ana", 3]]]}}])
    )
    command = ["score", "--as", "templates", *option, "--json", "-", "--gold"]
    assert main([*command, gtt, gtt]) == 0
    assert "muc" in json.loads(capsys.readouterr().out)["systems"][0]["scores"]
    assert main([*command, grit, grit]) == 2
    assert f"ceaf-ree does not go with {option[0]}" in capsys.readouterr().err


def test_histories_of_json_are_validated(
    files: dict[str, str], write: Write, capsys: Capture
) -> None:
    """With the slots of gold, as those of 1992 are."""
    command = ["validate", "--as", "templates", "--gold", files["gold"], files["good"]]
    for slot, status in (("buyer", 0), ("byer", 2)):
        history = write("h.txt", f'(("d1" ("1" ({slot} ("Eva" fail)))))')
        assert main([*command, history]) == status
        assert ("h.txt:1: the history does not parse" in capsys.readouterr().out) == (status == 2)


def test_templates_of_1992_score_by_metrics_of_today(write: Write, capsys: Capture) -> None:
    """`--as muc --metric ceaf-tf`; what is of the scoring of 1992 does not go with it."""
    men = ['? "TWO MEN" / "MEN"', '"[WORDS INDISTINCT] MAN"']
    key = attack(inc_type="BOMBING / ATTACK", perp_ind_id=men, hum_tgt_name='"ANA"')
    key, own = write("key.txt", key), write("GE.txt", attack(inc_type="ATTACK"))
    command = ["score", "--as", "muc", "--gold", key, own, "--metric", "ceaf-tf"]

    assert main([*command, "--json", "-"]) == 0
    printed, told = capsys.readouterr()
    [system] = json.loads(printed)["systems"]
    # The type is right, of 1 slot; gold has 2 more entities, since square brackets are dropped as
    # in the published gold: P = 1, R = 1/3.
    assert system["scores"]["ceaf-tf"] == pytest.approx(0.5)
    assert "1 mention of the key in square brackets" in told
    assert main([*command, "--metric", "f1"]) == 2
    assert "ceaf-tf does not go with f1" in capsys.readouterr().err
    assert main([*command, "--row", "set-fills"]) == 2
    assert "ceaf-tf does not go with --row" in capsys.readouterr().err

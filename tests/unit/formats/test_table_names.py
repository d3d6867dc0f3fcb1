"""Tables as people have them: by one command, right at the first try.

Means are those of the csv module, and p is that of SciPy's test, both worked out here.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import compared
from table_files import Capture, Write
from tellapart.errors import DataError

SCORES = {
    "gpt-x": [0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1],
    "claude-y": [1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1],
}
P = 0.0625  # claude-y alone is right on 5, gpt-x alone on none: 2 × 2^-5


def long_table(system: str = "model", item: str = "id", value: str = "score") -> str:
    """Make a table with a row per system and item."""
    rows = [f"{name},q{k},{score}" for name, own in SCORES.items() for k, score in enumerate(own)]
    return "\n".join([f"{system},{item},{value}", *rows]) + "\n"


def scores(record: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {each["name"]: each["scores"] for each in record["systems"]}


# The same on files of our own


@pytest.mark.parametrize(
    ("system", "item"),
    [("model", "id"), ("model_name", "question_id"), ("system_name", "task_id"),
     ("Model", "sample_id"), ("model_id", "instance_id"), ("run", "prompt_id"),
     ("system", "question"), ("run_name", "idx")],
)  # fmt: skip
def test_usual_names_of_systems_and_items(
    write: Write, capsys: Capture, system: str, item: str
) -> None:
    record = compared(capsys, write("t.csv", long_table(system, item)))
    assert scores(record) == {name: {"mean": sum(own) / 12} for name, own in SCORES.items()}
    assert record["pairs"][0]["p"] == P


@pytest.mark.parametrize(
    ("value", "words"),
    [("is_correct", ("1", "0")), ("passed", ("True", "False")), ("passed", ("yes", "no")),
     ("verdict", ("PASS", "FAIL")), ("result", ("correct", "incorrect")), ("success", ("Y", "N")),
     ("accuracy", ("1.0", "0.0")), ("richtig", ("ja", "nein")), ("juste", ("Oui", "Non")),
     ("acierto", ("Sí", "No")), ("good", ("true", "false")), ("good", ("yes", "no"))],
)  # fmt: skip
def test_right_and_wrong_in_any_words(
    write: Write, capsys: Capture, value: str, words: tuple[str, str]
) -> None:
    right, wrong = words
    rows = [
        f"{name},q{k},{right if score else wrong}"
        for name, own in SCORES.items()
        for k, score in enumerate(own)
    ]
    record = compared(capsys, write("t.csv", "\n".join([f"model,id,{value}", *rows])))
    assert scores(record) == {name: {value: sum(own) / 12} for name, own in SCORES.items()}
    assert record["pairs"][0]["p"] == P


def test_answers_are_no_verdicts(write: Write) -> None:
    """What was answered, yes or no, is not how well; and a word among numbers is no 0."""
    rows = "A,1,yes,yes,1\nA,2,no,yes,0\nB,1,yes,no,0\nB,2,no,no,1\n"
    counts = ta.read(write("t.csv", f"model,id,target,prediction,score\n{rows}"))
    assert (counts.columns, counts.labels) == (("score",), {"target": ("yes", "no")})
    assert counts.texts.outputs == {"A": ("yes", "yes"), "B": ("no", "no")}
    with pytest.raises(DataError, match="'failed' in column 'score' is not a number"):
        ta.read(write("f.csv", "model,id,score\nA,1,0.5\nB,1,failed\n"))


def test_numbers_that_differ_are_metrics_and_others_labels(write: Write, capsys: Capture) -> None:
    """Steps are told by the systems' differing; levels are the items'; dates are neither."""
    rows = [
        f"{name},q{k},{k % 4},{score},{k + 3 * score},{1700000000 + k * len(name)}"
        for name, own in SCORES.items()
        for k, score in enumerate(own)
    ]
    table = write("t.csv", "\n".join(["model,id,level,score,steps,timestamp", *rows]))
    counts = ta.read(table)
    assert (counts.columns, list(counts.labels)) == (("score", "steps"), ["level"])
    (notice,) = counts.notices
    assert (notice.code, notice.affected) == ("labels-differ", ("timestamp",))
    record = compared(capsys, table)
    assert scores(record)["gpt-x"]["steps"] == statistics.fmean(
        k + 3 * score for k, score in enumerate(SCORES["gpt-x"])
    )


# Metrics or systems


@pytest.mark.parametrize(
    "header", ["accuracy,latency_ms", "f1,exact_match", "BLEU,chrf,totalTokens", "style,speed"]
)
def test_columns_of_two_files_are_metrics(write: Write, header: str) -> None:
    """They are called like measures, or are the same in both, which systems cannot be."""
    names = header.split(",")
    rows = ["q1" + ",1" * len(names), "q2" + ",0" * len(names)]
    files = [write(f, "\n".join([f"id,{header}", *rows[: 2 + (f == "b.csv")], ""]))
             for f in ("a.csv", "b.csv")]  # fmt: skip
    other = Path(files[1]).read_text().replace("q2,0", "q2,1").replace(",0\n", ",1\n")
    Path(files[1]).write_text(other.replace(",0,", ",1,"))
    for given, systems in ((files, ("a", "b")), ([f"x={files[0]}", f"y={files[1]}"], ("x", "y"))):
        counts = ta.read(given)
        assert counts.names == systems
        assert set(counts.columns) == set(names)


# Tasks


def test_items_of_several_tasks_may_have_the_same_ids(write: Write, capsys: Capture) -> None:
    rows = [
        f"{name},{task},{k % 6},{score}"
        for name, own in SCORES.items()
        for k, score in enumerate(own)
        for task in (("arith", "law")[k // 6],)
    ]
    table = write("t.csv", "\n".join(["model,task,question_id,score", *rows]))
    counts = ta.read(table)
    assert counts.items[:2] == ("arith/0", "arith/1")
    assert counts.labels["task"] == ("arith",) * 6 + ("law",) * 6
    record = compared(capsys, table)
    assert record["pairs"][0]["p"] == P  # over all items, as the mean of the table is
    by_task = {each["value"]: each["difference"] for each in record["slices"]}
    assert by_task == pytest.approx({"arith": -3 / 6, "law": -2 / 6})
    weighed = compared(capsys, table, "--weights", "tasks")
    assert scores(weighed)["gpt-x"]["mean"] == pytest.approx((2 / 6 + 3 / 6) / 2)
    unique = write("u.csv", "model,task,id,score\nA,x,1,1\nA,y,2,0\nB,x,1,0\nB,y,2,0\n")
    assert ta.read(unique).items == ("1", "2")


# Gaps


@pytest.mark.parametrize("gap", ["", "n/a", "NaN", "ERROR"])
def test_advice_on_values_that_are_not_there(write: Write, gap: str) -> None:
    table = write("t.csv", long_table().replace("gpt-x,q1,1", f"gpt-x,q1,{gap}"))
    with pytest.raises(DataError, match="leaves such items out for all systems"):
        ta.read(table)
    assert len(ta.read(table, missing="drop").items) == 11
    wide = write("w.csv", f"id,A,B\nq1,1,{gap}\nq2,0,1\nq3,1,1\n")
    assert ta.read(wide, missing="drop").items == ("q2", "q3")

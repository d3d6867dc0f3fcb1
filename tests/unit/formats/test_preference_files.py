"""Files of preferences: every spelling of who won becomes the share of a prompt that was won."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import polars
import pytest

import tellapart as ta
from preference_files import as_csv
from table_files import Capture, Write, json_lines, real
from tellapart.cli import main
from tellapart.formats.registry import guess_format

HALF = Fraction(1, 2)


def rates_of(counts: ta.Counts) -> dict[str, list[Fraction]]:
    return {name: [row[0] for row in rows] for name, rows in real(counts).items()}


def rates(path: str, **options: Any) -> dict[str, list[Fraction]]:
    return rates_of(ta.read(path, **options))


# Files of our own


def test_p_equals_enumeration_over_graded_preferences(write: Write) -> None:
    """All sign patterns by hand: a prompt counts with its mean over judges and orders."""
    leans = [1.0, 1.25, 2.0, 1.5, 1.1, 1.0, 1.75, 1.2]
    rows = [{"instruction": f"i{k}", "generator_1": "A", "generator_2": "B", "preference": lean}
            for k, lean in enumerate(leans)]  # fmt: skip
    pair = ta.compare(ta.read(write("annotations.json", json.dumps(rows)))).pair("A", "B")
    differences = [Fraction(str(3 - 2 * lean)) for lean in leans]
    seen = abs(sum(differences, Fraction(0)))
    extreme = sum(
        abs(sum((s * d for s, d in zip(signs, differences, strict=True)), Fraction(0))) >= seen
        for signs in product((1, -1), repeat=len(leans))
    )
    assert pair.p == extreme / 2 ** len(leans)


@pytest.mark.parametrize(
    ("words", "points"),
    [
        (["A", "B", "tie"], [1, 0, HALF]),
        (["model_a", "model_b", "tie (bothbad)"], [1, 0, HALF]),
        (["alder", "birch", "both bad"], [1, 0, HALF]),
        (["left", "right", "equal"], [1, 0, HALF]),
        (["[[A]]", "[[B]]", "[[C]]"], [1, 0, HALF]),
        (["A>>B", "B>A", "A=B"], [1, 0, HALF]),
        (["1", "2", "0"], [1, 0, HALF]),
        (["1.25", "2", "1.5"], [Fraction(3, 4), 0, HALF]),
        (["1", "-1", "0"], [1, 0, HALF]),
        (["Response 1", "Response 2", "Neither"], [1, 0, HALF]),
    ],
)
def test_everyday_words(write: Write, words: list[str], points: list[Fraction]) -> None:
    rows = [{"id": f"q{k}", "model_a": "alder", "model_b": "birch", "preference": word}
            for k, word in enumerate(words)]  # fmt: skip
    for path in (write("p.csv", as_csv(rows)), write("p.jsonl", json_lines(rows))):
        assert rates(path)["alder"] == points


def test_columns_of_0_and_1_say_who_won(write: Write) -> None:
    """As in the arena's tables for competitions; a row that marks nobody is left out."""
    rows = [("a", "1,0,0"), ("b", "0,1,0"), ("c", "0,0,1"), ("d", "0,0,0")]
    lines = [f"{k},x,y,{marked}\n" for k, marked in rows]
    header = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    counts = ta.read(write("train.csv", header + "".join(lines)))
    assert rates_of(counts) == {"x": [1, 0, HALF], "y": [0, 1, HALF]}
    assert "no verdict" in counts.notices[0].text


def test_conversations_are_a_prompt_and_outputs(write: Write) -> None:
    """The first message is what was asked, the last what was answered."""
    said = [{"role": "user", "content": "Why?"}, "And?"]
    rows = [
        {"question_id": k, "model_a": "x", "model_b": "y", "winner": "model_a",
         "conversation_a": [*said, {"content": "Because."}],
         "conversation_b": [*said, {"content": "."}]}
        for k in range(2)
    ]  # fmt: skip
    counts = ta.read(write("arena.jsonl", json_lines(rows)))
    assert counts.texts is not None
    assert counts.texts.inputs == ("Why?", "Why?")
    assert counts.texts.outputs == {"x": ("Because.",) * 2, "y": (".",) * 2}
    assert counts.judgments is not None
    assert counts.judgments.lengths.tolist() == [[8, 1]] * 2


def test_rows_without_a_prompt_are_prompts_and_that_is_said(write: Write) -> None:
    counts = ta.read(write("p.csv", "model_a,model_b,winner\nx,y,x\nx,y,y\n"))
    assert len(counts.items) == 2
    assert "each row was taken for a prompt" in counts.notices[0].text


def test_both_orders_weigh_alike(write: Write) -> None:
    """Two judgments in one order and one in the other: the orders are averaged, not the rows."""
    rows = [("x", "y", "A"), ("x", "y", "A"), ("y", "x", "A"), ("x", "y", "tie")]
    text = "id,model_a,model_b,winner\n" + "".join(
        f"q{k // 3},{','.join(row)}\n" for k, row in enumerate(rows)
    )
    assert rates(write("p.csv", text)) == {"x": [HALF, HALF], "y": [HALF, HALF]}


@pytest.mark.parametrize("columns", ["left,right", "model_x,model_y", "option_1,option_2", "a,b"])
def test_columns_that_name_the_systems(write: Write, columns: str) -> None:
    """Places are no systems: who won is told by the names that stand there."""
    rows = "fig,elm,left\nelm,oak,right\nfig,oak,tie\noak,fig,left\n"
    one, other = columns.split(",")
    text = rows.replace("left", one).replace("right", other)
    counts = ta.read(write("p.csv", f"{columns},winner\n{text}"))
    assert counts.names == ("fig", "elm", "oak")
    assert counts.judgments.points.tolist() == [1, 0, 0.5, 1]


def test_columns_that_may_be_names_or_texts_are_refused(write: Write, capsys: Capture) -> None:
    rows = "".join(f"q{k},said {k} so,said {k} otherwise,option_1\n" for k in range(6))
    path = write("p.csv", f"id,option_1,option_2,winner\n{rows}")
    assert main(["compare", path, "--as", "preferences", "--names", "old,new"]) == 0
    assert "--names" not in capsys.readouterr().out.partition("Items that differ")[0]
    assert main(["compare", write("v.csv", "id,verdict\n1,win\n2,win\n3,lose\n")]) == 0
    assert "--as preferences --names X,Y" in " ".join(capsys.readouterr().out.split())


def test_mt_bench_counts_a_win_if_both_orders_agree(write: Write) -> None:
    """As MT-bench's own show_result does: anything but the same winner twice is a tie."""
    winners = [("model_1", "model_1"), ("model_1", "tie"), ("model_2", "model_1"),
               ("model_2", "model_2"), ("tie", "tie"), ("error", "model_2")]  # fmt: skip
    rows = [{"question_id": 81 + k // 2, "model_1": "x", "model_2": "y", "g1_winner": one,
             "g2_winner": two, "judge": ["gpt-4", "pair-v2"], "turn": 1 + k % 2}
            for k, (one, two) in enumerate(winners)]  # fmt: skip
    counts = ta.read(write("gpt-4_pair.jsonl", json_lines(rows)))
    assert rates("gpt-4_pair.jsonl")["x"] == [1, HALF, HALF, 0, HALF, 0]
    assert counts.labels["turn"] == ("1", "2") * 3
    assert counts.labels["question"] == ("81", "81", "82", "82", "83", "83")
    assert "there is no verdict but 'error'" in counts.notices[0].text


@pytest.mark.parametrize(
    "text",
    [
        "id,model,result\n1,x,win\n2,x,lose\n",  # one system's results
        "id,label\n1,A\n2,B\n",  # classes
        "id,alder,birch\n1,1,0\n2,0,1\n",
        "item,winner\nq1,Anna\nq2,Ben\n",  # names of people
    ],
)
def test_other_tables_are_not_taken_for_preferences(write: Write, text: str) -> None:
    assert guess_format([write("t.csv", text)]).name == "counts"


def test_frames_are_read_as_their_table_is(write: Write) -> None:
    rows = [{"id": f"q{k}", "model_a": "x", "model_b": "y", "winner": word}
            for k, word in enumerate(("model_a", "tie", "model_b", "model_a"))]  # fmt: skip
    table = rates(write("p.csv", as_csv(rows)))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for frame in (rows, columns, polars.DataFrame(rows)):
        assert rates_of(ta.read(frame)) == table

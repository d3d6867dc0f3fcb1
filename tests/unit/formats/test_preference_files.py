"""Files of preferences: every spelling of who won becomes the share of a prompt that was won."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from preference_files import as_csv, as_jsonl, judged
from table_files import Write, real
from tellapart.cli import main
from tellapart.formats.registry import guess_format

Capture = pytest.CaptureFixture[str]
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
        (["1", "-1", "0"], [1, 0, HALF]),
        (["1.25", "2", "1.5"], [Fraction(3, 4), 0, HALF]),
        (["Response 1", "Response 2", "Neither"], [1, 0, HALF]),
    ],
)
def test_everyday_words(write: Write, words: list[str], points: list[Fraction]) -> None:
    rows = [{"id": f"q{k}", "model_a": "alder", "model_b": "birch", "preference": word}
            for k, word in enumerate(words)]  # fmt: skip
    for path in (write("p.csv", as_csv(rows)), write("p.jsonl", as_jsonl(rows))):
        assert rates(path)["alder"] == points


def test_numbers_that_could_mean_either_are_refused(write: Write, capsys: Capture) -> None:
    path = write("p.csv", "id,model_a,model_b,winner\n1,x,y,0\n2,x,y,1\n")
    assert main(["compare", path]) == 2
    assert "holds 0, 1; write A, B and tie" in capsys.readouterr().err


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


def test_one_hot_winners_of_lmsys(write: Write) -> None:
    text = (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        "1,x,y,p1,long,short,1,0,0\n2,x,y,p2,a,b,0,0,1\n3,y,x,p3,a,b,1,0,0\n"
    )
    counts = ta.read(write("train.csv", text))
    assert rates("train.csv")["x"] == [1, HALF, 0]
    assert counts.texts is not None
    assert counts.texts.inputs == ("p1", "p2", "p3")
    assert counts.texts.outputs["x"] == ("long", "a", "b")


@pytest.mark.parametrize("columns", ["left,right", "model_x,model_y", "option_1,option_2", "a,b"])
def test_columns_that_name_the_systems(write: Write, columns: str) -> None:
    """Places are no systems: who won is told by the names that stand there."""
    rows = "fig,elm,left\nelm,oak,right\nfig,oak,tie\noak,fig,left\n"
    one, other = columns.split(",")
    text = rows.replace("left", one).replace("right", other)
    counts = ta.read(write("p.csv", f"{columns},winner\n{text}"))
    assert counts.names == ("fig", "elm", "oak")
    assert counts.judgments is not None
    assert counts.judgments.points.tolist() == [1, 0, 0.5, 1]


def test_columns_that_may_be_names_or_texts_are_refused(write: Write, capsys: Capture) -> None:
    rows = "".join(f"q{k},said {k} so,said {k} otherwise,option_1\n" for k in range(6))
    path = write("p.csv", f"id,option_1,option_2,winner\n{rows}")
    assert main(["compare", path]) == 2
    assert "option_1 and option_2 may be names or outputs" in capsys.readouterr().err
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
    counts = ta.read(write("gpt-4_pair.jsonl", as_jsonl(rows)))
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


def test_clusters_of_prompts(write: Write) -> None:
    """Turns of a conversation go together: the test then has one unit for each."""
    rows = [{"id": f"q{k}", "talk": f"t{k // 2}", "model_a": "x", "model_b": "y", "winner": "A"}
            for k in range(8)]  # fmt: skip
    counts = ta.read(write("p.csv", as_csv(rows)))
    assert ta.compare(counts).pair("x", "y").p == 2 / 2**8
    assert ta.compare(counts, cluster="talk").pair("x", "y").p == 2 / 2**4


def test_parquet_of_conversations_as_lmsys_has_them(tmp_path: Path) -> None:
    """chatbot_arena_conversations: two conversations, of which the last message is the output."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    def talk(said: str) -> list[dict[str, str]]:
        asked = {"role": "user", "content": "Why?"}
        return [asked, {"role": "assistant", "content": said}]

    rows = [{"question_id": f"q{k}", "model_a": "x", "model_b": "y", "winner": word,
             "judge": f"arena_user_{k}", "conversation_a": talk("so"), "conversation_b": talk("no"),
             "turn": 1, "anony": True, "language": "English", "tstamp": 1.5 * k}
            for k, word in enumerate(["model_a", "model_b", "tie", "tie (bothbad)"])]  # fmt: skip
    path = tmp_path / "arena.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert guess_format([path]).name == "preferences"
    counts = ta.read(path)
    assert rates_of(counts)["x"] == [1, 0, HALF, HALF]
    assert counts.texts is not None
    assert counts.texts.inputs == ("Why?",) * 4
    assert counts.texts.outputs == {"x": ("so",) * 4, "y": ("no",) * 4}


def test_rows_and_frames_in_python(write: Write) -> None:
    rows = judged({"x": 0.5, "y": 0.0}, 15, 2, tie=0.2)
    there = real(ta.read(write("p.csv", as_csv(rows))))
    assert real(ta.read(rows)) == there
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert real(ta.read(pandas.DataFrame(rows))) == there
    nameless = [{"id": 1, "verdict": "win"}, {"id": 2, "verdict": "lose"}]
    assert ta.read(nameless, form="preferences", names="new,old").names == ("new", "old")

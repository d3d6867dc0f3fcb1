"""Span JSONL: exact matches, pairing by id or place, answers, and files that do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_files import Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.formats.annotation.formats import looks_like_spans
from tellapart.formats.annotation.spans import read_spans, score_spans
from tellapart.formats.head import Head

ANNA, IVREA = (0, 10, "PER"), (14, 19, "LOC")
TEXT = "Anna Smith in Ivrea"
Row = dict[str, Any]


def row(*spans: tuple[int, int, str], text: str = TEXT, **more: Any) -> Row:
    listed = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return {"text": text, "spans": listed, **more}


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in rows)


def counted(write: Write, gold: list[Row], system: list[Row], **options: Any) -> Counts:
    files = write("gold.jsonl", jsonl(*gold)), write("a.jsonl", jsonl(*system))
    return read_spans([files[1]], [files[0]], **options)


def test_by_hand(write: Write) -> None:
    """A span is right if its bounds and its label are."""
    gold = [row(ANNA, IVREA, meta={"doc": "d1", "n": 2}), row(meta={"doc": "d2", "n": 3})]
    system = [row(ANNA, (14, 19, "ORG"), (0, 4, "PER")), row(IVREA)]
    counts = counted(write, gold, system)
    assert counts.values[0].tolist() == [[1, 2, 1], [0, 1, 0]]
    assert counts.columns == ("tp", "fp", "fn")
    assert (counts.kind, counts.items) == ("text", ("1", "2"))
    assert counts.labels == {"doc": ("d1", "d2"), "n": ("2", "3")}
    assert counts.texts is not None
    assert counts.texts.golds == ("PER: Anna Smith; LOC: Ivrea", "")
    assert counts.texts.outputs["a"][1] == "LOC: Ivrea"


def test_ids_pair_lines_in_any_order(write: Write) -> None:
    for make in (
        lambda k: {"id": k},
        lambda k: {"meta": {"id": f"m{k}"}},
        lambda k: {"_input_hash": -k},
    ):
        rows = [row(ANNA, text=f"{TEXT} {k}", **make(k)) for k in range(3)]
        counts = counted(write, rows, rows[::-1])
        assert counts.values[0].tolist() == [[1, 0, 0]] * 3
        assert "id" not in counts.labels


def test_equal_hashes_fall_back_to_places(write: Write) -> None:
    """Two annotators on one text share the hash of the text."""
    rows = [row(ANNA, _input_hash=1), row(IVREA, _input_hash=1)]
    assert counted(write, rows, rows).items == ("1", "2")


def test_rejected_and_ignored_lines_are_left_out(write: Write) -> None:
    gold = [row(ANNA, answer=answer) for answer in ("accept", "reject", "ignore", "reject")]
    counts = counted(write, gold, [row(ANNA)] * 4)
    assert counts.items == ("1",)
    assert [(n.code, n.text) for n in counts.notices] == [
        ("left-out", "Left out, of the lines of gold.jsonl: 2 rejected and 1 ignored.")
    ]
    with pytest.raises(DataError, match="no text was accepted"):
        counted(write, gold[1:], [row(ANNA)] * 3)


def test_only_the_gold_says_what_is_left_out(write: Write) -> None:
    """A system cannot make the test set smaller, for itself or for others."""
    gold = [row(ANNA, id=1), row(IVREA, id=2), row(ANNA, id=3, answer="reject")]
    system = [row(ANNA, id=1, answer="reject"), row(id=2), row(id=3, answer="ignore")]
    counts = counted(write, gold, system)
    assert counts.values[0].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert [(notice.code, notice.text) for notice in counts.notices] == [
        ("left-out", "Left out, of the lines of gold.jsonl: 1 rejected."),
        (
            "answer",
            "1 line of a.jsonl is marked as rejected or ignored, but scored: only the gold says "
            "what is left out.",
        ),
    ]


def test_repeated_spans_count_once(write: Write) -> None:
    counts = counted(write, [row(ANNA)], [row(ANNA, ANNA, IVREA)])
    assert counts.values.tolist() == [[[1, 1, 0]]]
    assert [notice.code for notice in counts.notices] == ["not-understood", "unknown-label"]


def test_missing_texts(write: Write) -> None:
    gold = [row(ANNA, id=1), row(ANNA, IVREA, id=2)]
    with pytest.raises(DataError, match="missing in a: 2; --missing drop compares the 1"):
        counted(write, gold, gold[:1])
    zero = counted(write, gold, gold[:1], missing="zero")
    assert zero.values[0].tolist() == [[1, 0, 0], [0, 0, 2]]
    drop = counted(write, gold, gold[:1], missing="drop")
    assert (drop.items, [notice.code for notice in drop.notices]) == (("1",), ["missing"])


def test_texts_that_the_gold_lacks(write: Write) -> None:
    rows = [row(ANNA, id=1), row(ANNA, id=2)]
    with pytest.raises(DataError, match=r"a.jsonl has 1 text that gold.jsonl lacks: 2"):
        counted(write, rows[:1], rows)
    counts = counted(write, rows[:1], rows, missing="drop")
    assert (counts.items, [notice.code for notice in counts.notices]) == (("1",), ["extra"])


def test_several_runs_are_averaged(write: Write) -> None:
    gold = write("gold", jsonl(row(ANNA, IVREA)))
    runs = write("1", jsonl(row(ANNA))), write("2", jsonl(row(ANNA, IVREA)))
    scored = score_spans([f"a={runs[0]},{runs[1]}", gold], [gold])
    assert (scored.counts.values[0] / scored.counts.scales).tolist() == [[1.5, 0, 0.5]]
    assert scored.types["a"]["LOC"].scores.recall == 0.5


spans = st.lists(
    st.tuples(st.integers(0, 5), st.integers(6, 9), st.sampled_from("XY")), max_size=5, unique=True
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(spans, spans), min_size=1, max_size=4))
def test_counts_add_up(tmp_path_factory: Any, texts: list[tuple[Any, Any]]) -> None:
    """Right and missed are the gold's spans, right and wrong the system's; swapped, they swap."""
    folder: Path = tmp_path_factory.mktemp("spans")
    paths = folder / "gold", folder / "found"
    for k, path in enumerate(paths):
        path.write_text(jsonl(*(row(*pair[k], text="0123456789") for pair in texts)))
    tp, fp, fn = read_spans([paths[1]], [paths[0]]).values[0].T.tolist()
    for k, (gold, found) in enumerate(texts):
        assert (tp[k] + fn[k], tp[k] + fp[k]) == (len(gold), len(found))
        assert tp[k] == sum(span in gold for span in found)
    assert read_spans([paths[0]], [paths[1]]).values[0].T.tolist() == [tp, fn, fp]


def test_sample_against_itself(reference_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = reference_data / "ecosystem" / "spans" / "gold.jsonl"
    rows = [json.loads(line) for line in gold.read_text().splitlines()]
    assert main(["score", "--as", "spans", "--gold", str(gold), str(gold), "--json", "-"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["scores"]["f1"] == 1
    assert system["counts"]["tp"] == sum(len(each["spans"]) for each in rows)
    counts = read_spans([gold], [gold])
    assert counts.labels["doc"] == tuple(each["meta"]["doc"] for each in rows)


def test_compare_and_cluster(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    gold = [row(ANNA, IVREA, meta={"doc": f"d{k // 2}"}) for k in range(8)]
    write("gold", jsonl(*gold))
    write("a", jsonl(*gold))
    write("b", jsonl(*(row(ANNA) for _ in gold)))
    command = ["compare", "--as", "spans", "--gold", "gold", "a", "b", "--cluster", "doc"]
    assert main([*command, "--json", "-", "--no-intervals"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [system["scores"]["recall"] for system in record["systems"]] == [1, 0.5]
    assert record["pairs"][0]["p"] == 2 / 2**4


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "a:2: this is not JSON"),
        ('{"spans": []}', 'a:2: there is no "text"'),
        ('{"text": "x", "spans": 3}', 'a:2: "spans" is no list'),
        ('{"text": "x", "spans": [{"start": 0, "end": 1}]}', 'a:2: span 1 has no "label"'),
        ('{"text": "x", "spans": [{"start": 0, "label": "X"}]}', 'no "start" and "end"'),
        ('{"text": "x", "spans": [{"start": 0, "end": 2, "label": "X"}]}', "the text from 0 to 1"),
        ('{"text": "x", "answer": "maybe"}', "a:2: \"answer\" is 'maybe'"),
        ('{"text": "y"}', r"a:2: the text is 'y', but 'x' in gold:2"),
    ],
)
def test_bad_lines_are_named(write: Write, line: str, complaint: str) -> None:
    write("gold", '{"text": "x"}\n{"text": "x"}\n')
    write("a", '{"text": "x"}\n' + line)
    with pytest.raises(DataError, match=complaint):
        read_spans(["a"], ["gold"])


def test_same_id_twice(write: Write) -> None:
    rows = [row(ANNA, id=1), row(ANNA, id=1)]
    with pytest.raises(DataError, match=r"gold.jsonl:2: the id '1' appears twice, first in"):
        counted(write, rows, rows)


def test_usage(write: Write) -> None:
    gold = write("gold", jsonl(row(ANNA)))
    with pytest.raises(UsageError, match="--gold"):
        read_spans([gold], [])
    with pytest.raises(UsageError, match="error, zero, drop"):
        read_spans([gold], [gold], missing="maybe")


def test_validate_lists_all_problems(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("gold", jsonl(row(ANNA), row(ANNA, ANNA)))
    write("a", jsonl(row(ANNA, (5, 5, "X"), (0, 99, "X"))) + "{}\n")
    assert main(["validate", "--as", "spans", "--gold", "gold", "a"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(";")[0] for line in lines] == [
        "warning: gold:2: 1 span stands there twice",
        "a:1: span 2 goes from 5 to 5, the text from 0 to 19",
        "a:1: span 3 goes from 0 to 99, the text from 0 to 19",
        "a:2: this is not an object with keys",
    ]
    write("a", jsonl(row(ANNA)))
    assert main(["validate", "--as", "spans", "--gold", "gold", "a"]) == 2
    assert "missing in a: 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (jsonl(row(ANNA)), True),
        (jsonl({"text": "x", "spans": [], "answer": "reject"}), True),
        (jsonl({"text": "x", "score": 1}), False),
        (jsonl({"unit": "s1", "relations": []}), False),
        (jsonl({"text": "x", "spans": 3}), False),
        ("text,spans\nx,y\n", False),
        ("", False),
    ],
)
def test_spans_are_told_by_their_beginning(content: str, told: bool) -> None:
    assert looks_like_spans(Head("x", content.encode(), whole=True)) is told


def test_a_long_first_line_is_told() -> None:
    cut = json.dumps({"spans": [], "text": "x" * 1000})[:500]
    assert looks_like_spans(Head("x", cut.encode(), whole=False))

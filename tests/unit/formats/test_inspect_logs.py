"""Inspect's logs as counts: scorers, epochs, failures, and the figures of real runs."""

from __future__ import annotations

import io
import json
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from log_files import (
    agrees,
    compared,
    eval_log,
    failed,
    header,
    json_log,
    notices,
    pair_of,
    read_logs,
    refused,
    sample,
    sentences,
)
from table_files import Write, real
from tellapart.cli import main
from tellapart.formats.align import _averaged as averaged
from tellapart.formats.head import read_head
from tellapart.formats.logs.inspect import FORMAT
from tellapart.formats.logs.lm_eval_results import refuse_totals

Capture = pytest.CaptureFixture[str]
BIRCH = header("mockllm/birch")


def figures(reference_data: Path, name: str) -> Any:
    return json.loads((reference_data / "ecosystem" / "expected.json").read_text())[name]


def quiz(reference_data: Path) -> list[str]:
    return sorted(map(str, (reference_data / "ecosystem/inspect/quiz").glob("*.eval")))


@pytest.mark.parametrize(("a", "b"), [("alder", "birch"), ("alder", "cedar"), ("cedar", "birch")])
def test_quiz_by_item(reference_data: Path, capsys: Capture, a: str, b: str) -> None:
    expected = figures(reference_data, f"inspect/quiz includes {b} vs {a}")
    tests = {"t": "paired_t_p", "mcnemar": "mcnemar_exact_p", "exact": "sign_flip_exact_p_by_item"}
    for test, name in tests.items():
        record = compared(capsys, "--as", "inspect", *quiz(reference_data), "--test", test)
        agrees(record, expected, a, b, "includes")
        assert round(pair_of(record, a, b, "includes")["p"], 6) == expected[name]


def test_quiz_by_passage(reference_data: Path, capsys: Capture) -> None:
    record = compared(
        capsys, "--as", "inspect", *quiz(reference_data), "--cluster", "passage", "--test", "exact"
    )
    assert record["items"]["clusters"] is not None
    for a, b in (("alder", "birch"), ("alder", "cedar"), ("cedar", "birch")):
        expected = figures(reference_data, f"inspect/quiz includes {b} vs {a}")
        pair = pair_of(record, a, b, "includes")
        assert round(pair["p"], 6) == expected["sign_flip_exact_p_by_passage"]
        assert round(pair["p_adjusted"], 6) == expected["holm_p_by_passage"]
    assert "clustered" in notices(record)
    assert "maybe-clustered" not in notices(record)


def test_quiz_texts_and_labels(shared_data: Path) -> None:
    counts = read_logs(quiz(shared_data))
    assert counts.systems == ("alder", "birch", "cedar")
    assert list(counts.labels) == ["passage", "topic", "kind"]
    assert counts.items[:2] == ("p00-q1", "p00-q2")
    assert counts.texts is not None
    assert counts.texts.inputs[0].endswith("How many entries on Monday?")
    assert counts.texts.golds[0] == "31"
    assert counts.texts.outputs["alder"][0] == "the answer is 31."


def test_declared_clusters_are_told_once(reference_data: Path, capsys: Capture) -> None:
    record = compared(capsys, "--as", "inspect", *quiz(reference_data), "--no-intervals")
    assert "--cluster passage" in notices(record)["maybe-clustered"]
    assert [w["code"] for w in record["notices"]].count("maybe-clustered") == 1


def test_a_cluster_that_the_log_declares_is_told_once(write: Write, capsys: Capture) -> None:
    clustered = {"name": "stderr", "options": {"cluster": "passage"}}
    scorers = [{"name": "match", "metrics": [clustered]}]
    logs = []
    for model in ("alder", "birch"):
        rows = [sample(f"p{p}-q{q}", 1, metadata={"passage": p}) for p in range(6) for q in (1, 2)]
        head = header(f"mockllm/{model}", spec={"scorers": scorers})
        logs.append(write(f"{model}.json", json_log(rows, head)))
    told = [each for each in sentences(compared(capsys, *logs)) if "passage" in each]
    assert len(told) == 1
    assert told[0].startswith("The logs take their own standard errors by passage")


def test_clauses_with_epochs(reference_data: Path, capsys: Capture) -> None:
    name = "inspect/clauses f1 birch vs alder (mean over 3 epochs first)"
    expected = figures(reference_data, name)
    logs = sorted(map(str, (reference_data / "ecosystem/inspect/clauses").glob("*.json")))
    record = compared(capsys, "--as", "inspect", *logs, "--test", "t")
    agrees(record, expected, "alder", "birch", "f1")
    assert round(pair_of(record, "alder", "birch", "f1")["p"], 6) == expected["paired_t_p"]
    assert notices(record)["repeats"] == "3 repeats per item were averaged first."


@pytest.mark.parametrize("packing", ["zstd", "deflate"])
def test_both_compressions_and_json_say_the_same(write: Write, packing: str) -> None:
    rows = [sample("a1", "C"), sample("a2", "P"), sample("a3", "I"), sample("a4", "N")]
    packed = read_logs([write("a.eval", eval_log(rows, packing=packing))])
    plain = read_logs([write("a.json", json_log(rows))])
    assert packed == plain == read_logs([write("b.json.gz", json_log(rows))])
    assert real(packed) == {
        "alder": [[Fraction(1)], [Fraction(1, 2)], [Fraction(0)], [Fraction(0)]]
    }
    assert packed.columns == ("match",)
    assert (packed.kind, packed.form) == ("item", "items")
    assert packed.labels == {"group": ("g1", "g2", "g3", "g4")}


def test_older_logs_have_metadata_only_in_samples(write: Write) -> None:
    wholes = [
        sample(k, k % 2, metadata={"topic": f"t{k % 3}"}, output={"completion": f"out {k}"})
        for k in range(1, 5)
    ]
    keys = ("id", "epoch", "input", "target", "scores")
    thin = [{key: row[key] for key in keys} for row in wholes]
    for name, summaries in (("thin", thin), ("none", [])):
        log = eval_log(summaries, packing="deflate", wholes=wholes)
        counts = read_logs([write(f"{name}.eval", log)])
        assert counts.labels["topic"] == ("t1", "t2", "t0", "t1")
        assert counts.texts is not None
        assert counts.texts.outputs["alder"] == ("out 1", "out 2", "out 3", "out 4")


def test_integer_ids_and_texts_are_the_same_items(write: Write) -> None:
    one = write("one.eval", eval_log([sample(2, 1), sample(10, 0)]))
    rows = [sample("10", 1, input="What is 10?"), sample("2", 0, input="What is 2?")]
    other = write("other.json", json_log(rows, BIRCH))
    counts = read_logs([one, other])
    assert counts.items == ("2", "10")
    assert real(counts) == {"alder": [[1], [0]], "birch": [[0], [1]]}
    assert counts.notices == ()


def test_items_come_in_the_order_of_the_data_set(write: Write) -> None:
    head = header(spec={"dataset": {"name": "quiz", "sample_ids": ["c", "a", "b"]}})
    counts = read_logs([write("x.eval", eval_log([sample(k, 1) for k in "abc"], head))])
    assert counts.items == ("c", "a", "b")


def test_metrics_of_scorers_and_keys(write: Write) -> None:
    scores: dict[str, Any] = {
        "match": {"value": True},
        "judge": {"value": {"style": 0.25, "truth": "C"}},
        "second": {"value": {"truth": 0}},
        "ranks": {"value": [1, 0.5]},
    }
    path = write("x.eval", eval_log([sample("a", 1, scores=scores)]))
    counts = read_logs([path])
    names = ("match", "style", "judge.truth", "second.truth", "ranks.0", "ranks.1")
    assert counts.columns == names
    values = [Fraction(x) for x in ("1", "1/4", "1", "0", "1", "1/2")]
    assert real(counts) == {"alder": [values]}
    for name in (*names, "judge.style"):
        assert read_logs([path], metrics=[name]).columns == (name,)
    assert read_logs([path], metrics=["judge"]).columns == ("style", "truth")
    with pytest.raises(ta.UsageError, match=r"'truth' could be judge\.truth or second\.truth"):
        read_logs([path], metrics=["truth"])
    with pytest.raises(ta.UsageError, match="no value is named 'mach'; did you mean 'match'"):
        read_logs([path], metrics=["mach"])


def test_epochs_are_averaged_over_those_that_were_scored(write: Write, capsys: Capture) -> None:
    """An item with two of three epochs has the mean of the two, exactly."""
    alder = [sample("a", v, e) for e, v in enumerate((1, 0, 0), 1)]
    alder += [sample("b", 1, 1), failed("b", 2), sample("b", 0, 3)]
    birch = [sample(k, 1, e) for k in "ab" for e in (1, 2, 3)]
    one, two = write("1.eval", eval_log(alder)), write("2.eval", eval_log(birch, BIRCH))
    counts = read_logs([one, two])
    assert real(counts)["alder"] == [[Fraction(1, 3)], [Fraction(1, 2)]]
    assert counts.exact == (True,)
    record = compared(capsys, "--as", "inspect", one, two)
    assert notices(record)["failed"] == (
        "1 run of 1 item failed in alder; it was left out of the means, not counted as wrong."
    )
    told = "2 to 3 repeats per item were averaged first (2 to 3 of alder; 3 of birch)."
    assert notices(record)["repeats"].startswith(told)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 0.1, 0.25, 0.7, None]), min_size=1, max_size=5),
        min_size=1,
        max_size=6,
    ).filter(lambda items: all(any(v is not None for v in runs) for runs in items))
)
def test_means_are_exact(items: list[list[float | None]]) -> None:
    """Whatever runs are missing, the mean is that of the decimals as they are written."""
    most = max(map(len, items))
    runs = np.full((1, most, len(items)), np.nan)
    for u, values in enumerate(items):
        for r, value in enumerate(values):
            runs[0, r, u] = np.nan if value is None else value
    grid = averaged(runs, "f1")
    for u, values in enumerate(items):
        scored = [Fraction(str(value)) for value in values if value is not None]
        assert Fraction(int(grid.values[0, u]), grid.scale) == sum(scored) / len(scored)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(6)))
def test_the_order_of_samples_does_not_matter(order: list[int]) -> None:
    values = {"a1": (1, 0), "a2": (1, 1), "b1": (0, 0.3)}
    rows = [sample(k, v, e) for k, both in values.items() for e, v in enumerate(both, 1)]
    head = header(spec={"dataset": {"sample_ids": ["a1", "a2", "b1"]}})
    with TemporaryDirectory() as folder:
        one, other = Path(folder, "1.eval"), Path(folder, "2.eval")
        one.write_bytes(eval_log(rows, head))
        other.write_bytes(eval_log([rows[k] for k in order], head))
        assert read_logs([one]) == read_logs([other])
        assert read_logs([one]).items == read_logs([other]).items


def test_several_logs_of_a_system_are_runs(write: Write) -> None:
    first = write("1.eval", eval_log([sample("a", 1), sample("b", 0)]))
    again = write("2.eval", eval_log([sample("b", 1), sample("a", 1)]))
    counts = read_logs([f"alder={first},{again}"])
    assert real(counts) == {"alder": [[1], [Fraction(1, 2)]]}
    assert counts.texts is not None
    assert counts.texts.outputs["alder"] == ("(1) it is 1\n(2) it is 1", "(1) it is 0\n(2) it is 1")


def logs_with_failure(write: Write) -> list[str]:
    alder = [sample("q1", 1), sample("q2", 1), failed("q3", error={"message": "too\nslow"})]
    birch = [sample("q1", 1), sample("q2", 0), sample("q3", 1)]
    return [write("1.eval", eval_log(alder)), write("2.eval", eval_log(birch, BIRCH))]


def test_failed_items_are_refused_unless_told(write: Write, capsys: Capture) -> None:
    message = refused(capsys, "compare", "--as", "inspect", *logs_with_failure(write))
    assert message == (
        "tellapart: 1 item failed in alder (too slow); alder has 2 items, birch has 3; missing in "
        "alder: q3; --missing drop compares the 2 common items, --missing zero counts a missing "
        "item as 0\n"
    )


@pytest.mark.parametrize(
    ("policy", "score", "items", "told"),
    [
        ("drop", 1.0, 2, "it was dropped for all systems, not counted as wrong (2 left)."),
        ("zero", 2 / 3, 3, "it was counted as 0, as asked."),
    ],
)
def test_failed_items_by_policy(
    write: Write, capsys: Capture, policy: str, score: float, items: int, told: str
) -> None:
    record = compared(
        capsys, "--as", "inspect", *logs_with_failure(write), "--missing", policy, "--test", "exact"
    )
    assert record["systems"][0]["scores"]["match"] == pytest.approx(score)
    assert record["items"]["count"] == items
    assert notices(record)["failed"] == f"1 item failed in alder; {told}"
    assert "missing" not in notices(record)


def test_items_that_failed_are_not_told_again_as_missing(write: Write) -> None:
    """What failed and what was never run are two things."""
    alder = [sample("q1", 1), failed("q2"), failed("q3")]
    birch = [*(sample(f"q{k}", 1) for k in range(1, 5)), failed("q5")]
    logs = [write("1.eval", eval_log(alder)), write("2.eval", eval_log(birch, BIRCH))]
    dropped = [(n.code, n.text) for n in read_logs(logs, missing="drop").notices]
    left = "dropped for all systems, not counted as wrong (1 left)."
    assert dropped == [
        ("failed", f"2 items failed in alder; they were {left}"),
        ("failed", f"1 item failed in birch; it was {left}"),
        ("missing", "Dropped for all systems: 1 further item that not every system has; 1 left."),
    ]
    zero = [n.text for n in read_logs(logs, missing="zero").notices]
    assert zero[-1] == "Missing items were counted as 0: 2 of alder."


def test_each_has_its_own_items_in_an_unpaired_test(write: Write) -> None:
    counts = read_logs(logs_with_failure(write), missing="own")
    assert counts.present is not None
    assert counts.present.tolist() == [[True, True, False], [True, True, True]]


def test_nan_is_not_scored_and_not_wrong(write: Write) -> None:
    """Inspect writes NaN where a scorer could not score."""
    rows = [sample("a", 1), sample("b", float("nan"))]
    path = write("x.eval", eval_log(rows))
    with pytest.raises(ta.DataError, match=r"^1 item of alder has no score; alder has 1"):
        read_logs([path])
    counts = read_logs([path], missing="drop")
    assert real(counts) == {"alder": [[1]]}
    assert [(n.code, n.text) for n in counts.notices] == [
        (
            "no-score",
            "1 item has no score in alder; it was dropped for all systems, not counted as wrong (1 "
            "left).",
        )
    ]


def test_what_one_scorer_could_not_score_is_compared_by_the_others(write: Write) -> None:
    """Without being asked: the scorer is compared on the items that it scored for all systems."""

    def two(item: str, match: float, judged: float, **more: Any) -> Any:
        return sample(
            item, 1, scores={"match": {"value": match}, "judge": {"value": judged}}, **more
        )

    birch = write("b.eval", eval_log([two("a", 1, 1), two("b", 0, 0.5), two("c", 1, 0)], BIRCH))
    rows = [two("a", 0, 0.5), two("b", 1, float("nan")), two("c", 1, 1)]
    alder = write("a.eval", eval_log(rows))
    result = ta.compare(read_logs([alder, birch]))
    scores = {system.name: system.scores for system in result.systems}
    assert scores["alder"] == pytest.approx({"match": 2 / 3, "judge": 0.75})
    assert scores["birch"] == pytest.approx({"match": 2 / 3, "judge": 0.5})
    assert [(n.code, n.text) for n in read_logs([alder, birch]).notices] == [
        ("fewer-items", "judge is of 2 items of 3: the others have no such value of alder.")
    ]
    with pytest.raises(ta.DataError, match="1 item of alder has no score"):
        read_logs([alder, birch], ["judge"])
    for last in (failed("c"), two("c", 1, float("nan"), error="TimeoutError: too slow")):
        broken = write("broken.eval", eval_log([*rows[:2], last]))
        with pytest.raises(ta.DataError, match=r"1 item failed in alder \(TimeoutError"):
            read_logs([broken, birch])


def test_runs_without_a_score_did_not_fail(write: Write) -> None:
    rows = [sample(k, v, e) for k in "ab" for e, v in enumerate((1, float("nan")), 1)]
    counts = read_logs([write("x.eval", eval_log([*rows, sample("c", 1), failed("c", 2)]))])
    assert [(n.code, n.text) for n in counts.notices] == [
        (
            "failed",
            "1 run of 1 item failed in alder; it was left out of the means, not counted as wrong.",
        ),
        (
            "no-score",
            "2 runs of 2 items have no score in alder; they were left out of the means, not "
            "counted as wrong.",
        ),
    ]


def test_scores_of_errored_samples_are_kept_and_told(write: Write) -> None:
    """Where Inspect was told to score on error, the score is Inspect's decision."""
    path = write("x.eval", eval_log([sample("a", 1), sample("b", 0, error="limit")]))
    counts = read_logs([path])
    assert real(counts) == {"alder": [[1], [0]]}
    assert [notice.code for notice in counts.notices] == ["failed"]


def test_remarks_of_the_header(write: Write) -> None:
    head = header(invalidated=True, spec={"config": {"epochs_reducer": ["pass_at_2"]}})
    counts = read_logs([write("x.eval", eval_log([sample("a", 1)], head))])
    assert [notice.code for notice in counts.notices] == ["invalidated", "reducer"]


def test_saved_counts_read_back(write: Write, capsys: Capture) -> None:
    paths = logs_with_failure(write)
    options = ["--missing", "drop", "--save-counts", "saved.csv"]
    compared(capsys, "--as", "inspect", *paths, *options)
    assert ta.read("saved.csv").columns == ("match",)


def test_standard_input(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("unused", "")
    for data in (eval_log([sample("a", 1)]), json_log([sample("a", 1)]).encode()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert real(read_logs(["-"])) == {"alder": [[1]]}


def test_texts_beside_numbers_are_left_out_and_told(write: Write) -> None:
    path = write("x.eval", eval_log([sample("a", {"label": "sea", "truth": 1})]))
    counts = read_logs([path])
    assert counts.columns == ("truth",)
    assert counts.notices[0].text == "Left out, being no numbers: label."
    with pytest.raises(ta.DataError, match=r"the value of 'match\.label' is 'sea'"):
        read_logs([path], metrics=["label"])


def test_score_prints_means(write: Write, capsys: Capture) -> None:
    assert (
        main(
            ["score", "--as", "inspect", write("x.eval", eval_log([sample("a", 1)])), "--json", "-"]
        )
        == 0
    )
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["scores"] == {"match": 1.0}


def test_telling_by_content(write: Write, reference_data: Path) -> None:
    rows = [sample("a", 1)]
    for name, data in (("x.zip", eval_log(rows)), ("x.json", json_log(rows)), ("y.eval", b"")):
        assert FORMAT.recognises(read_head(write(name, data)))
    for name, data in (("t.csv", b"system,item,score\n"), ("z.zip", b"PK\x03\x04" + b"x" * 40)):
        assert not FORMAT.recognises(read_head(write(name, data)))
    for path in (reference_data / "ecosystem" / "inspect").glob("*/*"):
        assert FORMAT.recognises(read_head(str(path)))
        assert refuse_totals(read_head(str(path))) is None
    assert refuse_totals(read_head(str(reference_data / "ecosystem/hf_evaluate/alder.json")))

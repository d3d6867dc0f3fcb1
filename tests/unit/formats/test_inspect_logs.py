"""Inspect's logs: scorers, epochs, failures, sets, retries, texts, and figures of real runs."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from log_files import (
    compared,
    eval_log,
    failed,
    header,
    json_log,
    notices,
    read_logs,
    refused,
    sample,
)
from table_files import Write, real
from tellapart.formats.align import _averaged as averaged

Capture = pytest.CaptureFixture[str]
BIRCH = header("mockllm/birch")


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
        "1 run of 1 item failed in alder (TimeoutError: too slow), left out of the means and not "
        "counted as wrong."
    )
    told = "2 to 3 repeats per item were averaged first (2 to 3 of alder; 3 of birch)."
    assert notices(record)["repeats"].startswith(told)


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


def logs_with_failure(write: Write) -> list[str]:
    alder = [sample("q1", 1), sample("q2", 1), failed("q3", error={"message": "too\nslow"})]
    birch = [sample("q1", 1), sample("q2", 0), sample("q3", 1)]
    return [write("1.eval", eval_log(alder)), write("2.eval", eval_log(birch, BIRCH))]


@pytest.mark.parametrize(
    ("policy", "score", "items", "told"),
    [
        ("drop", 1.0, 2, "Dropped for all systems: 1 item that not every system has; 2 left."),
        ("zero", 2 / 3, 3, "Missing items were counted as 0: 1 of alder."),
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
    assert notices(record)["failed"] == "1 item failed in alder (too slow)."
    assert notices(record)["missing"] == told


def test_nan_is_not_scored_and_not_wrong(write: Write) -> None:
    """Inspect writes NaN where a scorer could not score."""
    rows = [sample("a", 1), sample("b", float("nan"))]
    path = write("x.eval", eval_log(rows))
    with pytest.raises(ta.DataError, match=r"^1 item got no score in alder; alder has 1"):
        read_logs([path])
    counts = read_logs([path], missing="drop")
    assert real(counts) == {"alder": [[1]]}
    assert [(n.code, n.text) for n in counts.notices] == [
        ("no-score", "1 item got no score in alder."),
        ("missing", "Dropped for all systems: 1 item that not every system has; 1 left."),
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
        ("fewer-items", "judge is of 2 items of 3: the others have no such value.")
    ]
    with pytest.raises(ta.DataError, match="1 item got no score in alder"):
        read_logs([alder, birch], ["judge"])
    for last in (failed("c"), two("c", 1, float("nan"), error="TimeoutError: too slow")):
        broken = write("broken.eval", eval_log([*rows[:2], last]))
        with pytest.raises(ta.DataError, match=r"1 item failed in alder \(TimeoutError"):
            read_logs([broken, birch])


def test_texts_beside_numbers_are_left_out_and_told(write: Write) -> None:
    path = write("x.eval", eval_log([sample("a", {"label": "sea", "truth": 1})]))
    counts = read_logs([path])
    assert counts.columns == ("truth",)
    assert counts.notices[0].text == "Left out, being no numbers: label."
    with pytest.raises(ta.DataError, match=r"the value of 'match\.label' is 'sea'"):
        read_logs([path], metrics=["label"])


# Sets, retries and newer logs


def test_all_files_of_a_folder_are_its_logs_and_what_lies_beside_them(
    write: Write, capsys: Capture
) -> None:
    """As `logs/*` has them: the list of tasks is passed over, but refused by itself."""
    tasks = write("eval-set.json", json.dumps({"eval_set_id": "x", "tasks": []}))
    logs = [
        write(f"{name}.json", json_log([sample("a", 1), sample("b", 0)], header(f"mock/{name}")))
        for name in ("alder", "birch")
    ]
    counts = ta.read([tasks, *logs])
    assert counts.names == ("alder", "birch")
    assert not counts.notices
    record = compared(capsys, *logs, tasks)
    assert [system["name"] for system in record["systems"]] == ["alder", "birch"]
    Path("else").mkdir()
    for alone in ([tasks], [tasks, write("else/alder.json", Path(logs[0]).read_text())]):
        with pytest.raises(ta.DataError, match="cannot be compared item by item"):
            ta.read(alone)
    with pytest.raises(ta.DataError, match="give the logs that it lists"):
        ta.read([f"cedar={tasks}", *logs])


def test_sampling_settings_are_compared_where_there_is_one_model(write: Write) -> None:
    """Of several models in a folder, other temperatures are runs; prompts are systems."""
    for model in ("alder", "birch"):
        for heat in (0, 0.7):
            for prompt in ("plain", "cot"):
                spec = {
                    "model_generate_config": {"temperature": heat},
                    "task_args": {"prompt": prompt},
                }
                head = header(f"mock/{model}", spec=spec)
                name = f"{model}/{heat}-{prompt}.json"
                Path(model).mkdir(exist_ok=True)
                write(name, json_log([sample("a", 1)], head))
    both = ta.read(".", form="inspect")
    assert sorted(both.names) == [
        "alder (prompt=cot)", "alder (prompt=plain)", "birch (prompt=cot)", "birch (prompt=plain)",
    ]  # fmt: skip
    alone = ta.read("alder", form="inspect")
    assert "alder (temperature=0.7, prompt=cot)" in alone.names


def test_systems_of_one_model_are_named_by_what_was_set(write: Write) -> None:
    logs = []
    for heat in (0, 0.7):
        spec = {"model_generate_config": {"temperature": heat}, "task_args": {"shots": 5}}
        logs.append(write(f"{heat}.eval", eval_log([sample("a", 1)], header(spec=spec))))
    assert read_logs(logs).names == ("alder (temperature=0)", "alder (temperature=0.7)")
    plans: list[Any] = [
        {"steps": [{"solver": "system_message", "params": {"template": text}}]}
        for text in ("Be brief.", "Think step by step. " * 9)
    ]
    logs = [
        write(f"p{k}.eval", eval_log([sample("a", 1)], header(plan=plan)))
        for k, plan in enumerate(plans)
    ]
    short, long = read_logs(logs).names
    assert short == "alder (system_message.template=Be brief.)"
    assert long.startswith("alder (system_message.template=Think step by step. ")
    assert len(long) < 90
    other = write("o.eval", eval_log([sample("a", 1)], header("other/alder")))
    name = read_logs([logs[0], other]).names[1]
    assert name == "alder (model=other/alder, system_message.template=none)"


def test_time_and_tokens_are_compared_where_they_are_named(write: Write, capsys: Capture) -> None:
    for k, name in enumerate(("alder", "birch")):
        usage = {"m/x": {"total_tokens": 10 + k}, "m/judge": {"total_tokens": 5}}
        rows = [sample(i, i % 2, total_time=1.5 + k, model_usage=usage) for i in range(4)]
        write(f"{name}.eval", eval_log(rows, header(f"m/{name}")))
    record = compared(capsys, "alder.eval", "birch.eval")
    assert list(record["systems"][0]["scores"]) == ["match"]
    assert notices(record)["not-compared"] == (
        "Not in the verdict: total_time, total_tokens; --metric total_time compares it."
    )
    record = compared(
        capsys, "alder.eval", "birch.eval", "--metric", "total_tokens", "--metric", "total_time"
    )
    scores = {system["name"]: system["scores"] for system in record["systems"]}
    assert scores["alder"] == {"total_tokens": 15, "total_time": 1.5}
    assert not record["metrics"]["total_tokens"]["higher_is_better"]


def test_newer_logs_are_refused(write: Write, capsys: Capture) -> None:
    newer = write("x.json", json.dumps({**header(), "version": 3, "trials": []}))
    assert refused(capsys, "score", "--as", "inspect", newer) == (
        "tellapart: x.json: the log is of version 3, and those up to 2 are known here; update "
        "tellapart\n"
    )


# Logs that cannot be used: one sentence each, with place, finding and remedy

OK = [sample("a", 1)]
REFUSALS: dict[str, tuple[str, str | bytes, str]] = {
    "failed": (
        "x.eval",
        eval_log(OK, header(status="error", error={"message": "no\nmoney"})),
        "x.eval: the run did not succeed (status 'error': no money; 1 sample is in the "
        "log); finish it",
    ),
    "cancelled": (
        "x.json",
        json_log(OK, header(status="cancelled")),
        "(status 'cancelled'; 1 sample is in the log); finish it with `inspect eval-retry`",
    ),
    "unfinished": (
        "x.eval",
        eval_log([], members={"_journal/start.json": b"{}"}).replace(b"header", b"footer"),
        "x.eval: the run was killed, or is still going on (0 samples are in the log); make a "
        "log of what is there with `inspect log recover`",
    ),
    "empty": ("x.eval", eval_log([]), "x.eval: there are no samples (the log is empty)"),
    "unlogged": (
        "x.json",
        json_log(None, header(spec={"config": {"log_samples": False}})),
        "there are no samples (it was written with --no-log-samples)",
    ),
    "nothing": ("x.eval", b"", "x.eval: the file is empty"),
    "cut zip": ("x.eval", eval_log(OK)[:-40], "x.eval: the zip file is cut off or damaged"),
    "no zip": ("x.eval", b"hello", "x.eval: this is not a zip archive"),
    "cut json": ("x.json", json_log(OK)[:-9], "x.json:1: this is not JSON ("),
    "latin-1": ("x.json", json_log(OK).replace("quiz", "caf\xe9").encode("latin-1"), "not UTF-8"),
    "no log": ("x.json", '{"a": 1}', "x.json: this is no log of Inspect (it has no `eval`)"),
    "list": ("x.json", "[1, 2]", "x.json: this is no log of Inspect"),
    "odd samples": (
        "x.json",
        json.dumps({**header(), "samples": {"a": 1}}),
        "x.json: a sample has no id",
    ),
    "no id": ("x.json", json_log([{"epoch": 1}]), "x.json: a sample has no id"),
    "unscored": (
        "x.json",
        json_log([failed("a"), failed("b")]),
        "none of 2 samples has a score (the first failed: TimeoutError: too slow)",
    ),
    "twice": ("x.eval", eval_log([*OK, *OK]), "x.eval: item 'a', epoch 1 appears twice"),
    "no grade": (
        "x.eval",
        eval_log([*OK, sample("b", "fine")]),
        "x.eval: item 'b', epoch 1: the value of 'match' is 'fine', which is no number and no",
    ),
    "infinite": ("x.json", json_log([sample("a", float("inf"))]), "'Infinity', which is no number"),
    "cut member": (
        "x.eval",
        eval_log(OK, members={"summaries.json": b'[{"id": 1'}),
        "x.eval: summaries.json: this is not JSON",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(write: Write, capsys: Capture, case: str) -> None:
    name, content, finding = REFUSALS[case]
    path = write(name, content)
    other = write("good.eval", eval_log(OK, BIRCH))
    assert finding in refused(capsys, "compare", "--as", "inspect", path, other)


def test_any_cut_of_a_zip_is_refused(write: Write) -> None:
    """Wherever a copy broke off, there is one sentence and no traceback."""
    whole = eval_log([sample(k, 1) for k in range(20)])
    for size in range(1, len(whole), 37):
        with pytest.raises(ta.DataError, match=r"cut\.eval"):
            read_logs([write("cut.eval", whole[:size])])

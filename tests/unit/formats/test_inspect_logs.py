"""Inspect's logs: scorers, epochs, failures, sets, retries, texts, and figures of real runs."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
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
from table_files import Capture, Write, real
from tellapart.cli import main
from tellapart.formats.align import _averaged as averaged

BIRCH = header("mockllm/birch")


@pytest.mark.parametrize("packing", ["zstd", "deflate"])
def test_both_compressions_and_json_say_the_same(write: Write, packing: str) -> None:
    """Also older logs, whose summaries lack metadata, which whole samples have."""
    rows = [sample(k, grade) for k, grade in enumerate("CPIN")]
    plain = read_logs([write("a.json", json_log(rows))])
    thin = [{name: part for name, part in row.items() if name != "metadata"} for row in rows]
    for log in (eval_log(rows, packing=packing), eval_log(thin, packing=packing, wholes=rows)):
        assert read_logs([write("a.eval", log)]) == plain
    assert real(plain) == {"alder": [[1], [Fraction(1, 2)], [0], [0]]}
    assert plain.labels == {"group": ("g0", "g1", "g2", "g3")}


def test_texts_that_summaries_cut_are_those_of_the_whole_sample(write: Write) -> None:
    """What is attached to a sample, the parts of a chat, and the output itself."""
    cut = sample("a", 1, input="What ...\n(content truncated)")
    asked = [{"role": "user", "content": [{"text": "Who"}, {"type": "image"}]}, "attachment://7"]
    said = {"attachments": {"7": "is it?"}, "output": {"completion": "Ann"}}
    whole = {**cut, **said, "input": asked}
    texts = read_logs([write("x.eval", eval_log([cut], wholes=[whole]))]).texts
    assert texts.inputs == ("Who\n(image)\nis it?",)
    assert texts.outputs == {"alder": ("Ann",)}


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
    told = notices(compared(capsys, "--as", "inspect", one, two))
    assert "(TimeoutError: too slow)" in told["failed"]
    assert told["repeats"].startswith("2 to 3 repeats ")


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


def test_nan_is_not_scored_and_not_wrong(write: Write) -> None:
    """Inspect writes NaN where a scorer could not score."""
    rows = [sample("a", 1), sample("b", float("nan"))]
    path = write("x.eval", eval_log(rows))
    with pytest.raises(ta.DataError, match=r"^1 item got no score in alder; alder has 1"):
        read_logs([path])
    counts = read_logs([path], missing="drop")
    assert real(counts) == {"alder": [[1]]}
    assert [each.code for each in counts.notices] == ["no-score", "missing"]


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
    assert [each.code for each in read_logs([alder, birch]).notices] == ["fewer-items"]
    with pytest.raises(ta.DataError, match="1 item got no score in alder"):
        read_logs([alder, birch], ["judge"])
    for last in (failed("c"), two("c", 1, float("nan"), error="TimeoutError: too slow")):
        broken = write("broken.eval", eval_log([*rows[:2], last]))
        with pytest.raises(ta.DataError, match=r"1 item failed in alder \(TimeoutError"):
            read_logs([broken, birch])


# Sets, retries and newer logs


def test_a_list_of_tasks_beside_logs_is_passed_over(write: Write) -> None:
    """But refused by itself, by a name, and elsewhere; a shell lists all that a folder has."""
    Path("logs").mkdir()
    tasks = write("logs/eval-set.json", json.dumps({"eval_set_id": "x", "tasks": []}))
    for name in ("alder", "birch"):
        write(f"logs/{name}.json", json_log([sample("a", 1), sample("b", 0)], header(name)))
    counts = ta.read("logs")
    assert counts.names == ("alder", "birch")
    assert not counts.notices
    logs = ["logs/alder.json", "logs/birch.json"]
    assert ta.read([*logs, tasks]) == ta.read(logs)
    assert main(["validate", tasks, *logs]) == 0
    far = write("far.json", json.dumps({"eval_set_id": "x", "tasks": []}))
    for files in ([tasks], [*logs, f"x={tasks}"], [*logs, far]):
        with pytest.raises(ta.DataError, match="item by item: give the logs that it lists"):
            ta.read(files)


def test_sampling_settings_are_compared_where_there_is_one_model(write: Write) -> None:
    """Of several models in a folder, other temperatures are runs; prompts are systems."""
    for model, heat, prompt in product(("alder", "birch"), (0, 0.7), ("plain", "cot")):
        spec = {"model_generate_config": {"temperature": heat}, "task_args": {"prompt": prompt}}
        Path(model).mkdir(exist_ok=True)
        log = json_log([sample("a", 1)], header(f"mock/{model}", spec=spec))
        write(f"{model}/{heat}-{prompt}.json", log)
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
    assert "--metric total_time " in notices(record)["not-compared"]
    record = compared(
        capsys, "alder.eval", "birch.eval", "--metric", "total_tokens", "--metric", "total_time"
    )
    scores = {system["name"]: system["scores"] for system in record["systems"]}
    assert scores["alder"] == {"total_tokens": 15, "total_time": 1.5}
    assert not record["metrics"]["total_tokens"]["higher_is_better"]


def test_samples_that_the_header_does_not_count_are_told(write: Write) -> None:
    """Epochs count, each for itself."""
    rows = [sample(k, 1, epoch) for k in "ab" for epoch in (1, 2)]
    for total, told in ((4, []), (6, ["x.eval: the run had 6 samples, and 4 are there."])):
        path = write("x.eval", eval_log(rows, header(results={"total_samples": total})))
        notices = read_logs([path]).notices
        assert [each.text for each in notices if each.code == "other-total"] == told


# Archives that cannot be used; of logs in JSON, `cli/transcripts/formats.txt` has them

OK = [sample("a", 1)]
KILLED = eval_log([], members={"_journal/start.json": b"{}"}).replace(b"header", b"footer")
REFUSALS = {
    "unfinished": (KILLED, "(0 samples in the log); `inspect log recover`"),
    "cut member": (
        eval_log(OK, members={"summaries.json": b'[{"id": 1'}),
        "x.log: summaries.json: this is not JSON",
    ),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(write: Write, capsys: Capture, case: str) -> None:
    content, finding = REFUSALS[case]
    path = write("x.log", content)
    other = write("good.eval", eval_log(OK, BIRCH))
    assert finding in refused(capsys, "compare", "--as", "inspect", path, other)

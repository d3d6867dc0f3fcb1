"""Eval-sets, retries and newer logs of Inspect: what is read, names of systems, the scores."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import (
    compared,
    eval_log,
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
from tellapart.formats.records import open_archive

Capture = pytest.CaptureFixture[str]


def _headers(folder: Path) -> dict[Path, Any]:
    found = {}
    for path in sorted(folder.glob("*.eval")):
        with open_archive(str(path)) as archive:
            found[path] = archive.json("header.json")
    return found


def _stated(head: Any) -> float:
    (score,) = head["results"]["scores"]
    return float(score["metrics"]["accuracy"]["value"])


def test_scores_of_an_eval_set_are_those_of_its_headers(shared_data: Path, capsys: Capture) -> None:
    folder = shared_data / "harnesses" / "inspect-set"
    record = compared(capsys, str(folder))
    assert {system["name"] for system in record["systems"]} == {
        "alder-7b", "birch-7b", "cedar-70b",
    }  # fmt: skip
    assert "bystanders" not in notices(record)
    counts = ta.read(folder)
    column = counts.values[:, :, 0] / counts.scales[0]
    tasks = counts.labels["task"]
    for head in _headers(folder).values():
        row = counts.names.index(head["eval"]["model"].rpartition("/")[2])
        of_task = [k for k, task in enumerate(tasks) if task == head["eval"]["task"]]
        assert column[row, of_task].mean() == pytest.approx(_stated(head), abs=1e-9)


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
        with pytest.raises(ta.DataError, match="lists the logs of an eval-set, and has no scores"):
            ta.read(alone)
    with pytest.raises(ta.DataError, match="lists the logs of an eval-set"):
        ta.read([f"cedar={tasks}", *logs])


def test_a_retry_takes_the_place_of_what_failed(shared_data: Path, capsys: Capture) -> None:
    """Of alder's two logs, the one that succeeded; birch's are two runs; cedar's was cancelled."""
    folder = shared_data / "harnesses" / "inspect-retry"
    record = compared(capsys, str(folder))
    told = set(sentences(record))
    assert any("03-15-04" in text and "a later run took their place" in text for text in told)
    assert any("runs of one system (2 of birch-7b)" in text for text in told)
    (left,) = (text for text in told if "03-18-08" in text)
    assert "6 samples are in the log); finish it with `inspect eval-retry`" in left
    scores = {system["name"]: system["scores"]["match"] for system in record["systems"]}
    heads = {head["eval"]["created"]: head for head in _headers(folder).values()}
    assert scores == {
        "alder-7b": pytest.approx(_stated(heads["2026-11-16T03:15:43+00:00"])),
        "birch-7b": pytest.approx(
            (
                _stated(heads["2026-11-16T03:16:06+00:00"])
                + _stated(heads["2026-11-16T03:15:46+00:00"])
            )
            / 2
        ),
    }


def test_seeds_in_a_folder_are_runs_of_one_system(shared_data: Path, capsys: Capture) -> None:
    """Two models by four seeds: two systems, and a line says so; named, each is a system."""
    folder = shared_data / "first-use" / "inspect" / "seeds"
    record = compared(capsys, str(folder), "--metric", "em")
    assert {system["name"] for system in record["systems"]} == {"alpha", "beta"}
    told = notices(record)
    assert (
        "differ in seed alone were taken as runs of one system (4 of alpha" in (told["merged-runs"])
    )
    assert "A=LOG B=LOG" in told["merged-runs"]
    counts = ta.read(folder, metrics="em")
    assert [len(own) for own in counts.runs] == [4, 4]
    one, two = sorted(folder.glob("*.eval"))[:2]
    assert ta.read([f"a={one}", f"b={two}"], metrics="em").names == ("a", "b")


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


def test_epochs_are_repeats(shared_data: Path, capsys: Capture) -> None:
    """Nested in the item: averaged, then tested over items; no run can be lucky as a whole."""
    folder = shared_data / "first-use" / "inspect"
    record = compared(capsys, str(folder / "epochs"), "--metric", "match")
    assert notices(record)["repeats"] == "4 repeats per item were averaged first."
    pair = pair_of(record, "beta", "alpha", "match")
    assert pair["p"] == pytest.approx(0.0066, abs=0.002)
    told = notices(compared(capsys, str(folder / "code"), "--metric", "pass@5"))
    assert not {"reducer", "runs-fixed"} & set(told)


def test_clusters_of_a_suite_are_nested_in_its_tasks(shared_data: Path, capsys: Capture) -> None:
    """`p00` of one task is not `p00` of another, and tasks without the label stand alone."""
    folder = str(shared_data / "first-use" / "inspect" / "set")
    record = compared(capsys, folder, "--cluster", "passage")
    assert record["items"]["clusters"]["count"] == 90
    assert pair_of(record, "beta", "alpha", "main score")["p"] == pytest.approx(0.0569, abs=2e-3)
    told = notices(compared(capsys, folder))
    assert "90 groups by passage" in told["maybe-clustered"]
    assert "runs-fixed" not in told


def test_a_cancelled_log_that_is_named_is_refused(shared_data: Path, capsys: Capture) -> None:
    folder = shared_data / "harnesses" / "inspect-retry"
    (path,) = folder.glob("*03-18-08*")
    message = refused(capsys, "score", "--as", "inspect", str(path))
    assert "the run did not succeed (status 'cancelled'" in message


def test_figures_of_single_tasks(shared_data: Path) -> None:
    """The logs of the smaller data set, by the accuracies in their own headers."""
    for path, head in _headers(shared_data / "ecosystem" / "inspect" / "quiz").items():
        counts = ta.read(path)
        for score in head["results"]["scores"]:
            if score["name"] in counts.columns and "accuracy" in score["metrics"]:
                place = counts.columns.index(score["name"])
                mean = counts.values[0, :, place].mean() / counts.scales[place]
                assert mean == pytest.approx(score["metrics"]["accuracy"]["value"], abs=1e-9)


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


def test_a_sample_that_failed_has_no_time_either(write: Write) -> None:
    rows = [sample("a", 1, total_time=2.0), sample("b", 1, scores={}, error="x", total_time=9.0)]
    counts = read_logs([write("x.eval", eval_log(rows))], ["total_time"], missing="drop")
    assert real(counts) == {"alder": [[2]]}


class _Package(types.ModuleType):
    """A stand-in for `inspect_ai.log` that knows logs of next year."""

    def __init__(self, tree: Any) -> None:
        super().__init__("inspect_ai.log")
        self.tree = tree

    def read_eval_log(self, _: str) -> Any:
        return types.SimpleNamespace(model_dump=lambda mode: self.tree)  # noqa: ARG005


def test_newer_logs_are_read_by_the_package(
    write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = write("x.json", json.dumps({**header(), "version": 3, "trials": []}))
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    assert refused(capsys, "score", "--as", "inspect", newer) == (
        "tellapart: x.json: the log is of version 3, and those up to 2 are known here; pip install "
        "inspect_ai, by which newer ones are read\n"
    )
    tree = json.loads(json_log([sample("a", "C"), sample("b", "I")]))
    monkeypatch.setitem(sys.modules, "inspect_ai", types.ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.log", _Package(tree))
    assert real(read_logs([newer])) == {"alder": [[1], [0]]}

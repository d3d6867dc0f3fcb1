"""Logs of several files, folders and tasks, put together the same way for every harness."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import toy_harness
from tellapart import Counts, DataError
from tellapart.formats.contract import Sources
from tellapart.options import NoOptions

TOY = toy_harness()


def _write(path: Path, **tree: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(tree))
    return str(path)


def _read(*systems: str, **more: Any) -> Counts:
    return TOY.read(Sources(systems, **more), NoOptions())


def test_a_folder_is_descended_into_and_what_is_no_log_is_named(tmp_path: Path) -> None:
    _write(tmp_path / "out/deep/alder.json", toy="alder", scores={"q1": 1, "q2": 0})
    _write(tmp_path / "out/birch.json", toy="birch", scores={"q1": 1, "q2": 1})
    _write(tmp_path / "out/set.json", sets=[])
    counts = _read(str(tmp_path / "out"))
    assert set(counts.names) == {"alder", "birch"}
    (notice,) = [each for each in counts.notices if each.code == "bystanders"]
    assert "set.json" in notice.text


def test_a_failed_run_is_passed_over_where_a_later_one_took_its_place(tmp_path: Path) -> None:
    same = {"toy": "alder", "identity": "run 7"}
    first = _write(tmp_path / "1.json", **same, time="1", failed=True, scores={"q1": 0})
    second = _write(tmp_path / "2.json", **same, time="2", scores={"q1": 1})
    counts = _read(first, second)
    assert counts.summed().tolist() == [[1]]
    assert [n.text for n in counts.notices if n.code == "superseded"] == [
        f"Skipped, since a later run took their place: {first}."
    ]
    with pytest.raises(DataError, match="the run failed"):
        _read(first)


def test_systems_in_which_nothing_differs_are_named_by_their_files(tmp_path: Path) -> None:
    first = _write(tmp_path / "v1/0.json", toy="alder", scores={"q1": 1})
    second = _write(tmp_path / "v1/1.json", toy="alder", scores={"q1": 1})
    third = _write(tmp_path / "v2/1.json", toy="alder", scores={"q1": 1})
    assert _read(first, second).names == ("alder (0)", "alder (1)")
    folders = [str(Path(path).parent) for path in (first, third)]
    Path(second).unlink()
    assert _read(*folders).names == ("alder (v1)", "alder (v2)")
    _write(tmp_path / "v1/1.json", toy="alder", scores={"q1": 1})
    with pytest.raises(DataError, match="NAME=path"):
        _read(second, third)
    assert _read(f"old={first}", f"new={second}").names == ("old", "new")


def test_files_of_a_folder_that_name_no_model_are_systems(tmp_path: Path) -> None:
    """By the file, by its folder where files are called alike, all together where tasks differ."""
    for name, score in (("alder", 1), ("birch", 0)):
        _write(tmp_path / f"flat/{name}.json", toy="", scores={"q1": score})
        _write(tmp_path / f"deep/{name}/r.json", toy="", scores={"q1": score})
        for task in ("law", "sums"):
            path = tmp_path / f"tasks/{name}/{task}.json"
            _write(path, toy="", task=task, scores={"q1": score})
    for folder in ("flat", "deep", "tasks"):
        counts = _read(str(tmp_path / folder))
        each = len(counts.items)
        found = dict(zip(counts.names, counts.summed().ravel().tolist(), strict=True))
        assert found == {"alder": each, "birch": 0}
    assert _read(str(tmp_path / "tasks/alder"), str(tmp_path / "tasks/birch")).names == (
        "alder",
        "birch",
    )


def test_a_name_is_for_one_system_alone(tmp_path: Path) -> None:
    """Also of several files, and where systems of one model differ in their settings."""
    for name in ("out1.json", "out2.json"):
        prompts = [{"prompt": prompt, "pass": [1, 0]} for prompt in ("Add:", "Sum up:")]
        _write_promptfoo(tmp_path / name, prompts)
    paths = [str(tmp_path / name) for name in ("out1.json", "out2.json")]
    assert len(ta.read(paths[0]).names) == 2
    for given in (paths[0], ",".join(paths)):
        with pytest.raises(ta.UsageError, match=r"holds the systems alder \(prompt=.*without x="):
            ta.read(f"x={given}")


def _write_promptfoo(path: Path, prompts: Sequence[Mapping[str, Any]]) -> None:
    results = [
        {
            "promptIdx": k,
            "testIdx": t,
            "provider": {"id": "alder"},
            "prompt": {"raw": each["prompt"], "label": each["prompt"]},
            "vars": {"q": f"question {t}"},
            "success": bool(good),
            "score": good,
        }
        for k, each in enumerate(prompts)
        for t, good in enumerate(each["pass"])
    ]
    _write(path, evalId="e", results={"version": 3, "results": results}, config={})


def test_a_pattern_has_the_systems_of_its_folder(tmp_path: Path) -> None:
    """Runs that differ in a seed alone are of one system, unless they are named."""
    for model in ("alder", "birch"):
        for seed in ("1", "2"):
            path = tmp_path / f"{model}-{seed}.json"
            _write(
                path, toy=model, time=seed, scores={"q1": int(seed) - 1}, settings={"seed": seed}
            )
    paths = sorted(map(str, tmp_path.iterdir()))
    folder, pattern = _read(str(tmp_path)), _read(*paths)
    assert folder.names == pattern.names == ("alder", "birch")
    assert [each.code for each in folder.notices] == [each.code for each in pattern.notices]
    assert "merged-runs" in [each.code for each in pattern.notices]
    named = _read(*(f"{k}={path}" for k, path in enumerate(paths)))
    assert named.names == ("0", "1", "2", "3")
    assert _read(*paths[:2]).names == ("alder (seed=1)", "alder (seed=2)")


def test_an_unfinished_run_in_a_folder_is_told(tmp_path: Path) -> None:
    _write(tmp_path / "out/a.json", toy="alder", scores={"q1": 1})
    bad = _write(tmp_path / "out/b.json", toy="birch", failed=True, scores={})
    counts = _read(str(tmp_path / "out"))
    assert counts.names == ("alder",)
    (notice,) = [each for each in counts.notices if each.code == "unfinished"]
    assert notice.text == f"Left out, being no finished run: {bad}: the run failed."
    with pytest.raises(DataError, match="the run failed"):
        _read(str(tmp_path / "out/a.json"), bad)

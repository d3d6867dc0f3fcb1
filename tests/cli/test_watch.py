"""`tellapart watch`: files that grow, looked at until it is settled; no clock is needed."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from table_files import Capture, json_lines
from tellapart.cli import main, verb_parser
from tellapart.comparison.watch import Arrivals
from tellapart.counts import Counts
from tellapart.formats.contract import paths_of
from tellapart.verbs import watch


def rows(items: int, seed: int = 3, gain: float = 0.25) -> list[tuple[str, str, int, int]]:
    """Make up items of documents, on which the new system is better."""
    rng = random.Random(seed)
    made = []
    for k in range(items):
        old = rng.random() < 0.6
        new = rng.random() < (0.85 if old else 0.2 + gain)
        made.append((f"q{k}", f"d{k // 4}", int(old), int(new)))
    return made


def table(some: list[tuple[str, str, int, int]]) -> str:
    lines = [f"{item},{document},{old},{new}\n" for item, document, old, new in some]
    return "".join(["item,document,old,new\n", *lines])


def expected(some: list[tuple[str, str, int, int]], **options: Any) -> ta.Look:
    """Feed the items by hand."""
    found = ta.Sequential("old", "new", **options)
    for _, _, old, new in some:
        found.add(old, new)
    return found.look()


def follow(words: list[str], steps: Iterator[Callable[[], object]]) -> watch.Watch:
    """Watch files that change by a step whenever the command waits, and then no more."""
    args = verb_parser("watch").parse_files_anywhere([*words, "--timeout", "4"])
    args.verb = "watch"
    found = watch.Watch(args)

    def wait(_: float) -> None:
        next(steps, lambda: None)()

    found.follow(paths_of([*args.files, *args.gold]), wait)
    return found


@pytest.mark.parametrize(("of_old", "of_new"), [(1, 1), (1, 3)])
@pytest.mark.parametrize("words", [[], ["--margin", "0.05"]])
def test_an_answer_from_several_runs_is_for_these_runs_only(
    of_old: int, of_new: int, words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    lines = [
        f"{name},{run},q{k},{score}"
        for k, (_, _, *scores) in enumerate(rows(200))
        for name, score, runs in zip(("old", "new"), scores, (of_old, of_new), strict=True)
        for run in range(runs)
    ]
    place, record = tmp_path / "scores.csv", tmp_path / "look.json"
    place.write_text("\n".join(["model,seed,item,score", *lines, ""]))
    assert main(["watch", str(place), "--once", *words, "--json", str(record)]) == 0
    several = of_new > 1
    answer, _, rest = capsys.readouterr().out.partition(": settled after ")
    assert rest
    assert answer.endswith(", for these runs only") == several
    assert ("runs taken as they are" in " ".join(rest.split())) == several
    assert json.loads(record.read_text())["conditions"] == ["these-runs"] * several


def test_items_are_counted_as_they_come_until_it_is_settled(
    tmp_path: Path, capsys: Capture
) -> None:
    some = rows(200)
    settled = expected(some).settled_at
    assert settled is not None
    place = tmp_path / "scores.csv"
    place.write_text(table(some[:7]))
    sizes = iter(range(20, 400, 13))
    steps = (lambda n=n: place.write_text(table(some[:n])) for n in sizes)

    arrivals = follow([str(place)], steps).arrivals

    look = arrivals.look()
    assert look.settled_at == settled
    assert settled <= look.items < settled + 13  # the look after which it was settled is the last
    assert capsys.readouterr().out.count("ahead") >= 3


def lines_of(some: list[tuple[str, str, int, int]], column: int) -> str:
    """Return samples of lm-eval of one system."""
    return json_lines(
        {"doc_id": int(item[1:]), "doc": {"q": item}, "target": "y", "resps": [["y"]],
         "filter": "none", "metrics": ["acc"], "acc": float(scores[column])}
        for item, _, *scores in some
    )  # fmt: skip


@pytest.mark.parametrize("half", ['{"doc_id": 20, "do', '{"doc_id": 20, "doc": {"q": "q20"}'])
@pytest.mark.parametrize("words", [["--once"], ["--interval", "1", "--timeout", "20"]])
def test_half_of_a_last_line_is_left_out_at_the_end_as_well(
    half: str, words: list[str], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = rows(20)
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text(lines_of(some, 0) + half)
    new.write_text(lines_of(some, 1))
    record = tmp_path / "look.json"
    monkeypatch.setattr("time.sleep", lambda _: None)
    assert main(["watch", str(old), str(new), *words, "--json", str(record)]) == 0
    assert json.loads(record.read_text())["p"] == expected(some).p
    shown = capsys.readouterr()
    assert "After 20 items" in shown.out
    assert "old.jsonl: the last line has no end yet, and was left out" in shown.err


@pytest.mark.parametrize("ahead", [False, True])
def test_looks_one_by_one_are_looks_at_one_sequence(ahead: bool, tmp_path: Path) -> None:
    """Items done out of order count as they came; the first file may be whole, in another order."""
    some = rows(160, seed=8, gain=0.1)
    came = random.Random(5).sample(some, len(some))
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    record = tmp_path / "look.json"
    found = []
    for most in range(10, 161, 10):
        old.write_text(lines_of(some if ahead else came[:most], 0))
        new.write_text(lines_of(came[:most], 1))
        assert main(["watch", str(old), str(new), "--once", "--json", str(record)]) == 0
        found.append(json.loads(record.read_text()))
    assert [look["p"] for look in found] == [expected(came[:most]).p for most in range(10, 161, 10)]
    assert all(a["p"] >= b["p"] for a, b in itertools.pairwise(found))
    assert expected(sorted(came[:100])).p != expected(came[:100]).p  # by their names: another


def suite(folder: Path, tasks: dict[str, list[tuple[str, str, int, int]]]) -> list[str]:
    """Write the logs of two systems on some tasks."""
    for column, name in enumerate(("old", "new")):
        (folder / name / name).mkdir(parents=True, exist_ok=True)
        for task, some in tasks.items():
            place = folder / name / name / f"samples_{task}_2026-11-15T19-23-21.059782.jsonl"
            place.write_text(lines_of(some, column))
    return [str(folder / "old"), str(folder / "new")]


def test_several_tasks_are_watched_one_at_a_time(tmp_path: Path, capsys: Capture) -> None:
    """The new system is better on the large task and worse by more on the small one."""
    large, small = rows(200), [(f"q{k}", "", 1, int(k % 9 == 0)) for k in range(60)]
    files = suite(tmp_path, {"large": large, "small": small})
    record = tmp_path / "look.json"

    for words in ([], ["--weights", "tasks"]):
        assert main(["watch", *files, "--once", *words]) == 2
        assert "(large, small)" in capsys.readouterr().err
    for words in (["--metric", "small/acc"], ["--where", "task=small"]):
        assert main(["watch", *files, "--once", *words, "--json", str(record)]) == 0
        assert json.loads(record.read_text())["p"] == expected(small).p
        assert "Is old really better than new?  Yes" in capsys.readouterr().out


def test_ctrl_c_shows_the_last_look(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "scores.csv"
    place.write_text(table(rows(10)))

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    assert main(["watch", str(place), "--json", str(tmp_path / "look.json")]) == 130
    shown = capsys.readouterr()
    assert "Not settled." in shown.out
    assert "interrupted; this is the last look" in shown.err
    assert json.loads((tmp_path / "look.json").read_text())["items"]["count"] == 10


def test_a_cluster_counts_when_it_is_whole() -> None:
    some = rows(30)
    arrivals = Arrivals(cluster="document")

    def counts(most: int) -> Counts:
        columns = list(zip(*some[:most], strict=True))
        return Counts.from_arrays(
            {"old": columns[2], "new": columns[3]}, labels={"document": columns[1]}
        )

    assert arrivals.update(counts(6), growing=True) == 1  # d0; d1 has begun
    assert arrivals.waiting == 2
    assert arrivals.update(counts(9), growing=True) == 1
    assert arrivals.update(counts(30)) == 6
    by_hand = ta.Sequential("old", "new", cluster_size=4)
    for start in range(0, 30, 4):
        part = some[start : start + 4]
        by_hand.add([row[2] for row in part], [row[3] for row in part])
    assert arrivals.look() == by_hand.look()


def test_watch_and_compare_speak_of_the_same_mean(tmp_path: Path, capsys: Capture) -> None:
    """60 documents of one item are won, 20 of ten are lost: old is better, by items."""
    place, record = tmp_path / "scores.csv", tmp_path / "record.json"
    sizes = [1] * 60 + [10] * 20
    lines = [
        f"q{k}-{item},d{k},{int(size > 1)},{int(size == 1)}"
        for k, size in enumerate(sizes)
        for item in range(size)
    ]
    place.write_text("\n".join(["item,document,old,new", *lines, ""]))
    words = [str(place), "--cluster", "document", "--json", str(record)]
    assert main(["watch", "--once", *words]) == 0
    watched = json.loads(record.read_text())
    assert main(["compare", *words]) == 0
    (pair,) = json.loads(record.read_text())["pairs"]
    assert watched["difference"] == pytest.approx(pair["difference"]) == pytest.approx(140 / 260)
    assert (watched["a"], watched["b"], watched["leader"]) == (pair["a"], pair["b"], "old")
    assert "those of a document together, at most 10" in " ".join(capsys.readouterr().out.split())


def test_how_large_a_cluster_can_be_is_known_before() -> None:
    """The largest that is there when the first one counts; a larger one later is refused."""
    first = Counts.from_arrays(
        {"A": [1, 0, 1], "B": [0, 0, 1]}, labels={"document": ["d1", "d1", "d2"]}
    )
    more = Counts.from_arrays(
        {"A": [1, 0, 1, 1, 0], "B": [0, 0, 1, 1, 1]},
        labels={"document": ["d1", "d1", "d2", "d2", "d2"]},
    )
    arrivals = Arrivals(cluster="document")
    assert arrivals.update(first, growing=True) == 1
    with pytest.raises(ta.UsageError, match=r"has 3 items, and 2 at most .*--cluster-size 3"):
        arrivals.update(more)
    assert Arrivals(cluster="document", cluster_size=9).update(more) == 2

"""Rows that are matched by id may come in any order: the record is the same to the last bit."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from log_files import json_log, sample
from small_counts import some_counts
from tellapart.comparison.items import find_differences
from tellapart.comparison.plan import Question, from_pilot, make_plan
from tellapart.counts import Counts
from tellapart.counts.ordering import in_order, natural_sorted

Row = dict[str, Any]
SYSTEMS = ("new", "old", "other")
ITEMS = [f"q{number}" for number in range(1, 13)]

ASKED: dict[str, dict[str, Any]] = {
    "shuffles": {"test": "shuffle", "shuffles": 499},
    "bootstrap": {"test": "bootstrap", "shuffles": 199},
    "clusters": {"test": "shuffle", "shuffles": 199, "cluster": "passage", "by": "topic"},
    "joint": {"correction": "maxt"},
    "default": {},
}


def long_rows(runs: int = 1) -> list[Row]:
    """Make the rows of a long table, with labels of the items and, if there are several, runs."""
    rng = random.Random(7)
    return [
        {
            "system": system,
            "item": item,
            **({"run": f"seed {run}"} if runs > 1 else {}),
            "passage": f"p{k % 5}",
            "topic": ("sea", "land")[k % 2],
            "score": round(rng.random() * (1.2 if system == "new" else 1.0), 3),
        }
        for run in range(runs)
        for system in SYSTEMS
        for k, item in enumerate(ITEMS)
    ]


def wide_rows() -> list[Row]:
    """Make the rows of a wide table."""
    rows: dict[str, Row] = {}
    for row in long_rows():
        known = rows.setdefault(row["item"], {k: row[k] for k in ("item", "passage", "topic")})
        known[row["system"]] = row["score"]
    return list(rows.values())


def as_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


LAYOUTS: dict[str, tuple[str, Callable[[], list[Row]], Callable[[Sequence[Row]], str]]] = {
    "long": ("scores.csv", long_rows, as_csv),
    "runs": ("scores.csv", lambda: long_rows(3), as_csv),
    "wide": ("scores.csv", wide_rows, as_csv),
    "jsonl": ("scores.jsonl", long_rows, as_jsonl),
    "wide-jsonl": ("scores.jsonl", wide_rows, as_jsonl),
}


def shuffled(rows: Sequence[Row], order: Sequence[int]) -> list[Row]:
    """Return rows in another order; the systems, whose order is asked for, appear as before."""
    found = [rows[i] for i in order]
    names = dict.fromkeys(row.get("system") for row in rows)
    heads = [next(row for row in found if row.get("system") == name) for name in names]
    return [*heads, *(row for row in found if row not in heads)]


@pytest.mark.parametrize(
    ("layout", "asked"),
    [*((layout, "default") for layout in LAYOUTS), *(("long", asked) for asked in ASKED)][:-1],
)
@settings(max_examples=4)
@given(data=st.data())
def test_rows_of_tables_in_any_order(
    layout: str, asked: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, rows, write = LAYOUTS[layout]
    path = tmp_path_factory.mktemp("order") / name
    path.write_text(write(rows()))
    expected = ta.compare(ta.read(path), **ASKED[asked]).to_json()
    order = data.draw(st.permutations(range(len(rows()))))
    path.write_text(write(shuffled(rows(), order)))
    assert ta.compare(ta.read(path), **ASKED[asked]).to_json() == expected


def test_samples_of_inspect_logs_in_any_order(tmp_path: Path) -> None:
    records = set()
    for seed in range(4):
        paths = []
        for system in ("alder", "birch"):
            rng = random.Random(system)
            rows = [
                sample(item, rng.choice("CI"), epoch, metadata={"topic": item[-1], "extra": k})
                for k, item in enumerate(ITEMS)
                for epoch in (1, 2)
            ]
            if seed:
                random.Random(seed).shuffle(rows)
            paths.append(tmp_path / f"{system}.json")
            paths[-1].write_text(json_log(rows))
        counts = ta.read([f"{path.stem}={path}" for path in paths])
        records.add(ta.compare(counts, test="shuffle", shuffles=199, cluster="topic").to_json())
    assert len(records) == 1


def test_plans_and_lists_of_shuffled_items() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 2, 40) for name in ("A", "B")}
    counts = Counts.from_arrays(values, items=[f"q{k}" for k in range(40)])
    other = counts.keep(rng.permutation(40))
    assert other.items != counts.items
    for ask in (
        lambda given: make_plan(from_pilot(given, "mean"), Question()).to_json(),
        lambda given: [each.item.name for each in find_differences(given).items],
    ):
        assert ask(counts) == ask(other)


@given(st.lists(st.text("a0915_é\0 \n-", max_size=6), unique=True, max_size=12), st.randoms())
def test_natural_order_is_one_order_of_all_ids(ids: list[str], rng: random.Random) -> None:
    """Whatever the order in which ids come, and whichever way they are sorted."""
    expected = natural_sorted(ids)
    assert sorted(expected) == sorted(ids)
    again = list(ids)
    rng.shuffle(again)
    assert natural_sorted(again) == expected
    # The ways for plain numbers and for all else agree.
    beside = natural_sorted([*ids, "~"])
    assert [each for each in beside if each != "~"] == expected


def test_order_keeps_everything_together() -> None:
    counts = some_counts()
    counts = counts.keep(np.random.default_rng(0).permutation(len(counts.items)))
    ordered = in_order(counts)
    for k, item in enumerate(ordered.items):
        at = counts.items.index(item)
        assert (ordered.values[:, k] == counts.values[:, at]).all()
        assert ordered.labels["doc"][k] == counts.labels["doc"][at]
    assert in_order(ordered) is ordered

"""Systems and runs have one name each, whatever the format of their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from log_files import document, header, json_log, sample
from tellapart.errors import DataError, UsageError
from tellapart.formats.sources import parse_source, run_names, system_files

TAGS = "Anna B-PER\nsings O\n"
SPANS = '{"id": "t1", "text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}]}\n'
RELATIONS = '{"unit": "s1", "relations": [["subj", "see", "cat"]]}\n'
TEXT = "the cat sees a dog\n"
QRELS = "q1 0 d1 1\n"

FORMATS = {
    "items": ("item,score\nq1,1\n", None),
    "conll": (TAGS, TAGS),
    "spans": (SPANS, SPANS),
    "relations": (RELATIONS, RELATIONS),
    "text": (TEXT, TEXT),
    "trec": ("q1 Q0 d1 1 2.5 mine\n", QRELS),
    "inspect": (json_log([sample("q1", 1)], header("mockllm/new")), None),
    "lm-eval": (json.dumps(document(1, acc=1.0)) + "\n", None),
}


def _written(folder: str, content: str) -> str:
    path = Path(folder, "new", "new.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return str(path)


@pytest.mark.parametrize("form", FORMATS)
def test_two_systems_of_one_name_are_refused_alike(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names both files and says how to tell them apart, in every format."""
    monkeypatch.chdir(tmp_path)
    content, gold = FORMATS[form]
    paths = [_written(folder, content) for folder in ("one", "two")]
    golds = [] if gold is None else [_written("gold", gold)]
    with pytest.raises(DataError) as error:
        ta.read(paths, golds, form=form)
    assert str(error.value) == (
        "two/new/new.txt: a system called 'new' is already there, from one/new/new.txt; write "
        "NAME=path"
    )


@pytest.mark.parametrize("form", ["relations", "text", "conll", "spans", "items", "trec"])
def test_runs_are_averaged_under_the_name_of_their_system(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content, gold = FORMATS[form]
    paths = [_written(folder, content) for folder in ("one", "two", "three")]
    golds = [] if gold is None else [_written("gold", gold)]
    counts = ta.read([f"old={paths[0]}", f"new={paths[1]},{paths[2]}"], golds, form=form)
    assert counts.names == ("old", "new")
    assert "repeats" in [notice.code for notice in counts.notices]


def test_messages_name_a_run_by_its_system_and_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    both, one = _written("both", RELATIONS + RELATIONS.replace("s1", "s2")), "one/new/new.txt"
    assert _written("one", RELATIONS) == one
    with pytest.raises(DataError, match=r"missing in new \(run 2\): s2;"):
        ta.read([f"new={both},{one}"], both, form="relations")


def test_names_of_runs() -> None:
    files = system_files(["runs/old.txt", "new=1.txt,2.txt"])
    assert files == {"old": ("runs/old.txt",), "new": ("1.txt", "2.txt")}
    assert run_names(files) == ["old", "new (run 1)", "new (run 2)"]
    with pytest.raises(UsageError, match="does not name a system"):
        parse_source("=a.txt")

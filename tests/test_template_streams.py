"""Documents of large files are read from a temporary file, and give what those in memory give."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from benchmarks.templates import make
from table_files import Write, full_disk
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.contract import Sources
from tellapart.formats.templates.counting import count_templates
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.stored import StoredDocuments

LARGE = "tellapart.formats.templates.records.LARGE"
METRICS = ("ceaf-tf", "ceaf-rme-phi3", "ceaf-rme-subset", "muc", "muc.recall")

FILLS = st.sampled_from(["Ann Li", "the mayor", "3", "2024-03-05", "", None])
ROLES = st.dictionaries(st.sampled_from(["buyer", "price", "date"]), FILLS, max_size=3)
RECORDS = st.lists(st.lists(ROLES, max_size=3), min_size=2, max_size=5)


def both(gold: str, system: str, metrics: tuple[str, ...]) -> list[Counts]:
    """Read with all documents in memory, and with none."""
    sources = Sources((f"A={system}",), (gold,), metrics=metrics)
    found = [count_templates(sources, TemplateOptions())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LARGE, 1)
        found.append(count_templates(sources, TemplateOptions()))
    assert found[0].slots == found[1].slots
    assert not found[0].corpus.stored
    assert found[1].corpus.stored
    return [each.counts for each in found]


def test_documents_in_a_file_give_the_same_counts(tmp_path: Path) -> None:
    gold, system = make(tmp_path, 60)
    lines = Path(system).read_text().splitlines(True)
    random.Random(0).shuffle(lines)  # systems may have any order
    Path(system).write_text("".join(lines[1:]))
    kept, stored = both(gold, system, METRICS)
    assert stored == kept
    assert stored.notices == kept.notices
    assert kept.texts is not None
    assert stored.texts is None
    assert kept.views is not None
    assert stored.views is not None
    assert stored.views("d7") == kept.views("d7")


@given(RECORDS, RECORDS, st.sampled_from(["templates", "deals"]))
@settings(max_examples=40, deadline=None)
def test_any_shape(
    tmp_path_factory: pytest.TempPathFactory,
    wanted: list[list[object]],
    given: list[list[object]],
    key: str,
) -> None:
    paths = [tmp_path_factory.getbasetemp() / name for name in ("gold.jsonl", "a.jsonl")]
    for path, some in zip(paths, (wanted, given[: len(wanted)]), strict=True):
        rows = [json.dumps({"id": f"d{k}", key: each}) for k, each in enumerate(some)]
        path.write_text("\n".join(rows) + "\n")
    kept, stored = both(str(paths[0]), str(paths[1]), ("muc",))
    assert stored == kept
    assert {each.code for each in stored.notices} == {each.code for each in kept.notices}


def test_mentions_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = make(tmp_path, 20)
    sources = Sources((system,), (gold,), metrics=("ceaf-rme-phi3",))
    kept = count_templates(sources, TemplateOptions(merge_mentions=True)).counts
    monkeypatch.setattr(LARGE, 1)
    assert count_templates(sources, TemplateOptions(merge_mentions=True)).counts == kept


def test_what_is_no_lines_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = make(tmp_path, 5)
    whole = tmp_path / "gold.json"
    rows = [json.loads(line) for line in Path(gold).read_text().splitlines()]
    whole.write_text(json.dumps(rows, indent=1))
    kept = ta.read(system, gold, form="templates")
    monkeypatch.setattr(LARGE, 1)
    assert ta.read(system, whole, form="templates") == kept


GOLD = '{"id": "d1", "templates": [{"type": "sale", "buyer": "Ann"}]}\n'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (GOLD + "{oops\n", r"^a\.jsonl:2: this is not JSON"),
        (GOLD + "\n" + GOLD, r"^a\.jsonl:3: document 'd1' is there again, after line 1;"),
        (GOLD + GOLD.replace("d1", "d9"), r"^a\.jsonl:2: document 'd9' is not in gold\.jsonl;"),
        (GOLD.encode() + b"\xff\n", r"^a\.jsonl:2: this is not UTF-8"),
    ],
)
def test_bad_lines_are_named(
    write: Write, lines: str | bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = write("gold.jsonl", GOLD + GOLD.replace("d1", "d2"))
    path = write("a.jsonl", lines)
    monkeypatch.setattr(LARGE, 1)
    with pytest.raises(DataError, match=message):
        ta.read(path, gold, form="templates")


def test_a_full_disk_is_told(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.jsonl", GOLD + GOLD.replace("d1", "d2"))
    monkeypatch.setattr(LARGE, 1)
    monkeypatch.setattr("tellapart.formats.templates.stored.TemporaryFile", full_disk)
    with pytest.raises(DataError, match=r"No space left on device\); set TMPDIR to a folder"):
        ta.read(path, path, form="templates")


def test_stored_documents_are_a_mapping() -> None:
    stored = StoredDocuments()
    assert (len(stored), "d" in stored, stored.get("d")) == (0, False, None)

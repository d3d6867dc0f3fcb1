"""What every format keeps: one policy for order, duplicates, missing items, runs and bad files.

The samples (`format_samples.py`) are data; where a format differs for a reason, its sample says so
under the name of the test, and the test asks what is done instead.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from format_samples import ITEMS, SAMPLES, SYSTEMS, Sample
from harness_files import Rows
from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError, TellapartError, UsageError
from tellapart.formats.registry import format_of, formats, guess_format

ALDER, BIRCH = SYSTEMS.values()
Values = dict[tuple[str, str], list[float]]


def named(sample: Sample) -> str:
    return f"{sample.form} {sample.path}"


every_format = pytest.mark.parametrize("sample", SAMPLES, ids=named)


def samples_alike(asked: str) -> pytest.MarkDecorator:
    """Return the parameters of a test that formats pass unless their sample says why not."""
    alike = [sample for sample in SAMPLES if asked not in sample.unlike]
    return pytest.mark.parametrize("sample", alike, ids=named)


def samples_unlike(asked: str, without: str = "") -> pytest.MarkDecorator:
    unlike = [each for each in SAMPLES if asked in each.unlike and without not in each.unlike]
    return pytest.mark.parametrize("sample", unlike, ids=named)


def read(sample: Sample, sources: Sequence[str], folder: Path, **more: Any) -> ta.Counts:
    """Read the files of a sample as its format, against its gold."""
    gold = sample.write_gold(folder, ALDER)
    metrics = {"metrics": sample.metric} if sample.metric and "counts" not in sample.form else {}
    return ta.read(list(sources), gold, form=sample.form, **metrics, **more)


def written(sample: Sample, folder: Path, **systems: Rows) -> list[str]:
    return [sample.write(folder, name, rows) for name, rows in (systems or SYSTEMS).items()]


def values(counts: ta.Counts) -> Values:
    """Return all values by system and item."""
    return {
        (system, item): (counts.values[s, i] / counts.scales).tolist()
        for s, system in enumerate(counts.names)
        for i, item in enumerate(counts.items)
    }


def refused(sample: Sample, sources: Sequence[str], folder: Path) -> str:
    """Read files that cannot be used, and return the sentence that says so."""
    with pytest.raises(TellapartError) as caught:
        read(sample, sources, folder)
    return str(caught.value)


def said(sample: Sample, sources: Sequence[str], folder: Path) -> str:
    """Return the sentence that refuses files, or all that is said of what was read."""
    try:
        counts = read(sample, sources, folder)
    except DataError as error:
        return str(error)
    return " ".join(f"{each.text} {each.affected}" for each in counts.notices)


def with_bad_value(sample: Sample, folder: Path) -> None:
    """Make one value of a system's files none."""
    old, new = (text.encode() for text in sample.bad)
    held = sample.held("alder", ALDER)
    path, data = next((path, data) for path, data in held.items() if old in data)
    (folder / path).write_bytes(data.replace(old, new, 1))


def test_every_format_has_a_sample() -> None:
    sampled = {format_of(sample.form).name for sample in SAMPLES}
    assert sampled == {each.name for each in formats()}


@every_format
def test_it_is_read(sample: Sample, tmp_path: Path) -> None:
    """Two systems, or three with what they are held against; all items; and they differ."""
    counts = read(sample, written(sample, tmp_path), tmp_path)
    assert len(counts.items) == len(ITEMS)
    alder, birch = (
        next(name for name in counts.names if word in name) for word in ("alder", "birch")
    )
    found = values(counts)
    assert [found[alder, item] for item in counts.items] != [
        found[birch, item] for item in counts.items
    ]


@samples_alike("guess")
def test_it_is_told_by_its_content(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    gold = sample.write_gold(tmp_path, ALDER)
    assert guess_format(sources, gold) is format_of(sample.form)


@samples_unlike("guess")
def test_what_may_be_anything_has_to_be_named(sample: Sample, tmp_path: Path) -> None:
    assert guess_format(written(sample, tmp_path)).name in ("counts", sample.form)


@every_format
def test_the_order_of_files_does_not_matter(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    there, back = (read(sample, order, tmp_path) for order in (sources, sources[::-1]))
    assert values(there) == values(back)


@samples_alike("rows")
def test_the_order_of_rows_does_not_matter(sample: Sample, tmp_path: Path) -> None:
    there = read(sample, written(sample, tmp_path), tmp_path)
    back = read(sample, written(sample, tmp_path, alder=ALDER[::-1], birch=BIRCH), tmp_path)
    assert values(there) == values(back)
    labels = {
        name: dict(zip(there.items, texts, strict=True)) for name, texts in there.labels.items()
    }
    for name, texts in back.labels.items():
        assert dict(zip(back.items, texts, strict=True)) == labels[name]


@samples_alike("duplicates")
def test_an_item_that_is_there_twice_is_named(sample: Sample, tmp_path: Path) -> None:
    """It is refused or, where a harness repeats items, averaged, and that is said."""
    sources = written(sample, tmp_path, alder=[*ALDER, ALDER[1]], birch=BIRCH)
    assert "alder" in said(sample, sources, tmp_path)


@samples_alike("missing")
def test_an_item_that_a_system_lacks(sample: Sample, tmp_path: Path) -> None:
    """It is an error, or 0, or dropped for all; a query that a run of TREC lacks is 0."""
    sources = written(sample, tmp_path, alder=ALDER[1:], birch=BIRCH)
    if format_of(sample.form).missing is None and sample.gold is not None:
        assert len(read(sample, sources, tmp_path).items) == len(ITEMS)
    else:
        sentence = refused(sample, sources, tmp_path)
        assert "alder" in sentence
    if sample.gold is not None and sample.form != "trec":
        return  # against gold, a file that lacks an item is not whole
    zero = read(sample, sources, tmp_path, missing="zero")
    assert len(zero.items) == len(ITEMS)
    dropped = read(sample, sources, tmp_path, missing="drop")
    assert len(dropped.items) == len(ITEMS) - 1
    for counts in (zero, dropped):
        assert any("issing" in each.text or "ropped" in each.text or "counted as 0" in each.text
                   for each in counts.notices)  # fmt: skip


@samples_unlike("missing", without="rows")
def test_what_a_system_lacks_is_named(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path, alder=ALDER[1:], birch=BIRCH)
    counts = read(sample, sources, tmp_path)
    assert len(counts.items) == len(ITEMS)
    assert counts.present is not None or counts.notices


@samples_unlike("rows", without="numbered")
def test_files_without_ids_have_the_same_length(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path, alder=ALDER[1:], birch=BIRCH)
    assert "alder" in refused(sample, sources, tmp_path)


@samples_alike("runs")
def test_runs_of_a_system_are_averaged(sample: Sample, tmp_path: Path) -> None:
    first, second = (
        sample.write(tmp_path / folder, "alder", rows)
        for folder, rows in (("1", ALDER), ("2", BIRCH))
    )
    (tmp_path / "3").mkdir()
    other = sample.write(tmp_path / "3", "birch", BIRCH)
    counts = read(sample, [f"both={first},{second}", f"one={other}"], tmp_path)
    apart = values(read(sample, [f"a={first}", f"b={second}", f"c={other}"], tmp_path))
    found = values(counts)
    for item in counts.items:
        mean = [(a + b) / 2 for a, b in zip(apart["a", item], apart["b", item], strict=True)]
        assert found["both", item] == pytest.approx(mean)
        assert found["one", item] == apart["c", item]


@samples_alike("runs")
def test_two_systems_of_one_name_are_refused(sample: Sample, tmp_path: Path) -> None:
    """Logs may tell their systems apart by more than the file; what is joined is then said."""
    paths = [sample.write(tmp_path / folder, "alder", ALDER) for folder in "12"]
    assert "alder" in said(sample, paths, tmp_path)


@samples_alike("bad number")
def test_a_value_that_is_none_is_named(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    with_bad_value(sample, tmp_path)
    assert "alder" in said(sample, sources, tmp_path)


@samples_alike("empty")
def test_an_empty_file_is_named(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    Path(sources[0]).write_bytes(b"")
    assert "alder" in said(sample, sources, tmp_path)


@every_format
def test_a_file_of_another_kind_is_refused(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    other = Path(sources[0])
    if other.is_dir():
        other = next(other.rglob("*.json"))
    other.write_bytes(b"%PDF-1.7\n\x00\xff\xfe no such format \x01\n")
    assert "alder" in refused(sample, sources, tmp_path)


@samples_alike("gzip")
def test_files_may_be_packed(sample: Sample, tmp_path: Path) -> None:
    sources = written(sample, tmp_path)
    plain = read(sample, sources, tmp_path)
    for source in sources:
        path = Path(source)
        packed = gzip.compress(path.read_bytes())
        path.unlink()
        Path(f"{source}.gz").write_bytes(packed)
    counts = read(sample, [f"{source}.gz" for source in sources], tmp_path)
    assert list(values(counts).values()) == list(values(plain).values())


@every_format
def test_what_a_format_has_no_use_for_is_refused(sample: Sample, tmp_path: Path) -> None:
    """Gold files, and another item than its own, unless a column names the items."""
    sources, form = written(sample, tmp_path), format_of(sample.form)
    if not form.item_column:
        with pytest.raises(UsageError, match="are its own, not 'word'"):
            read(sample, sources, tmp_path, item="word")
    if form.recognises_gold is None:
        with pytest.raises(UsageError, match="need no gold="):
            ta.read(sources, sources[0], form=sample.form)


@every_format
def test_a_file_that_is_not_there(sample: Sample, tmp_path: Path) -> None:
    sources = [*written(sample, tmp_path), str(tmp_path / "nowhere")]
    assert "nowhere: there is no such file" in refused(sample, sources, tmp_path)


@samples_alike("bad number")
def test_validate_finds_what_cannot_be_read(
    sample: Sample, tmp_path: Path, capsys: Capture
) -> None:
    """What is refused is found, and what is read with a remark is a warning."""
    sources = written(sample, tmp_path)
    with_bad_value(sample, tmp_path)
    gold = sample.write_gold(tmp_path, ALDER)
    words = [word for path in gold for word in ("--gold", path)]
    status = main(["validate", "--as", sample.form, *words, *sources])
    try:
        read(sample, sources, tmp_path)
    except DataError:
        assert status == 2
    else:
        assert status == 0
    assert "alder" in capsys.readouterr().out

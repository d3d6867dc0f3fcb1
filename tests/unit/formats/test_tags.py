"""Tag files: entities as seqeval and conlleval see them, files that fit, and files that do not."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval import scheme as seqeval_schemes
from seqeval.metrics.sequence_labeling import get_entities

import tellapart as ta
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.annotation.conll import score_tags
from tellapart.formats.annotation.formats import TagOptions
from tellapart.formats.annotation.tags import LENIENT, STRICT, Reading, entities
from tellapart.formats.contract import Sources

GOLD = """\
-DOCSTART- O

Anna B-PER
Smith I-PER
sings O

-DOCSTART- O

Ivrea B-LOC
and O
Rome B-LOC
"""
FOUND = GOLD.replace("Smith I-PER", "Smith O").replace("Rome B-LOC", "Rome I-LOC")


def read_tags(systems: Any, gold: Any = (), **options: Any) -> Counts:
    counts: Counts = ta.read(systems, gold, form="conll", **options)
    return counts


def spelled(sentences: Sequence[Sequence[str]]) -> str:
    """Write sentences of tags as a file with tokens of its own."""
    return "\n\n".join("\n".join(f"w{k} {tag}" for k, tag in enumerate(s)) for s in sentences)


def test_by_hand(write: Write) -> None:
    """PER is cut short: one missed, one wrong. The stray I-LOC begins an entity."""
    counts = read_tags([write("a.conll", FOUND)], [write("gold.conll", GOLD)])
    assert counts.columns == ("tp", "fp", "fn")
    assert counts.values[0].tolist() == [[0, 1, 1], [2, 0, 0]]
    assert (counts.kind, counts.items, counts.names) == ("sentence", ("1", "2"), ("a",))
    assert counts.labels == {"document": ("1", "2")}
    assert [notice.code for notice in counts.notices] == ["orphan-tags"]
    assert "1 entity of a not written as IOB2 has it: counted" in counts.notices[0].text
    strict = read_tags(["a.conll"], ["gold.conll"], scheme="strict")
    assert strict.values[0].tolist() == [[0, 1, 1], [1, 0, 1]]
    assert "1 entity of a not written as IOB2 has it: left out" in strict.notices[0].text


def seqeval_entities(
    sentences: Sequence[Sequence[str]], scheme: str | None
) -> list[tuple[int, int, int, str]]:
    found = []
    for k, tags in enumerate(sentences):
        if scheme is None:
            found += [(k, start, end + 1, name) for name, start, end in get_entities(list(tags))]
        else:
            kind = getattr(seqeval_schemes, scheme)
            entities = seqeval_schemes.Tokens(list(tags), kind).entities
            found += [(k, each.start, each.end, each.tag) for each in entities]
    return found


def our_entities(
    sentences: Sequence[Sequence[str]], reading: Reading
) -> list[tuple[int, int, int, str]]:
    return [(k, *entity) for k, tags in enumerate(sentences) for entity in entities(tags, reading)]


def tags_of(letters: str) -> st.SearchStrategy[list[list[str]]]:
    tag = st.sampled_from([f"{x}-{t}" if x != "O" else x for x in letters for t in "XY"])
    return st.lists(st.lists(tag, min_size=1, max_size=7), min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("scheme", "letters"), [("IOB1", "OBI"), ("IOB2", "OBI"), ("IOE2", "OIE"), ("IOBES", "OBIES")]
)
def test_entities_are_those_of_seqeval(scheme: str, letters: str) -> None:
    """Whatever the tags, in order or not, in both readings."""

    @given(tags_of(letters))
    def check(sentences: list[list[str]]) -> None:
        assert our_entities(sentences, LENIENT) == seqeval_entities(sentences, None)
        assert our_entities(sentences, STRICT[scheme]) == seqeval_entities(sentences, scheme)

    check()


@given(st.data())
def test_scores_are_those_of_seqeval(tmp_path_factory: Any, data: st.DataObject) -> None:
    """Micro-averaged recall, precision and F, and those of each type."""
    from seqeval.metrics import classification_report

    gold = data.draw(tags_of("OBI"))
    tags = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])
    found = [data.draw(st.lists(tags, min_size=len(s), max_size=len(s))) for s in gold]
    gold[0][0] = "B-X"  # so that it is not IOB1
    folder = tmp_path_factory.mktemp("tags")
    (folder / "gold").write_text(spelled(gold))
    (folder / "found").write_text(spelled(found))
    for scheme in ("lenient", "strict"):
        strict = {"mode": "strict", "scheme": seqeval_schemes.IOB2} if scheme == "strict" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = classification_report(gold, found, output_dict=True, zero_division=0, **strict)
        files = Sources((folder / "found",), (folder / "gold",))
        scored = score_tags(files, TagOptions(scheme))
        tp, fp, fn = scored.counts.summed()[0].tolist()
        types = scored.types["found"]
        assert tp == sum(totals.correct for totals in types.values())
        assert 2 * tp / max(1, 2 * tp + fp + fn) == pytest.approx(wanted["micro avg"]["f1-score"])
        for name, totals in types.items():
            assert totals.scores.precision == pytest.approx(wanted[name]["precision"])
            assert totals.scores.recall == pytest.approx(wanted[name]["recall"])
            assert totals.gold == wanted[name]["support"]


def test_iob1_gold(write: Write) -> None:
    """There I begins entities, and B only parts two of one type: nothing is stray."""
    gold = write("gold", "a I-X\nb B-X\nc O\nd I-Y\n")
    system = write("sys", "a I-X\nb I-X\nc O\nd I-Y\n")
    for scheme in ("lenient", "strict"):
        counts = read_tags([system], [gold], scheme=scheme)
        assert counts.values[0].tolist() == [[1, 1, 2]]
        assert counts.notices == ()


def test_score_prints_as_conlleval_does(write: Write, capsys: Capture) -> None:
    write("gold", GOLD)
    write("a", FOUND)
    assert main(["score", "--as", "conll", "--gold", "gold", "a", "--json", "a.json"]) == 0
    assert "processed 6 tokens" in capsys.readouterr().out
    (system,) = json.loads(Path("a.json").read_text())["systems"]
    assert system["counts"] == {"tp": 2, "fp": 1, "fn": 1}
    assert system["report"]["types"]["LOC"]["f1"] == 1
    assert system["report"]["scheme"] == "IOB2"


def test_chunks_are_no_gold(write: Write) -> None:
    """CoNLL-2003 has them before the entities: they share no type with those."""
    systems = [write("b", "EU B-ORG O\n"), write("c", "EU B-ORG B-PER\n")]
    with pytest.raises(DataError, match="gold="):
        read_tags(systems)
    assert read_tags([*systems, write("d", "EU B-ORG B-ORG\n")]).values.sum() == 4
    assert read_tags(systems[:1]).values.tolist() == [[[0, 0, 1]]]

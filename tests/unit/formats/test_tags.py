"""Tag files: entities as seqeval and conlleval see them, files that fit, and files that do not."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import scheme as seqeval_schemes
from seqeval.metrics.sequence_labeling import get_entities

from table_files import Write
from tellapart.cli import main
from tellapart.errors import DataError, UsageError
from tellapart.formats.annotation.conll import read_tags, score_tags
from tellapart.formats.annotation.formats import looks_like_tags
from tellapart.formats.annotation.tags import LENIENT, STRICT, Reading, entities
from tellapart.formats.head import Head

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


def spelled(sentences: Sequence[Sequence[str]]) -> str:
    """Write sentences of tags as a file with tokens of its own."""
    return "\n\n".join("\n".join(f"w{k} {tag}" for k, tag in enumerate(s)) for s in sentences)


def compared(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["compare", "--as", "conll", "--json", "-", *arguments]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_by_hand(write: Write) -> None:
    """PER is cut short: one missed, one wrong. The stray I-LOC begins an entity."""
    counts = read_tags([write("a.conll", FOUND)], [write("gold.conll", GOLD)])
    assert counts.columns == ("tp", "fp", "fn")
    assert counts.values[0].tolist() == [[0, 1, 1], [2, 0, 0]]
    assert (counts.kind, counts.items, counts.names) == ("sentence", ("1", "2"), ("a",))
    assert counts.labels == {"document": ("1", "2")}
    assert [notice.code for notice in counts.notices] == ["orphan-tags"]
    assert "1 I tag of a with no B before: read as beginning" in counts.notices[0].text


def test_strict_reading_loses_stray_entities(write: Write) -> None:
    counts = read_tags([write("a.conll", FOUND)], [write("gold.conll", GOLD)], scheme="strict")
    assert counts.values[0].tolist() == [[0, 1, 1], [1, 0, 1]]
    assert "leaves out 1 entity" in counts.notices[0].text


def test_texts_of_items(write: Write) -> None:
    counts = read_tags([write("a.conll", FOUND)], [write("gold.conll", GOLD)])
    assert counts.texts is not None
    assert counts.texts.inputs == ("Anna Smith sings", "Ivrea and Rome")
    assert counts.texts.golds == ("PER: Anna Smith", "LOC: Ivrea; LOC: Rome")
    assert counts.texts.outputs["a"][0] == "PER: Anna"


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

    @settings(max_examples=80, deadline=None)
    @given(tags_of(letters))
    def check(sentences: list[list[str]]) -> None:
        assert our_entities(sentences, LENIENT) == seqeval_entities(sentences, None)
        assert our_entities(sentences, STRICT[scheme]) == seqeval_entities(sentences, scheme)

    check()


@settings(max_examples=30, deadline=None)
@given(tags_of("OBIES"))
def test_other_letters_mean_the_same(sentences: list[list[str]]) -> None:
    """BILOU and BMEWO are IOBES with other letters."""
    for letters in ("BILOU", "BMEOW"):
        renamed = str.maketrans("BIEOS", letters)
        other = [[tag[0].translate(renamed) + tag[1:] for tag in tags] for tags in sentences]
        for reading in (LENIENT, STRICT["IOBES"]):
            assert our_entities(other, reading) == our_entities(sentences, reading)


@settings(max_examples=20, deadline=None)
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
        scored = score_tags([folder / "found"], [folder / "gold"], scheme=scheme)
        tp, fp, fn = scored.counts.summed()[0].tolist()
        types = scored.types["found"]
        assert tp == sum(totals.correct for totals in types.values())
        assert 2 * tp / max(1, 2 * tp + fp + fn) == pytest.approx(wanted["micro avg"]["f1-score"])
        for name, totals in types.items():
            assert totals.scores.precision == pytest.approx(wanted[name]["precision"])
            assert totals.scores.recall == pytest.approx(wanted[name]["recall"])
            assert totals.gold == wanted[name]["support"]


def test_expected_figures(reference_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = reference_data / "ecosystem"
    expected = json.loads((folder / "expected.json").read_text())
    files = [str(folder / "conll" / name) for name in ("gold.conll", "alder.conll", "birch.tsv")]
    for scheme, key in (("lenient", "lenient"), ("strict", "strict_iob2")):
        record = compared(capsys, "--gold", *files, "--scheme", scheme, "--no-intervals")
        for system in record["systems"]:
            wanted = expected[f"conll {system['name']} vs gold (seqeval 1.2.2 micro)"]
            for metric, value in wanted[key].items():
                assert system["scores"][metric] == pytest.approx(value, abs=5e-7)
            told = " ".join(notice["text"] for notice in record["notices"] if notice["text"])
            stray = f"{wanted['orphan_I_tags']} I tags of {system['name']} "
            assert (stray in told) is (scheme == "lenient")
    clustered = compared(capsys, "--gold", *files, "--cluster", "document", "--no-intervals")
    assert clustered["items"]["clusters"] == 8


def test_gold_beside_prediction(reference_data: Path) -> None:
    """The file for conlleval says the same as the two files that it joins."""
    folder = reference_data / "ecosystem" / "conll"
    joined = read_tags([folder / "conlleval_birch.txt"])
    apart = read_tags([folder / "birch.tsv"], [folder / "gold.conll"])
    assert joined.values.tolist() == apart.values.tolist()


def test_iob1_gold(write: Write) -> None:
    """There I begins entities, and B only parts two of one type: nothing is stray."""
    gold = write("gold", "a I-X\nb B-X\nc O\nd I-Y\n")
    system = write("sys", "a I-X\nb I-X\nc O\nd I-Y\n")
    for scheme in ("lenient", "strict"):
        counts = read_tags([system], [gold], scheme=scheme)
        assert counts.values[0].tolist() == [[1, 1, 2]]
        assert counts.notices == ()


def test_iob2_system_under_iob1_gold(write: Write) -> None:
    """The strict reading loses entities whose B was not needed, and says so."""
    write("gold", "a I-X\nb O\nc I-Y\n")
    write("sys", "a B-X\nb O\nc I-Y\n")
    assert read_tags(["sys"], ["gold"]).values[0].tolist() == [[2, 0, 0]]
    strict = read_tags(["sys"], ["gold"], scheme="strict")
    assert strict.values[0].tolist() == [[1, 0, 1]]
    assert "leaves out 1 entity of sys, not written as IOB1 has them" in strict.notices[0].text


def test_blanks_tabs_comments_and_odd_tokens(write: Write) -> None:
    gold = write("gold", "# id 7\tdomain=en\nA   NN    B-X\n# O\n5\u00a0000 B-X\r\n\r\n\r\nb O\n")
    system = write("sys", "A\tB-X\n#\tO\n5\u00a0000\tB-X\n\nb\tO")
    counts = read_tags([system], [gold])
    assert counts.values[0].tolist() == [[2, 0, 0], [0, 0, 0]]
    assert counts.labels == {}


def test_several_runs_are_averaged(write: Write) -> None:
    gold = write("gold", GOLD)
    counts = read_tags([f"a={write('1', GOLD)},{write('2', FOUND)}", gold], [gold])
    assert counts.names == ("a", "gold")
    assert (counts.values[0] / counts.scales).tolist() == [[0.5, 0.5, 0.5], [2, 0, 0]]
    assert "1 I tag of a (run 2) with" in counts.notices[-1].text


def test_the_spread_of_runs_is_that_of_f1(write: Write) -> None:
    gold = write("gold", GOLD)
    runs = [write("1", GOLD), write("2", FOUND)]
    counts = read_tags([f"a={','.join(runs)}", f"b={write('3', GOLD)}"], [gold])
    tp, fp, fn = read_tags(["2"], [gold]).summed()[0].tolist()
    spread = np.std([1, 2 * tp / (2 * tp + fp + fn)], ddof=1)
    assert counts.notices[0].text == (
        "1 to 2 runs per sentence were averaged first (2 of a; 1 of b); run-to-run spread of f1 is "
        f"{spread:.3f} for a."
    )


def test_score_prints_as_conlleval_does(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("gold", GOLD)
    write("a", FOUND)
    assert main(["score", "--as", "conll", "--gold", "gold", "a", "--json", "a.json"]) == 0
    text = capsys.readouterr().out
    assert "processed 6 tokens with 3 phrases; found: 3 phrases; correct: 2." in text
    assert "accuracy:  66.67%; precision:  66.67%; recall:  66.67%; FB1:  66.67" in text
    assert "              PER: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n" in text
    (system,) = json.loads(Path("a.json").read_text())["systems"]
    assert system["counts"] == {"tp": 2, "fp": 1, "fn": 1}
    assert system["report"]["types"]["LOC"]["f1"] == 1
    assert system["report"]["scheme"] == "IOB2"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (FOUND.replace("Ivrea", "Turin"), r"a:10: the token is 'Turin', but 'Ivrea' in gold:9"),
        (
            FOUND.replace("sings O\n", ""),
            r"a:5: the sentence ends here, but in gold:5",
        ),
        (FOUND.replace("Rome", "x O\nRome"), r"a:12: the token is 'x', but 'Rome' in gold:11"),
        (FOUND + "and O\n", r"a:13: the sentence ends here, but in gold:11 in the other"),
        (FOUND + "\nand O\n", r"a has 3 sentences, gold has 2"),
        (FOUND.replace("sings O", "sings"), r"a:6: the line has one field, 'sings'"),
        (FOUND.replace("I-LOC", "NNP"), r"a:12: the last field is 'NNP', which is no tag"),
        ("\n\n", r"a: there are no tokens in this file"),
    ],
)
def test_misfits_are_named_with_their_place(write: Write, content: str, complaint: str) -> None:
    write("gold", GOLD)
    write("a", "\n" + content)
    with pytest.raises(DataError, match=complaint):
        read_tags(["a"], ["gold"])


def test_gold_differs(write: Write) -> None:
    write("a", "x B-X B-X\ny O O\n")
    write("b", "x B-X B-X\ny B-X O\n")
    with pytest.raises(DataError, match="b:1: the gold tags of this sentence are not those"):
        read_tags(["a", "b"])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("x B-X\n", r"a:1: there is no gold tag before the tag; name the gold file with --gold"),
        ("x NN B-NP B-PER\n", r"no type in common \(NP; PER\).*--gold"),
    ],
)
def test_gold_is_needed(write: Write, content: str, complaint: str) -> None:
    write("a", content)
    with pytest.raises(DataError, match=complaint):
        read_tags(["a"])


def test_strict_refuses_tags_of_another_scheme(write: Write) -> None:
    write("gold", "x B-X\n")
    write("a", "x S-X\n")
    assert read_tags(["a"], ["gold"]).values.tolist() == [[[1, 0, 0]]]
    with pytest.raises(DataError, match=r"a:1: 'S-X' is no tag of IOB2"):
        read_tags(["a"], ["gold"], scheme="strict")


def test_unfinished_entities_are_told(write: Write) -> None:
    write("gold", "x B-X\ny E-X\n\nz S-X\n")
    write("a", "x B-X\ny O\n\nz S-X\n")
    counts = read_tags(["a"], ["gold"], scheme="strict")
    assert counts.values[0].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert "leaves out 1 entity of a, not written as IOBES has them" in counts.notices[0].text


def test_usage(write: Write) -> None:
    gold = write("gold", GOLD)
    with pytest.raises(UsageError, match="lenient or strict"):
        read_tags([gold], [gold], scheme="loose")
    with pytest.raises(UsageError, match="one file of gold"):
        read_tags([gold], [gold, gold])
    with pytest.raises(DataError, match="'gold' is already there"):
        read_tags([gold, gold], [gold])
    with pytest.raises(DataError, match="no entity"):
        read_tags([f"a={write('o', 'x O')}"], ["o"])


def test_validate_lists_all_problems(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("gold", GOLD)
    write("a", FOUND.replace("Smith O", "Smyth").replace("Ivrea", "Turin"))
    assert main(["validate", "--as", "conll", "--gold", "gold", "a"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "a:4: the line has one field, 'Smyth'; give a token and its tag",
        "warning: a:11: nothing began the entity that 'I-LOC' goes on with",
    ]
    write("a", FOUND.replace("Ivrea", "Turin"))
    assert main(["validate", "--as", "conll", "--gold", "gold", "a"]) == 2
    assert "a:9: the token is 'Turin', but 'Ivrea' in gold:9" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (GOLD, True),
        ("x\tNN\tB-X\n", True),
        ("x O\ny O\n", False),
        ("system,item,score\n", False),
        ("system\titem\ttag\nA\tq1\tB-X\n", False),
        ("This is plain text .\nIt ends with O\n", False),
        ("#begin document d1\nd1\t0\t(1)\n", False),
        ("1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n", False),
        ("", False),
    ],
)
def test_tags_are_told_by_their_beginning(content: str, told: bool) -> None:
    assert looks_like_tags(Head("x", content.encode(), whole=True)) is told

"""What looks like part of a record and is not understood is told: by all verbs, with its line.

Each case is a small set of good files and one damage. `score`, `compare` and `validate` must say
the same of it: an error with status 2 in all, or a warning in all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from log_files import eval_log, header, json_log, read_logs, sample
from tellapart.cli import main

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Case:
    """Good files, the damage (file, what is replaced, by what), and what is said of it."""

    files: Mapping[str, str]
    file: str
    old: str
    new: str
    said: str
    fatal: bool = True
    arguments: tuple[str, ...] = ()
    gold: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    def damage(self) -> None:
        """Write the files, one of them damaged."""
        for name, content in {**self.files, **self.more}.items():
            if name == self.file:
                assert self.old in content
                content = content.replace(self.old, self.new, 1)
            _write(name, content)

    def command(self, verb: str) -> list[str]:
        """Return the arguments of a verb on these files."""
        gold = [] if self.gold is None else ["--gold", self.gold]
        systems = [name for name in self.files if name != self.gold]
        return [verb, *self.arguments, *gold, *systems]


def _write(name: str, content: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(content, encoding="utf-8")


TREE = """\
# sent_id = s1
1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tsees\tsee\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = s2
1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_
"""
TREES = {"gold": TREE, "a": TREE, "b": TREE}
ROWS = """\
{"unit": "s1", "relations": [["subj", "see", "cat"], ["obj", "see", "dog"]]}
{"unit": "s2", "relations": [["subj", "run", "dog"]]}
"""
SETS = {"gold": ROWS, "a": ROWS, "b": ROWS}
LINES = "s1\tsubj\tsee\tcat\ns1\tobj\tsee\tdog\ns2\tsubj\trun\tdog\ns3\n"
LISTS = {"gold": LINES, "a": LINES, "b": LINES}


def _relations(
    files: Mapping[str, str], old: str, new: str, said: str, *, fatal: bool = True
) -> Case:
    return Case(files, "a", old, new, said, fatal, ("--as", "relations"), "gold")


RELATIONS = [
    _relations(TREES, "2\tcat", "2x\tcat", "a:3: '2x' is no index of a word"),
    _relations(TREES, "1\tthe", "I\tthe", "a:2: 'I' is no index of a word"),
    _relations(TREES, "2\tcat", "²\tcat", "a:3: '²' is no index of a word"),
    _relations(TREES, "\n\n", "\n", "a:6: there are two words 1 in the sentence"),
    _relations(TREES, "\t3\tnsubj", "\t7\tnsubj", "a:3: the head of 'cat' is '7', no word"),
    _relations(TREES, "NOUN\t", "NOUN", "a:3: '2 cat cat NOUN_ _ 3 nsubj _ _' has 9 fields"),
    _relations(TREES, "s2", "s1", "a:6: item 's1' appears twice"),
    _relations(SETS, '"unit": "s1"', '"unit": ""', 'a:1: no "unit"'),
    _relations(SETS, '"relations"', '"relation"', "a:1: no \"relations\", but a list 'relation'"),
    _relations(SETS, '["subj", "see", "cat"]', "[]", "a:1: relation 1 is empty"),
    _relations(LISTS, "s1\tobj", "\tobj", "a:2: the item is empty"),
    _relations(
        LISTS,
        "s3\n",
        "s3\ns2 subj run dog\n",
        "a:5: there is no tab in the line; 's2 subj run dog' was taken for an item",
        fatal=False,
    ),
]

TAGGED = "Anna NNP B-PER\nSmith NNP I-PER\nsings VBZ O\n\nIvrea NNP B-LOC\n# NN O\nsleeps VBZ O\n"
TAGS = {"gold": TAGGED, "a": TAGGED, "b": TAGGED}


def _tags(old: str, new: str, said: str, *, fatal: bool = True) -> Case:
    return Case(TAGS, "a", old, new, said, fatal, ("--as", "conll"), "gold")


TAG_CASES = [
    _tags("B-PER", "X-PER", "a:1: the last field is 'X-PER', which is no tag"),
    _tags("B-PER", "b-per", "a:1: the last field is 'b-per', which is no tag"),
    _tags("Smith NNP I-PER", "Smith", "a:2: the line has one field, 'Smith'"),
    _tags("B-LOC", "B-LCO", "a:5: the gold has no span with the label 'LCO'", fatal=False),
    _tags("# NN O", "# NN X", "a:7: the token is 'sleeps', but '#' in gold:6"),
    _tags("# NN O", "#\tNN\tX", "a:6: the last field is 'X', which is no tag"),
    _tags("\n\nIvrea", "\nIvrea", "a:6: the sentence goes on to here"),
]

SPANNED = """\
{"id": 1, "text": "Anna in Bern", "spans": [{"start": 0, "end": 4, "label": "PER"}, \
{"start": 8, "end": 12, "label": "LOC", "text": "Bern"}]}
{"id": 2, "text": "Nobody", "spans": []}
{"id": 3, "text": "Per", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
"""
SPANS = {"gold": SPANNED, "a": SPANNED, "b": SPANNED}


def _spans(old: str, new: str, said: str, *, fatal: bool = True) -> Case:
    return Case(SPANS, "a", old, new, said, fatal, ("--as", "spans"), "gold")


SPAN_CASES = [
    _spans('"start": 0', '"start": 4', "a:1: span 1 goes from 4 to 4, the text from 0 to 12"),
    _spans('"end": 12', '"end": 13', "a:1: span 2 goes from 8 to 13, the text from 0 to 12"),
    _spans('"end": 4', '"end": 4.0', 'a:1: span 1 has no "start" and "end" in whole numbers'),
    _spans('"PER"', '" "', 'a:1: span 1 has no "label"'),
    _spans('"label"', '"lable"', 'a:1: span 1 has no "label"'),
    _spans('"spans": []', '"spans": {}', 'a:2: "spans" is no list'),
    _spans('"spans": [{', '"span": [{', "a:1: there is no \"spans\", but a list 'span'"),
    _spans('"id": 2', '"id": 2, "answer": ""', "a:2: \"answer\" is ''"),
    _spans('"id": 2', '"id": 3', "a:3: the id '3' appears twice, first in a:2"),
    _spans('"Nobody"', '"Nobodi"', "a:2: the text is 'Nobodi', but 'Nobody' in gold:2"),
    _spans('"PER"', '"PRE"', "a:1: the gold has no span with the label 'PRE'", fatal=False),
]

RUN = "q1 Q0 d1 1 3.5 x\nq1 Q0 d2 2 2.5 x\nq1 Q0 d3 3 1.5 x\nq2 Q0 d1 1 9 x\n"
QRELS = "q1 0 d1 1\nq1 0 d3 0\nq2 0 d1 2\n"
RUNS = {"gold": QRELS, "a": RUN, "b": RUN}
RANKED = '{"q1": {"d1": 3.5, "d2": 2.5}, "q2": {"d1": 9.5}}'
RANX = {"gold": QRELS, "a": RANKED, "b": RANKED}
VALUES = "map q1 0.5\nmap q2 0.25\nnum_q all 2\nmap all 0.375\n"
SCORED = {"a": VALUES, "b": VALUES}


def _trec(
    files: Mapping[str, str], old: str, new: str, said: str, *, fatal: bool = True, file: str = "a"
) -> Case:
    gold = "gold" if "gold" in files else None
    return Case(files, file, old, new, said, fatal, ("--as", "trec"), gold)


TREC_CASES = [
    _trec(RUNS, "2.5 x", "2.5", "a:2: 5 fields instead of 6"),
    _trec(RUNS, "2.5 x", "2.5 x y", "a:2: 7 fields instead of 6"),
    _trec(RUNS, "2.5", "2,5", "a:2: the score is '2,5', no number"),
    _trec(RUNS, "2.5", "2_5", "a:2: the score is '2_5', no number"),
    _trec(RUNS, "2.5", "２", "a:2: the score is '２', no number"),
    _trec(RUNS, "d2", "d1", "a:2: document 'd1' appears twice for query 'q1'"),
    _trec(RUNS, " 2.5", " 4.5", "a:2: rank 2 has the score 4.5, and rank 1 before", fatal=False),
    _trec(RUNS, " 2 ", " two ", "a:2: the rank is 'two', no whole number", fatal=False),
    _trec(RUNS, "d2", "d\0", "a:2: this is not text but binary data"),
    _trec(RUNS, "d3 0", "d\0 0", "gold:2: this is not text but binary data", file="gold"),
    _trec(RUNS, " 2 ", f" {'9' * 400} ", "a:2: the rank is 999999999…, a number", fatal=False),
    _trec(RUNS, "q1 0 d3 0", "q1 0 d3", "gold:2: 3 fields instead of 4", file="gold"),
    _trec(RUNS, "q1 0 d3 0", "q1 0 d3 1.5", "gold:2: the relevance is '1.5'", file="gold"),
    _trec(RUNS, "d3 0", f"d3 {'9' * 5000}", "gold:2: the relevance is 999999999…", file="gold"),
    _trec(RANX, '"q2"', '"q1"', "a:1: the key 'q1' appears twice"),
    _trec(RANX, "2.5", '"2.5"', "a: the score of 'd2' for 'q1' is '2.5'"),
    _trec(SCORED, "q2", "q\0", "a:2: this is not text but binary data"),
    _trec(SCORED, "q2", "q2\x85", "a:2: the line has a control character"),
    _trec(SCORED, "0.25", "0,25", "a:2: the value is '0,25', no number"),
    _trec(SCORED, "map q2", "map q1", "a:2: map of query 'q1' appears twice"),
    _trec(SCORED, "num_q all 2", "num_q all 5", "a: num_q says 5, and values of 2", fatal=False),
    _trec(
        SCORED, "map all", "map all 0.5\nmap all", "a:5: map of all queries appears", fatal=False
    ),
]

LONG = "system,item,score,doc\nA,q1,1,d1\nA,q2,0,d1\nB,q1,0.5,d1\nB,q2,1,d1\n"
WIDE = "item,A,B\nq1,1,0\nq2,0,1\nq3,1,1\n"
JSONL = '{"item": "q1", "A": 1, "B": 0}\n{"item": "q2", "A": 0, "B": 1}\n'


def _table(content: str, old: str, new: str, said: str, *, fatal: bool = True) -> Case:
    return Case({"t": content}, "t", old, new, said, fatal)


TABLE_CASES = [
    _table(LONG, "A,q2,0,d1", "A,q2,0", "t:3: the row has 3 fields, the header has 4"),
    _table(LONG, "A,q2,0,d1", "A,q2,0,d1,x", "t:3: the row has 5 fields, the header has 4"),
    _table(LONG, "A,q2,0", 'A,q2,"0', "t:5: the line is not well-formed CSV"),
    _table(LONG, "A,q2,0", "A,q2,", "t:3: an empty cell in column 'score' is not a number"),
    _table(LONG, "A,q2,0", "A,q2,n/a", "t:3: 'n/a' in column 'score' is not a number"),
    _table(LONG, "0.5", '"0,5"', "t:4: '0,5' in column 'score' is not a number; write the number"),
    _table(LONG, "0.5", "0 5", "t:4: '0 5' in column 'score' is not a number"),
    _table(LONG, "0.5", "0_5", "t:4: '0_5' in column 'score' is not a number"),
    _table(LONG, "0.5", "１", "t:4: '１' in column 'score' is not a number"),
    _table(LONG, "0.5", "0.5\x0c", "t:4: '0.5\\x0c' in column 'score' is not a number"),
    _table(LONG, "q2,0,", "q2,true,", "t:3: 'true' stands in column 'score' among", fatal=False),
    _table(LONG, "0.5", "1e999", "t:4: '1e999' in column 'score' is not a finite number"),
    _table(LONG, "A,q2", "A,q1", "t:3: item 'q1' appears twice for system 'A', first in t:2"),
    _table(LONG, "A,q2", "A,", "t:3: the 'item' of the row is empty"),
    _table(LONG, "B,q2,1,d1", "B,q2,1,d2", "t:5: the 'doc' of item 'q2' is 'd2', but 'd1' in t:3"),
    _table(LONG, "B,q2", "B,q3", "missing in A: q3"),
    _table(LONG, "score,doc", "score,score", "t:1: two columns are called 'score'"),
    _table(LONG, "score,doc", "score,", "t:1: column 4 has no name"),
    _table(WIDE, "q2,0,1", "q2,0,x", "t:3: 'x' in column 'B' is not a number"),
    _table(WIDE, "q3,1", "q2 ,1", "t:4: item 'q2 ' differs from 'q2' in nothing", fatal=False),
    _table(
        "item,A,B,note\nq1,1,0,x\nq2,0,1,y\nq3,1,1,z\n",
        "x\nq2,0,1,y",
        '"x\nq2,0,1,y"',
        "t:2: the quoted cell of column 'note' goes over several lines that look like rows",
        fatal=False,
    ),
    _table(LONG, "A,q2", "A ,q2", "t: the system 'A ' differs from 'A' in nothing"),
    _table(JSONL, '"A": 0', '"A": 0, "A": 1', "t:2: the key 'A' appears twice"),
    _table(JSONL, '"A": 0', '"a": 0', "missing in A: q2; missing in a: q1"),
    _table(JSONL, '"A": 0', '"A": [0]', "t:2: a list in column 'A' is not a number"),
]


def _log(model: str) -> str:
    rows = [sample(item, value) for item, value in (("q1", "C"), ("q2", "I"), ("q3", "C"))]
    results = {
        "total_samples": 3,
        "scores": [{"name": "match", "metrics": {"accuracy": {"value": 2 / 3}}}],
    }
    spec = {"dataset": {"name": "quiz", "sample_ids": ["q1", "q2", "q3"]}}
    return json_log(rows, header(f"mockllm/{model}", spec=spec, results=results))


LOGS = {"a.json": _log("alder"), "b.json": _log("birch")}


def _inspect(old: str, new: str, said: str, *, fatal: bool = True) -> Case:
    return Case(LOGS, "a.json", old, new, said, fatal)


INSPECT_CASES = [
    _inspect('"total_samples": 3', '"total_samples": 4', "the header says 4 samples", fatal=False),
    _inspect('"q1", "q2", "q3"', '"q1", "q2"', "1 item is not among those that", fatal=False),
    _inspect('"q3"]', '"q3", "q4"]', "1 item of the header has no sample: q4", fatal=False),
    _inspect(
        '"value": 0.6', '"value": 0.7', "gives 0.7667 as the accuracy of 'match'", fatal=False
    ),
    _inspect('"value": "I"', '"value": "C"', "and the samples have 1; the", fatal=False),
    _inspect('"group"', '"gruop"', "item 'q1': there is no label 'group'", fatal=False),
    _inspect('"model"', '"modle"', "the header names no model", fatal=False),
    _inspect('"epoch": 1', '"epoch": "1"', "item 'q1': the epoch is '1', no whole number"),
    _inspect('"success"', '"cancelled"', "the run did not succeed (status 'cancelled')"),
    _inspect('"success"', '"started"', "the run did not succeed (status 'started')"),
    _inspect('"id": "q2"', '"id": "q2", "id": "q4"', "the key 'id' appears twice"),
    _inspect('"id": "q2"', '"id": "q1"', "item 'q1', epoch 1 appears twice"),
    _inspect('"scores": {"match": {"value": "I", ', '"scores": [], "x": {"y": {', "no object"),
]

DOCUMENTS = "".join(
    json.dumps({"doc_id": k, "doc": {"of": "x"}, "resps": [["4"]], "filter": "none",
                "metrics": ["acc"]} | {"acc": float(k > 0)}) + "\n"
    for k in range(4)
)  # fmt: skip
RESULTS = json.dumps(
    {
        "n-samples": {"sums": {"original": 4, "effective": 4}},
        "results": {"sums": {"acc,none": 0.75, "acc_stderr,none": 0.2}},
        "configs": {"sums": {"metric_list": [{"metric": "acc", "aggregation": "mean"}]}},
    }
)
NAME = "a/samples_sums_2026-11-15T19-23-21.jsonl"
BESIDE = "a/results_2026-11-15T19-23-21.json"


def _lm_eval(file: str, old: str, new: str, said: str, *, fatal: bool = True) -> Case:
    files = {NAME: DOCUMENTS, NAME.replace("a/", "b/"): DOCUMENTS}
    return Case(files, file, old, new, said, fatal, more={BESIDE: RESULTS})


LM_EVAL_CASES = [
    _lm_eval(
        BESIDE, '"effective": 4', '"effective": 5', "says 5 documents, and 4 are", fatal=False
    ),
    _lm_eval(BESIDE, "0.75", "0.5", "gives 0.5 as 'acc,none', and the documents", fatal=False),
    _lm_eval(BESIDE, "{", "", "beside it cannot be read", fatal=False),
    _lm_eval(NAME, '"acc": 0.0', '"acc": 1.0', "and the documents have 1;", fatal=False),
    _lm_eval(
        NAME, '"acc": 1.0', '"acc": "1"', f"{NAME}:2: the value of 'acc' is '1',", fatal=False
    ),
    _lm_eval(NAME, '"acc": 1.0', '"acc": 3', "'3', not between 0 and 1", fatal=False),
    _lm_eval(NAME, '"of"', '"off"', f"{NAME}:1: there is no label 'of'", fatal=False),
    _lm_eval(NAME, '"doc_id": 1', '"doc_id": 0', f"{NAME}:2: document '0' appears twice"),
    _lm_eval(NAME, '"doc_id": 1', '"doc_id": true', f"{NAME}:2: this is no sample of lm-eval"),
    _lm_eval(NAME, '"acc": 0.0', '"acc": "x"', f"{NAME}:1: the value of 'acc' is 'x', which is no"),
]


CASES = [
    *RELATIONS,
    *TAG_CASES,
    *SPAN_CASES,
    *TREC_CASES,
    *TABLE_CASES,
    *INSPECT_CASES,
    *LM_EVAL_CASES,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.said[:50])
def test_all_verbs_say_the_same(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Good files bring no word; damaged ones are refused by all verbs, or remarked by all."""
    monkeypatch.chdir(tmp_path)
    for name, content in {**case.files, **case.more}.items():
        _write(name, content)
    assert main(case.command("validate")) == 0
    assert capsys.readouterr().out == ""

    case.damage()
    for verb in ("score", "compare", "validate"):
        more = ("--missing", "zero") if verb != "validate" and not case.fatal else ()
        status = main([*case.command(verb), *more])
        captured = capsys.readouterr()
        said = " ".join((captured.out + captured.err).split())
        assert case.said in said, f"{verb}: {said}"
        if case.fatal:
            assert status == 2, verb
        elif verb == "validate":
            assert any(
                line.startswith("warning: ") and case.said in line
                for line in captured.out.splitlines()
            )
        else:
            assert status == 0, f"{verb}: {said}"


def test_validate_lists_all_problems_of_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Every row and cell that is wrong is listed by its line, and what appears twice, too."""
    monkeypatch.chdir(tmp_path)
    rows = ["A,q1,1", "A,q2", "A,q3,x", ",q4,1", "A,q1,0", "B,q1,0", "B,q3,-", "B,q1,1"]
    Path("t.csv").write_text("system,item,score\n" + "\n".join(rows) + "\n")

    assert main(["validate", "t.csv"]) == 2

    lines = capsys.readouterr().out.splitlines()
    places = [line.partition(": ")[0] for line in lines]
    assert sorted(places) == ["t.csv:3", "t.csv:4", "t.csv:5", "t.csv:6", "t.csv:8", "t.csv:9"]


def test_samples_of_an_archive_without_a_summary_are_told(tmp_path: Path) -> None:
    """A summary that was lost would take its item along."""
    rows = [sample(item, "C") for item in ("q1", "q2", "q3")]
    path = tmp_path / "a.eval"
    path.write_bytes(eval_log(rows[:2], wholes=rows))

    (notice,) = (each for each in read_logs([path]).notices if each.code == "not-understood")

    assert notice.text == f"{path}: samples/q3_epoch_1.json has no summary; it was left out."


def test_labels_of_items_are_validated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Rows about no item are a warning; an item without a row is an error, as in `compare`."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(WIDE)
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\nq3,b\nq4,b\n")
    assert main(["validate", "t.csv", "--item-labels", "labels.csv"]) == 0
    assert "1 row of labels.csv is about no item here: q4" in capsys.readouterr().out
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\n")
    for verb in ("validate", "compare"):
        assert main([verb, "t.csv", "--item-labels", "labels.csv"]) == 2
        captured = capsys.readouterr()
        assert "labels.csv: 1 item of 3 has no row: q3" in captured.out + captured.err

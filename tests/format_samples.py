"""A tiny file of every format, as data: what `fuzz` damages, and what every format is held to.

A sample makes the file of one system from rows of (item, right or wrong). Where a format differs
from the contract (`unit/formats/test_contract.py`), the sample says so, and why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import harness_files as made
from harness_files import Rows
from log_files import document, eval_log, header, json_log, sample
from muc_files import attack
from table_files import json_lines

ITEMS = tuple(f"q{k}" for k in range(6))
SYSTEMS: Mapping[str, Rows] = {
    "alder": [(item, k % 3 != 0) for k, item in enumerate(ITEMS)],
    "birch": [(item, k % 2 == 0) for k, item in enumerate(ITEMS)],
}


@dataclass(frozen=True, slots=True)
class Sample:
    """The files of a format: `path` names that of a system, and `make` says what is in it."""

    form: str
    path: str
    make: Callable[[str, Rows], str | bytes | Mapping[str, str]]
    """By the name of the system and its rows; for a folder, what is in its files"""
    gold: tuple[str, Callable[[Rows], str]] | None = None
    """The name of the gold file, and what is in it"""
    metric: str | None = None
    others: Mapping[str, Callable[[str, Rows], str]] = field(default_factory=dict)
    """Files that stand beside that of a system"""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of the format that name files, and what is in these"""
    bad: tuple[str, str] | None = None
    """What becomes of a value, so that it is none; no value: why there is none in `unlike`"""
    unlike: Mapping[str, str] = field(default_factory=dict)
    """By what the contract asks: why this format has it otherwise"""

    def held(self, name: str, rows: Rows) -> dict[str, bytes]:
        """Return what is in all files of a system, by path."""
        files: dict[str, bytes] = {}
        for path, make in {self.path: self.make, **self.others}.items():
            place, held = path.format(name), make(name, rows)
            parts = held if isinstance(held, Mapping) else {"": held}
            for part, content in parts.items():
                data = content.encode() if isinstance(content, str) else content
                files[f"{place}/{part}".rstrip("/")] = data
        return files

    def write(self, folder: Path, name: str, rows: Rows) -> str:
        """Write the files of a system, and return what is named to read them."""
        for path, data in self.held(name, rows).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        return str(folder / self.path.format(name))

    def write_gold(self, folder: Path, rows: Rows) -> list[str]:
        """Write the gold file, and return its path."""
        if self.gold is None:
            return []
        name, make = self.gold
        (folder / name).write_text(make(rows))
        return [str(folder / name)]

    def write_options(self, folder: Path) -> dict[str, str]:
        """Write the files that options name, and return their paths."""
        for name, text in self.options.items():
            (folder / name).write_text(text)
        return {name: str(folder / name) for name in self.options}


def _json_lines(row: Callable[[str, str, bool], Any]) -> Callable[[str, Rows], str]:
    return lambda name, rows: json_lines(row(name, item, right) for item, right in rows)


def _text_lines(line: Callable[[str, bool], str], head: str = "") -> Callable[[str, Rows], str]:
    return lambda _, rows: head + "".join(line(item, right) for item, right in rows)


def _tree(tree: Callable[[str, Rows], Any]) -> Callable[[str, Rows], str]:
    return lambda name, rows: json.dumps(tree(name, rows))


def _gold(make: Callable[[str, Rows], str]) -> Callable[[Rows], str]:
    """Return what a perfect system says, which is the gold of formats that have one layout."""
    return lambda rows: make("gold", [(item, True) for item, _ in rows])


def _parquet(name: str, rows: Rows) -> bytes:
    import pyarrow as pa

    table = [{"system": name, "item": item, "score": float(right)} for item, right in rows]
    return made.parquet(pa.Table.from_pylist(table))


def _inspect(name: str, rows: Rows) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    return [sample(item, "C" if ok else "I") for item, ok in rows], header(f"mockllm/{name}")


def _harbor(name: str, rows: Rows) -> dict[str, str]:
    """Return the trials of a job: a folder each."""
    return {
        f"{item}__{k}/result.json": json.dumps({
            "task_name": item, "trial_name": f"{item}__{k}", "agent_info": {"name": name},
            "verifier_result": {"rewards": {"reward": float(right)}}, "agent_result": {},
        })
        for k, (item, right) in enumerate(rows)
    }  # fmt: skip


def _spans(_: str, rows: Rows) -> str:
    return json_lines(
        {"text": "Ida left Oslo .", "meta": {"id": item}, "answer": "accept",
         "spans": [{"start": 0, "end": 3, "label": "PER"},
                   {"start": 9, "end": 13, "label": "LOC" if right else "PER"}]}
        for item, right in rows
    )  # fmt: skip


def _tbf(name: str, rows: Rows) -> str:
    documents = [
        f"#BeginOfDocument {item}\n"
        + "".join(
            f"{name}\t{item}\tE{k}\t{10 * k},{10 * k + 5}\tword{k}\t"
            f"{'Attack' if right or k else 'Meet'}\tActual\n"
            for k in range(2)
        )
        + "@Coreference\tC1\tE0,E1\n#EndOfDocument\n"
        for item, right in rows
    ]
    return "".join(documents)


def _coref(_: str, rows: Rows) -> str:
    return "".join(
        f"#begin document ({item}); part 000\n{item} 0 0 The (1\n{item} 0 1 queen 1)\n"
        f"{item} 0 2 saw -\n{item} 0 3 her {'(1)' if right else '(2)'}\n\n#end document\n"
        for item, right in rows
    )


def _muc(_: str, rows: Rows) -> str:
    return "".join(
        attack(item, perp_ind_id='"ELN"' if right else '"REBELS"', phys_tgt_id='"BRIDGE"')
        for item, right in rows
    )


def _templates(_: str, rows: Rows) -> str:
    return json_lines(
        {"doc": item, "templates": [{"type": "trip", "who": "Ida" if right else "Bo", "price": 3}]}
        for item, right in rows
    )  # fmt: skip


_TEXT = _text_lines(lambda item, ok: f"the cat {'sat' if ok else 'lay'} on the mat of {item}\n")
_TAGS = _text_lines(
    lambda item, ok: f"-DOCSTART- O\n\nIda B-PER\nleft O\n{item} {'B-LOC' if ok else 'O'}\n\n"
)
_RELATIONS = _json_lines(lambda _, item, ok: {
    "unit": item, "relations": [["subj", "sees", "cat"], ["obj", "sees", "dog" if ok else "cow"]],
})  # fmt: skip
_BY_PLACE = "lines have no ids: they are paired by their order, and each must be there"
_PLACED = {"rows": _BY_PLACE, "duplicates": _BY_PLACE, "missing": _BY_PLACE}
_JUDGED = {
    "duplicates": "a prompt may be judged more than once",
    "runs": "files hold judgments, which go together",
}
_NUMBERED = "prompts have no ids: they get numbers as their texts come"
_ARE_COUNTS = "what is not there was not found: it counts as missed"


def _judgment(name: str, item: str, right: bool) -> dict[str, Any]:
    winner = "model_a" if right else "model_b"
    return {"id": item, "model_a": name, "model_b": "oak", "winner": winner}


SAMPLES: tuple[Sample, ...] = (
    Sample(
        "items", "{}.csv", _text_lines(lambda item, ok: f"{item},{int(ok)}\n", "item,score\n"),
        bad=("q1,1\n", "q1,one\n"),
    ),
    Sample(
        "counts", "{}.csv", metric="f1",
        make=_text_lines(lambda item, ok: f"{item},{int(ok)},1,1\n", "item,tp,fp,fn\n"),
        bad=("q1,1,1,1\n", "q1,1,x,1\n"),
    ),
    Sample(
        "items", "{}.jsonl",
        _json_lines(lambda name, item, ok: {"system": name, "item": item, "score": int(ok)}),
        bad=('"score": 1', '"score": "one"'),
    ),
    Sample("items", "{}.parquet", _parquet, unlike={"bad number": "columns have types"}),
    Sample(
        "preferences", "{}.jsonl", _json_lines(_judgment), bad=('"model_a"}', '"model_c"}'),
        unlike={**_JUDGED, "missing": "systems that meet each other have prompts of their own"},
    ),
    Sample(
        "arena-hard", "{}.jsonl",
        _json_lines(lambda name, item, ok: {
            "question_id": item, "model": name, "judge": "j",
            "games": [{"score": "B>A" if ok else "A>B"}, {"score": "A>>B" if ok else "B>A"}],
        }),
        bad=('"A>>B"', '"A?B"'), unlike=_JUDGED,
    ),
    Sample(
        "alpaca-eval", "{}.json",
        _tree(lambda name, rows: [
            {"instruction": item, "output_1": "x", "generator_1": "reference", "output_2": "y",
             "generator_2": name, "preference": 2 if ok else 1} for item, ok in rows
        ]),
        bad=('"preference": 2', '"preference": 7'),
        unlike={**_JUDGED, "rows": _NUMBERED, "numbered": _NUMBERED},
    ),
    Sample(
        "mt-bench-pair", "{}.jsonl",
        _json_lines(lambda name, item, ok: {
            "question_id": item, "model_1": name, "model_2": "oak", "turn": 1,
            "g1_winner": "model_1" if ok else "tie", "g2_winner": "model_1" if ok else "model_2",
        }),
        bad=('"g1_winner": "model_1"', '"g1_winner": "model_3"'),
        unlike={**_JUDGED, "missing": "systems that meet each other have prompts of their own"},
    ),
    Sample(
        "text", "{}.txt", _TEXT, gold=("ref.txt", _gold(_TEXT)),
        options={"docids": "d1\nd1\nd2\nd2\nd3\nd3\n"},
        unlike={**_PLACED, "bad number": "any line is text", "guess": "any line is text"},
    ),
    Sample(
        "trec", "{}.run",
        _text_lines(lambda item, ok: f"{item} Q0 d1 1 {3 if ok else 1} x\n{item} Q0 d2 2 2 x\n"),
        gold=("qrels.txt", _gold(_text_lines(lambda item, _: f"{item} 0 d1 1\n{item} 0 d2 0\n"))),
        bad=("d1 1 3 x", "d1 1 high x"),
    ),
    Sample(
        "conll", "{}.conll",
        _TAGS,
        gold=("gold.conll", _gold(_TAGS)), bad=(" B-LOC", " X-LOC"), unlike=_PLACED,
    ),
    Sample(
        "spans", "{}.jsonl", _spans, gold=("gold.jsonl", _gold(_spans)),
        bad=('"end": 13', '"end": "far"'),
    ),
    Sample(
        "relations", "{}.jsonl", _RELATIONS, gold=("gold.jsonl", _gold(_RELATIONS)),
        unlike={"bad number": "any value is a text"},
    ),
    Sample(
        "nuggets", "{}.tbf", _tbf, gold=("gold.tbf", _gold(_tbf)), bad=("\t0,5\t", "\t0,far\t"),
        options={"types": "Attack\nMeet\n"}, unlike={"missing": _ARE_COUNTS},
    ),
    Sample(
        "conll-coref", "{}.conll", _coref, gold=("key.conll", _gold(_coref)),
        bad=("her (1)", "her (1"),
        unlike={"missing": _ARE_COUNTS, "runs": "the reference scorer takes one file per system"},
    ),
    Sample(
        "templates", "{}.jsonl", _templates, gold=("gold.jsonl", _gold(_templates)),
        bad=('"templates": [', '"templates": [1, '), unlike={"missing": _ARE_COUNTS},
    ),
    Sample(
        "muc", "{}.txt", _muc, gold=("key.txt", _gold(_muc)),
        bad=('1.  MESSAGE: TEMPLATE', '1.  MESSAGE: TEMPLAET'), unlike={"missing": _ARE_COUNTS},
    ),
    Sample(
        "inspect", "{}.json", lambda name, rows: json_log(*_inspect(name, rows)),
        bad=('"value": "C"', '"value": "perhaps"'),
    ),
    Sample(
        "inspect", "{}.eval", lambda name, rows: eval_log(*_inspect(name, rows)),
        unlike={"bad number": "as in JSON", "gzip": "an archive is packed inside"},
    ),
    Sample(
        "lm-eval", "{}/samples_pond_2026-11-01T10-00-00.000001.jsonl",
        _json_lines(lambda _, item, ok: document(int(item[1:]), acc=int(ok))),
        bad=('"acc": 1', '"acc": "one"'),
    ),
    Sample(
        "helm", "{}/per_instance_stats.json", _tree(made.helm_stats),
        others={"{}/run_spec.json": _tree(lambda name, _: made.helm_spec(name))},
        bad=('"sum": 0.0', '"sum": "one"'),
    ),
    Sample("lighteval", "details_{}.parquet", made.lighteval,
           unlike={"bad number": "columns have types"}),
    Sample("promptfoo", "{}.json", _tree(lambda name, rows: made.promptfoo({name: rows})),
           bad=('"score": 1.0', '"score": "one"')),
    Sample("deepeval", "{}.json", _tree(made.deepeval), bad=('"score": 1.0', '"score": "one"')),
    Sample(
        "ragas", "{}.jsonl",
        lambda name, rows: json_lines(made.ragas(name, rows)),
        bad=('"exact_match": 1.0', '"exact_match": "one"'),
    ),
    Sample(
        "humaneval", "{}.jsonl_results.jsonl",
        _json_lines(lambda _, item, ok: {
            "task_id": item, "completion": "x", "result": "passed", "passed": ok}),
        bad=('"passed": true', '"passed": "perhaps"'),
    ),
    Sample(
        "evalplus", "{}_eval_results.json", _tree(made.evalplus),
        bad=('"base_status": "pass"', '"base_status": "perhaps"'),
    ),
    Sample(
        "swe-bench", "{}.one.json", _tree(made.swe_bench),
        unlike={"bad number": "lists of ids have none"},
    ),
    Sample(
        "every-eval-ever", "{}.jsonl",
        _json_lines(lambda name, item, ok: {
            "evaluation_id": f"arith/{name}", "model_id": name, "evaluation_name": "arith",
            "sample_id": item, "input": {"raw": f"{item}?"}, "output": {"raw": [f"is {ok}"]},
            "evaluation": {"score": float(ok), "is_correct": ok}}),
        bad=('"score": 1.0', '"score": "one"'),
    ),
    Sample(
        "livebench", "{}.jsonl",
        _json_lines(lambda name, item, ok: {
            "question_id": item, "task": "typos", "model": name, "score": int(ok), "turn": 1,
            "category": "language"}),
        bad=('"score": 1', '"score": "one"'),
    ),
    Sample(
        "mt-bench", "{}_single.jsonl",
        _json_lines(lambda name, item, ok: {
            "question_id": item, "model": name, "judge": ["j", "v"], "judgment": "r",
            "score": 7 if ok else 4, "turn": 1}),
        bad=('"score": 7', '"score": "one"'),
    ),
    Sample(
        "tau-bench", "{}.json",
        _tree(lambda _, rows: [
            {"task_id": item, "reward": float(ok), "info": {}, "traj": [], "trial": 0}
            for item, ok in rows]),
        bad=('"reward": 1.0', '"reward": "one"'),
    ),
    Sample(
        "harbor", "{}", _harbor, bad=('"reward": 1.0', '"reward": "one"'),
        unlike={"gzip": "a job is a folder", "empty": "a job is a folder"},
    ),
    Sample(
        "comet", "{}.json",
        _tree(lambda name, rows: {f"{name}.txt": [
            {"src": item, "mt": "x", "ref": "y", "COMET": float(ok)} for item, ok in rows]}),
        bad=('"COMET": 1.0', '"COMET": "one"'), unlike=_PLACED,
    ),
    Sample(
        "seg-score", "{}/metric.seg.score",
        lambda name, rows: "".join(f"{name}\t{float(ok)}\n" for _, ok in rows),
        bad=("\t1.0", "\tone"), unlike=_PLACED,
    ),
)  # fmt: skip
"""At least one of every format"""

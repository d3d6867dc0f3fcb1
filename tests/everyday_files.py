"""Files that people have: logs, runs, tables and tags, made here, with figures by other programs.

`write_everyday` lays them out as the shared folder of samples does, so that one test reads either.
The figures come from NumPy, SciPy and seqeval, or from a few lines of textbook formulas.
"""

from __future__ import annotations

import json
import math
import random
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.scheme import IOB2

from log_files import document, eval_log, header, json_log, sample, samples_file

Figures = dict[str, Any]
SYSTEMS = ("alder", "birch", "cedar")
PAIRS = [("birch", "alder"), ("cedar", "alder"), ("birch", "cedar")]


def write_everyday(folder: Path) -> None:
    """Write all files, and what is known of them, to `folder/ecosystem`."""
    target = folder / "ecosystem"
    target.mkdir(parents=True)
    rng = random.Random(11)
    expected: Figures = {}
    for write in (write_quiz, write_clauses, write_samples, write_runs, write_tables, write_tags):
        expected |= write(target, rng)
    write_spans(target)
    (target / "hf_evaluate").mkdir()
    for name in ("alder", "birch"):
        totals = {"accuracy": 0.5, "model": name, "_evaluate_version": "0.4.6"}
        (target / "hf_evaluate" / f"{name}.json").write_text(json.dumps(totals))
    (target / "expected.json").write_text(json.dumps(expected))


def paired(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[str] | None = None
) -> Figures:
    """Return what a paired comparison of b with a should find, to six decimals."""
    first, second = np.array(a, float), np.array(b, float)
    apart = np.round(second - first, 12)
    n = len(apart)
    better, worse = int((apart > 0).sum()), int((apart < 0).sum())
    found = {
        "n": n, "mean_a": first.mean(), "mean_b": second.mean(), "diff_b_minus_a": apart.mean(),
        "se_paired": apart.std(ddof=1) / math.sqrt(n),
        "paired_t_p": stats.ttest_1samp(apart, 0).pvalue,
        "b_better": better, "ties": n - better - worse, "a_better": worse,
    }  # fmt: skip
    if set(np.unique([first, second])) <= {0.0, 1.0}:
        found["mcnemar_exact_p"] = stats.binomtest(better, better + worse).pvalue
    if clusters is not None:
        sums = dict.fromkeys(clusters, 0.0)
        for cluster, distance in zip(clusters, (apart - apart.mean()).tolist(), strict=True):
            sums[cluster] += distance
        found["clusters"] = len(sums)
        found["se_paired_clustered"] = (
            math.sqrt(sum(s**2 for s in sums.values()) * len(sums) / (len(sums) - 1)) / n
        )
    return {key: round(float(value), 6) if isinstance(value, float) else value
            for key, value in found.items()}  # fmt: skip


def sign_flips(values: Sequence[int]) -> float:
    """Return the share of all changes of signs whose sum is as far from 0 as the given one."""
    ways = Counter({0: 1})
    for value in values:
        following = Counter[int]()
        for total, count in ways.items():
            following[total + value] += count
            following[total - value] += count
        ways = following
    reached = sum(count for total, count in ways.items() if abs(total) >= abs(sum(values)))
    return reached / (1 << len(values))


def write_quiz(folder: Path, rng: random.Random) -> Figures:
    """Write Inspect's logs of three systems on 54 questions about 18 passages."""
    (folder / "inspect" / "quiz").mkdir(parents=True)
    passages = [f"p{k // 3:02}" for k in range(54)]
    hard = {passage: rng.uniform(-0.3, 0.3) for passage in passages}
    skill = {"alder": 0.5, "birch": 0.75, "cedar": 0.55}
    marks = {name: [int(rng.random() < skill[name] + hard[p]) for p in passages]
             for name in SYSTEMS}  # fmt: skip
    for k, (name, own) in enumerate(marks.items()):
        rows = [
            sample(
                f"{passage}-q{i % 3 + 1}", "C" if right else "I", target=str(i),
                metadata={"passage": passage, "topic": f"t{i % 4}", "kind": f"k{i % 2}"},
                scores={"includes": {"value": "C" if right else "I", "answer": f"{i * right}"}},
            )
            for i, (passage, right) in enumerate(zip(passages, own, strict=True))
        ]  # fmt: skip
        log = eval_log(rows, header(f"mockllm/{name}"), wholes=rows)
        (folder / "inspect" / "quiz" / f"2026-01-0{k + 1}_quiz_{name}.eval").write_bytes(log)
    found = {}
    for b, a in PAIRS:
        sums = Counter[str]()
        for passage, x, y in zip(passages, marks[a], marks[b], strict=True):
            sums[passage] += y - x
        figures = paired(marks[a], marks[b], passages)
        figures["sign_flip_exact_p_by_item"] = figures["mcnemar_exact_p"]
        figures["sign_flip_exact_p_by_passage"] = sign_flips(list(sums.values()))
        found[b, a] = figures
    worst = 0.0
    for rank, figures in enumerate(
        sorted(found.values(), key=lambda each: float(each["sign_flip_exact_p_by_passage"]))
    ):
        worst = max(worst, min(1.0, (3 - rank) * figures["sign_flip_exact_p_by_passage"]))
        figures["holm_p_by_passage"] = round(worst, 6)
        p = figures["sign_flip_exact_p_by_passage"]
        figures["sign_flip_exact_p_by_passage"] = round(p, 6)
    return {f"inspect/quiz includes {b} vs {a}": found[b, a] for b, a in PAIRS}


def write_clauses(folder: Path, rng: random.Random) -> Figures:
    """Write logs of two systems on twelve items, three times each."""
    (folder / "inspect" / "clauses").mkdir()
    means = {}
    for name in ("alder", "birch"):
        values = [[rng.randint(0, 8) / 8 for _ in range(3)] for _ in range(12)]
        means[name] = [sum(each) / 3 for each in values]
        rows = [
            sample(item, values[item - 1][epoch - 1], epoch,
                   scores={"f1": {"value": values[item - 1][epoch - 1]}})
            for epoch in (1, 2, 3) for item in range(1, 13)
        ]  # fmt: skip
        head = header(f"mockllm/{name}", spec={"task": "clauses", "config": {"epochs": 3}})
        log = json_log(rows, head)
        (folder / "inspect" / "clauses" / f"2026-01-01_clauses_{name}.json").write_text(log)
    name = "inspect/clauses f1 birch vs alder (mean over 3 epochs first)"
    return {name: paired(means["alder"], means["birch"])}


def write_samples(folder: Path, rng: random.Random) -> Figures:
    """Write lm-eval's samples and totals of two systems on two tasks."""
    choices, strict, flexible = "acc", "strict-match", "flexible-extract"
    marks = {(name, key): [int(rng.random() < chance) for _ in range(30)]
             for name, chance in (("alder", 0.5), ("birch", 0.7))
             for key in (choices, strict, flexible)}  # fmt: skip
    stories = [f"st{k // 3:02}" for k in range(30)]
    for name in ("alder", "birch"):
        place = str(folder / "lm_eval" / name)
        rows = [
            document(k, acc=right, acc_norm=1, doc={"question": f"Who is {k}?", "qid": f"m{k:03}",
                                                    "story": stories[k]})
            for k, right in enumerate(marks[name, choices])
        ]  # fmt: skip
        samples_file(place, "pond_mc", rows)
        rows = [
            document(k, key, exact_match=right, doc={"question": f"How many in {k}?"})
            for key in (strict, flexible)
            for k, right in enumerate(marks[name, key])
        ]
        samples_file(place, "crate_gen", rows)
        measured = {"pond_mc": [("acc", "none"), ("acc_norm", "none")],
                    "crate_gen": [("exact_match", strict), ("exact_match", flexible)]}  # fmt: skip
        totals = {
            task: {f"{metric}{more},{key}": 0.5 for metric, key in each for more in ("", "_stderr")}
            for task, each in measured.items()
        }
        results = {"results": totals, "model_name": name, "lm_eval_version": "0.4.13"}
        (Path(place) / "results_2026-11-01T10-00-00.json").write_text(json.dumps(results))
    found = {"lm_eval/pond_mc acc,none birch vs alder":
             paired(marks["alder", choices], marks["birch", choices], stories)}  # fmt: skip
    for key in (strict, flexible):
        figures = paired(marks["alder", key], marks["birch", key])
        found[f"lm_eval/crate_gen exact_match,{key} birch vs alder"] = figures
    return found


def write_runs(folder: Path, rng: random.Random) -> Figures:
    """Write judgements and two runs of retrieval; birch finds nothing for q11."""
    place = folder / "trec"
    place.mkdir()
    queries = [f"q{k:02}" for k in range(1, 13)]
    grades = {query: {f"d{k:02}": rng.choice((0, 0, 0, 1, 1, 2)) for k in range(25)} | {"d25": 1}
              for query in queries}  # fmt: skip
    lines = [f"{query} 0 {doc} {grade}\n" for query, own in grades.items()
             for doc, grade in own.items() if grade]  # fmt: skip
    (place / "qrels.txt").write_text("".join(lines))
    values: dict[tuple[str, str], list[float]] = {}
    for name, noise in (("alder", 3), ("birch", 1)):
        run = {}
        for query in queries:
            scored = {doc: round(grade + rng.gauss(0, noise), 4)
                      for doc, grade in grades[query].items() if rng.random() < 0.8}  # fmt: skip
            run[query] = dict(sorted(scored.items(), key=lambda each: -each[1]))
        if name == "birch":
            del run["q11"]
        lines = [f"{query} Q0 {doc} {rank} {score} {name}\n" for query, own in run.items()
                 for rank, (doc, score) in enumerate(own.items(), 1)]  # fmt: skip
        (place / f"{name}.run").write_text("".join(lines))
        (place / f"{name}.json").write_text(json.dumps(run))
        printed = []
        for measure, score_of in (("AP", average_precision), ("nDCG@10", ndcg_at_10)):
            own_values = [round(score_of(list(run.get(query, {})), grades[query]), 4)
                          for query in queries]  # fmt: skip
            values[name, measure] = own_values
            printed += [f"{query}\t{measure}\t{value:.4f}\n"
                        for query, value in zip(queries, own_values, strict=True)]  # fmt: skip
            printed.append(f"all\t{measure}\t{sum(own_values) / len(queries):.4f}\n")
        (place / f"per_query_{name}.tsv").write_text("".join(printed))
    return {f"trec {measure} birch vs alder":
            paired(values["alder", measure], values["birch", measure])
            for measure in ("AP", "nDCG@10")}  # fmt: skip


def average_precision(ranking: list[str], grades: dict[str, int]) -> float:
    """Return the mean, over the relevant documents, of the precision at their ranks."""
    hits, total = 0, 0.0
    for rank, doc in enumerate(ranking, 1):
        if grades.get(doc):
            hits += 1
            total += hits / rank
    return total / sum(grade > 0 for grade in grades.values())


def ndcg_at_10(ranking: list[str], grades: dict[str, int]) -> float:
    """Return the discounted gain of the first ten, as a share of the largest possible."""

    def gain(found: Sequence[int]) -> float:
        return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(found[:10], 1))

    ideal = sorted(grades.values(), reverse=True)
    return gain([grades.get(doc, 0) for doc in ranking]) / gain(ideal)


def write_tables(folder: Path, rng: random.Random) -> Figures:
    """Write scores of three systems, wide and long, and counts of two."""
    place = folder / "table"
    place.mkdir()
    items = [(f"i{k:03}", f"doc{k // 4:02}") for k in range(48)]
    scores = {name: [round(rng.betavariate(3, 2), 4) for _ in items] for name in SYSTEMS}
    lines = ["item,doc,alder,birch,cedar"]
    lines += [",".join((*item, *(f"{scores[name][k]:g}" for name in SYSTEMS)))
              for k, item in enumerate(items)]  # fmt: skip
    (place / "wide.csv").write_text("\n".join(lines) + "\n")
    rows = [{"system": name, "item": item, "doc": doc, "metric": "f1", "score": scores[name][k]}
            for name in SYSTEMS for k, (item, doc) in enumerate(items)]  # fmt: skip
    rng.shuffle(rows)
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    (place / "long.tsv").write_text("\n".join(lines) + "\n")
    (place / "long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), place / "long.parquet")
    docs = [doc for _, doc in items]
    found: Figures = {f"table/wide.csv {b} vs {a}": paired(scores[a], scores[b], docs)
                      for b, a in PAIRS}  # fmt: skip
    lines, micro = ["system,item,tp,fp,fn"], {}
    for name in ("alder", "birch"):
        counts = [[rng.randint(0, 4), rng.randint(0, 2), rng.randint(0, 2)] for _ in range(25)]
        lines += [f"{name},i{k:03},{tp},{fp},{fn}" for k, (tp, fp, fn) in enumerate(counts)]
        tp, fp, fn = map(sum, zip(*counts, strict=True))
        micro[name] = {
            "tp": tp, "fp": fp, "fn": fn, "precision": tp / (tp + fp), "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
        }  # fmt: skip
    (place / "counts.csv").write_text("\n".join(lines) + "\n")
    return {**found, "table/counts.csv micro": micro}


PEOPLE, PLACES = ("Ida", "Bo", "Uma"), ("Oslo", "Faro", "Bern")


def write_tags(folder: Path, rng: random.Random) -> Figures:
    """Write tags of two systems on eight documents, with some I tags that continue nothing."""
    place = folder / "conll"
    place.mkdir()
    tokens, gold = [], []
    for _ in range(32):
        first, second = rng.choice(PEOPLE), rng.choice(PLACES)
        tokens.append([first, "Holm", "left", second, "."])
        gold.append(["B-PER", "I-PER", "O", "B-LOC", "O"])
    found: Figures = {}
    systems = {"gold": gold}
    for name, orphans in (("alder", 5), ("birch", 3)):
        tags = [list(each) for each in gold]
        wrong = rng.sample(range(32), 10)
        for sentence in wrong[:orphans]:
            tags[sentence][3] = "I-LOC"
        for sentence in wrong[orphans:]:
            tags[sentence][:2] = rng.choice((["O", "O"], ["B-PER", "O"], ["B-LOC", "I-LOC"]))
        systems[name] = tags
        found[f"conll {name} vs gold (seqeval 1.2.2 micro)"] = {
            "lenient": by_seqeval(gold, tags),
            "strict_iob2": by_seqeval(gold, tags, mode="strict", scheme=IOB2),
            "orphan_I_tags": orphans,
        }
    for system, file, blank in (("gold", "gold.conll", " "), ("alder", "alder.conll", " "),
                              ("birch", "birch.tsv", "\t")):  # fmt: skip
        parts: list[str] = []
        for k, (words, own) in enumerate(zip(tokens, systems[system], strict=True)):
            parts += [f"-DOCSTART-{blank}O\n\n"] if k % 4 == 0 else []
            parts += [f"{word}{blank}{tag}\n" for word, tag in zip(words, own, strict=True)]
            parts.append("\n")
        (place / file).write_text("".join(parts))
    joined = "\n".join(
        "".join(f"{word} {right} {tag}\n" for word, right, tag in zip(*rows, strict=True))
        for rows in zip(tokens, gold, systems["birch"], strict=True)
    )
    (place / "conlleval_birch.txt").write_text(joined)
    return found


def by_seqeval(gold: list[list[str]], tags: list[list[str]], **options: Any) -> Figures:
    """Return micro-averaged precision, recall and F1 of entities."""
    measures = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: float(measure(gold, tags, **options)) for name, measure in measures.items()}


def write_spans(folder: Path) -> None:
    """Write annotations of spans as annotation tools export them."""
    (folder / "spans").mkdir()
    rows = []
    for k, name in enumerate(PEOPLE):
        text = f"{name} left {PLACES[k]} ."
        start = text.index(PLACES[k])
        spans = [{"start": 0, "end": len(name), "label": "PER"},
                 {"start": start, "end": start + 4, "label": "LOC"}]  # fmt: skip
        rows.append({"text": text, "spans": spans[: k + 1], "meta": {"doc": f"d{k}"},
                     "answer": "accept"})  # fmt: skip
    (folder / "spans" / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

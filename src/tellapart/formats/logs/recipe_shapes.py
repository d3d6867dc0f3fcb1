"""What brings the files of some harnesses into the shape of records, for `recipes`."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.log import as_text, list_of, number, object_of, short_name
from tellapart.formats.logs.recipe_reader import Opened
from tellapart.formats.records import Record
from tellapart.words import several


def lighteval_gold(record: Mapping[str, Any]) -> list[str]:
    """Return the right choices."""
    doc = object_of(record.get("doc"))
    choices = list_of(doc.get("choices"))
    places = [k for k in list_of(doc.get("gold_index")) if isinstance(k, int)]
    return [as_text(choices[k]) for k in places if 0 <= k < len(choices)]


def lighteval_output(record: Mapping[str, Any]) -> list[str]:
    """Return what was generated, or the choice that is likeliest."""
    answer = object_of(record.get("model_response"))
    texts = list_of(answer.get("text"))
    choices = list_of(object_of(record.get("doc")).get("choices"))
    likely = [each for each in list_of(answer.get("logprobs")) if isinstance(each, int | float)]
    if texts or not likely or len(likely) != len(choices):
        return [as_text(text) for text in texts]
    return [as_text(choices[likely.index(max(likely))])]


# promptfoo

_PROVIDER_FAILED: Final = 2  # of `failureReason`; 1: an assertion did
_COSTS: Final = frozenset({"pass", "score", "cost", "latency_ms", "total_tokens"})
_VARIABLE: Final = re.compile(r"\{\{.*?\}\}")
_LONGEST_PROMPT: Final = 40  # characters of a prompt in the name of a system
_ANEW: Final = frozenset({"sessionId"})  # variables that every run has anew


def promptfoo(file: Opened) -> Iterator[Record]:
    """Yield results with their tests: those of the same variables and assertions are one."""
    records = file.records
    if "results" in file.top:
        records = list(file.listed(object_of(file.top["results"]).get("results"), "results"))
    tests: dict[str, int] = {}
    names = _prompt_names([_prompt(record) for record in records])
    for record in records:
        fields, case = record.fields, object_of(record.fields.get("testCase"))
        variables = object_of(case.get("vars")) or object_of(fields.get("vars"))
        variables = {name: v for name, v in variables.items() if name not in _ANEW}
        same = json.dumps([variables, case.get("assert")], sort_keys=True)
        number_ = fields.get("testIdx")
        test = tests.setdefault(same, number_ if isinstance(number_, int) else len(tests))
        reason, error = fields.get("failureReason"), fields.get("error")
        answered = object_of(fields.get("response")).get("output")
        failed = reason == _PROVIDER_FAILED or (reason is None and error and not answered)
        named = object_of(fields.get("namedScores"))
        yield Record(record.place, {
            **fields,
            "test": str(test),
            "labels": {**variables, **object_of(case.get("metadata"))},
            "prompt_name": names[_prompt(record)] if len(names) > 1 else "",
            "same": same,
            "asserted": _asserted(case.get("assert")),
            "failed": error or "the provider failed" if failed else "",
            "scores": {
                "pass": fields.get("success"),
                "score": fields.get("score"),
                **{f"named {name}" if name in _COSTS else name: v for name, v in named.items()},
            },
        })  # fmt: skip


def _prompt(record: Record) -> str:
    prompt = record.fields.get("prompt")
    return as_text(object_of(prompt).get("label") or object_of(prompt).get("raw") or prompt)


def _prompt_names(prompts: Sequence[str]) -> dict[str, str]:
    """Return a short name for each prompt: its beginning, without variables.

    >>> _prompt_names(["Think step by step. {{q}}", "Compute: {{q}}"])
    {'Think step by step. {{q}}': 'Think step by step.', 'Compute: {{q}}': 'Compute:'}
    """
    names: dict[str, str] = {}
    for prompt in dict.fromkeys(prompts):
        text = " ".join(_VARIABLE.sub("", prompt).split()) or prompt
        short = text if len(text) <= _LONGEST_PROMPT else f"{text[:_LONGEST_PROMPT]}…"
        names[prompt] = f"{short} #{len(names) + 1}" if short in names.values() else short
    return names


def _asserted(assertions: Any) -> str:
    given = [object_of(each) for each in list_of(assertions)]
    texts = [f"{each.get('type')}: {as_text(each['value'])}" for each in given if "value" in each]
    return "\n".join(texts)


# DeepEval


def deepeval(file: Opened) -> Iterator[Record]:
    """Yield test cases with the scores of their metrics."""
    run = object_of(file.top.get("testRunData")) or file.top
    cases = list(file.listed(run.get("testCases"), "testCases"))
    cases += file.listed(run.get("conversationalTestCases") or [], "conversationalTestCases")
    names = [as_text(case.fields.get("name")) for case in cases]
    unique = len(set(names)) == len(names)
    for name, (place, case) in zip(names, cases, strict=True):
        metrics = {as_text(object_of(metric).get("name")): object_of(metric)
                   for metric in list_of(case.get("metricsData"))}  # fmt: skip
        if "" in metrics or len(metrics) < len(list_of(case.get("metricsData"))):
            raise DataError(f"{place}: a metric has no name, or one is there twice; name them anew")
        errors = [as_text(metric["error"]) for metric in metrics.values() if metric.get("error")]
        scores: dict[Any, Any] = {"passed": case["success"]} if "success" in case else {}
        scores |= {metric: held.get("score") for metric, held in metrics.items()}
        scores |= {(metric, "passed"): held["success"] for metric, held in metrics.items()
                   if isinstance(held.get("success"), bool)}  # fmt: skip
        file.lower |= dict.fromkeys(m for m, held in metrics.items() if _less_is_better(held))
        yield Record(place, {
            **case, "item": name if unique else f"{name} {as_text(case.get('input'))}",
            "scores": scores, "error": errors[0] if errors else "",
        })  # fmt: skip


def _less_is_better(metric: Mapping[str, Any]) -> bool:
    """Return whether a case passed below the threshold, or failed above it."""
    score, limit, passed = metric.get("score"), metric.get("threshold"), metric.get("success")
    if not isinstance(score, int | float) or not isinstance(limit, int | float):
        return False
    return (passed is True and score < limit) or (passed is False and score > limit)


# ragas

_RAGAS_LABELS: Final = ("persona_name", "query_style", "query_length", "synthesizer_name")
_RAGAS_FIELDS: Final = frozenset({
    "user_input", "question", "response", "answer", "multi_responses", "reference", "ground_truth",
    "ground_truths", "retrieved_contexts", "contexts", "reference_contexts", "rubrics",
    "retrieved_context_ids", "reference_context_ids", "reference_topics", "reference_tool_calls",
    "__index_level_0__", "Unnamed: 0", "", "id", *_RAGAS_LABELS,
})  # fmt: skip
"""What a sample of ragas has by itself; every other column of numbers is a metric"""


def ragas(file: Opened) -> Iterator[Record]:
    """Yield rows with their metrics; what is asked again is another item, as ragas counts it."""
    rows = [record.fields for record in file.records]
    others = dict.fromkeys(name for row in rows for name in row if name not in _RAGAS_FIELDS)
    names = [n for n in others if sum(number(row.get(n, ""), {}) is not None for row in rows) > 1]
    file.lower.update(dict.fromkeys(n for n in names if n.startswith("noise_sensitivity")))
    if not names:
        raise DataError(
            f"{shown(file.path)}: no column is a metric; save what evaluate() returned, "
            "result.to_pandas(), and not the data set"
        )
    times = Counter[str]()
    for place, row in file.records:
        asked = short_name(as_text(row.get("user_input") or row.get("question")))
        times[asked] += 1
        yield Record(place, {
            **row, "item": asked if times[asked] == 1 else f"{asked} ({times[asked]})",
            "scores": {name: row.get(name) for name in names},
            "labels": {k: v for k, v in row.items() if k in _RAGAS_LABELS
                       or (k not in names and k not in _RAGAS_FIELDS)},
        })  # fmt: skip


# Code


def evalplus(file: Opened) -> Iterator[Record]:
    """Yield the samples of all tasks; as EvalPlus counts, `plus` is to pass both sets of tests."""
    tasks = object_of(file.top.get("eval"))
    if not tasks:
        raise DataError(f"{shown(file.path)}: there is no task in `eval`; give a finished run")
    for task, samples in tasks.items():
        for record in file.listed(samples, task):
            base, plus = (record.fields.get(f"{part}_status") for part in ("base", "plus"))
            both = plus if base in ("pass", "success") or plus is None else base
            yield Record(record.place, {**record.fields, "task_id": task, "plus": both})


def swe_bench(file: Opened) -> Iterator[Record]:
    """Yield the instances that were submitted: an error or an empty patch resolves nothing."""
    place = shown(file.path)
    names = ("resolved", "empty_patch", "error", "unresolved")
    outcomes = {name: set(map(str, list_of(file.top.get(f"{name}_ids")))) for name in names}
    submitted = list_of(file.top.get("submitted_ids") or file.top.get("completed_ids"))
    if "resolved_ids" not in file.top or not outcomes["resolved"] <= set(map(str, submitted)):
        raise DataError(
            f"{place}: the report has no `resolved_ids` among `submitted_ids`; give what "
            "swebench.harness.run_evaluation writes now"
        )
    for name, verb in (("error", "ended in an error"), ("empty_patch", "had no patch")):
        if outcomes[name]:
            number_ = several(len(outcomes[name]), "instance")
            file.remarks.append(f"{place}: {number_} {verb}, which is not resolved.")
    total = file.top.get("total_instances")
    if isinstance(total, int) and total > len(submitted):
        absent = total - len(submitted)
        file.remarks.append(f"{place}: {absent} of {total} instances were not submitted.")
    for instance in map(str, submitted):
        outcome = next((name for name, ids in outcomes.items() if instance in ids), "unresolved")
        yield Record(f"{place}, {instance}", {
            "instance_id": instance, "resolved": outcome == "resolved", "outcome": outcome,
            "labels": {"repository": instance.rpartition("-")[0]},
        })  # fmt: skip


# Judges

_NO_GRADE: Final = -1  # what MT-bench writes where the judge gave none
_TURNS: Final[dict[float, str]] = {1: "first_turn", 2: "second_turn"}


def mt_bench(file: Opened) -> Iterator[Record]:
    """Yield a record for each question, whose turns hang together; its score is their mean."""
    ungraded = 0
    for turns in _joined(file.records, _question, _turn):
        first = next(iter(turns.values()))
        grades = {turn: turns[turn].fields.get("score") for turn in sorted(turns)}
        ungraded += sum(grade == _NO_GRADE for grade in grades.values())
        grades = {turn: grade for turn, grade in grades.items() if grade != _NO_GRADE}
        numbers = [value for grade in grades.values() if (value := number(grade, {})) is not None]
        mean = {"score": math.fsum(numbers) / len(numbers)} if numbers else {}
        yield Record(first.place, {
            **first.fields,
            "task": "mt_bench",
            "scores": {**mean, **grades},
            "judgments": [as_text(turns[turn].fields.get("judgment")) for turn in sorted(turns)],
        })  # fmt: skip
    if ungraded:
        file.remarks.append(
            f"{shown(file.path)}: the judge gave {several(ungraded, 'turn')} no grade (-1); the "
            "mean of a question is over its graded turns."
        )


def _question(fields: Mapping[str, Any]) -> list[Any]:
    judge = list_of(fields.get("judge"))[:1]  # after its name comes the template, by the turn
    return [fields.get("model"), fields.get("question_id"), judge]


def _turn(record: Record) -> str:
    turn = record.fields.get("turn")
    if not isinstance(turn, int | float) or turn not in _TURNS:
        raise DataError(f"{record.place}: the turn is {turn!r}; MT-bench has turns 1 and 2")
    return _TURNS[turn]


def _joined(
    records: Iterable[Record],
    whole: Callable[[Mapping[str, Any]], list[Any]],
    part: Callable[[Record], str],
) -> list[dict[str, Record]]:
    """Return the records of each whole by their parts; a part that comes again is a repeat."""
    groups: dict[str, list[dict[str, Record]]] = {}
    for record in records:
        repeats = groups.setdefault(as_text(whole(record.fields)), [])
        name = part(record)
        group = next((each for each in repeats if name not in each), None)
        if group is None:
            repeats.append(group := {})
        group[name] = record
    return [group for repeats in groups.values() for group in repeats]


def every_eval_ever(file: Opened) -> Iterator[Record]:
    """Yield samples with all of their metrics, which the file of totals beside it names."""
    totals = file.beside("_samples.jsonl", ".json") or file.beside(".jsonl", ".json")
    names: dict[str, str] = {}
    for result in map(object_of, list_of(totals.get("evaluation_results"))):
        config = object_of(result.get("metric_config"))
        identity = as_text(result.get("evaluation_result_id"))
        name = str(config.get("metric_name") or config.get("evaluation_description") or "score")
        names[identity] = name
        if config.get("lower_is_better") is True:
            file.lower[name if identity else "score"] = None
        generation = object_of(result.get("generation_config"))
        file.settings |= object_of(generation.get("generation_args"))

    def metric(record: Record) -> str:
        return names.get(as_text(record.fields.get("evaluation_result_id")) or "none", "score")

    def sample(fields: Mapping[str, Any]) -> list[Any]:
        return [fields.get(name) for name in ("model_id", "evaluation_name", "sample_id")]

    for parts in _joined(file.records, sample, metric):
        first = next(iter(parts.values()))
        scores = {name: object_of(record.fields.get("evaluation")).get("score")
                  for name, record in parts.items()}  # fmt: skip
        yield Record(first.place, {**first.fields, "scores": scores})


# Agents


def tau_output(record: Mapping[str, Any]) -> Any:
    """Return what was said last."""
    return (list_of(record.get("traj")) or [{}])[-1].get("content")


def harbor_job(path: str) -> str:
    """Return the folder of the job that a trial is part of."""
    return str(Path(path).resolve().parents[1])


def harbor_system(record: Mapping[str, Any]) -> str:
    """Return the agent with its model."""
    agent = object_of(record.get("agent_info"))
    model = as_text(object_of(agent.get("model_info")).get("name"))
    name = as_text(agent.get("name"))
    return f"{name} ({model.rpartition('/')[2]})" if model else name


def harbor_error(record: Mapping[str, Any]) -> str:
    """Return why a trial has no reward; an agent that ran out of time has one, which counts."""
    if object_of(object_of(record.get("verifier_result")).get("rewards")):
        return ""
    error = object_of(record.get("exception_info"))
    return as_text(error.get("exception_message") or error.get("exception_type") or "no reward")


# Translation


def is_comet(head: Head) -> bool:
    """Return whether this is a JSON object of lists of segments with a score of COMET."""
    start = re.match(r'\{\s*"[^"]*"\s*:\s*\[\s*\{', head.text.lstrip())
    return start is not None and re.search(r'"mt"\s*:.*?"COMET"\s*:', head.text, re.S) is not None


def comet(file: Opened) -> Iterator[Record]:
    """Yield the segments of all systems, which are called by the files of their translations."""
    stems = {Path(path).stem for path in file.top}
    for path, segments in file.top.items():
        system = Path(path).stem if len(stems) == len(file.top) else path
        for number_, record in enumerate(file.listed(segments, path), 1):
            yield Record(record.place, {**record.fields, "system": system, "segment": number_})


_SEGMENT: Final = re.compile(r"\S+[ \t]+(-?[\d.]+(e-?\d+)?|None|nan)\s*", re.IGNORECASE)


def is_segment_scores(head: Head) -> bool:
    """Return whether this is called `NAME.seg.score`, and has a system and a score a line."""
    named = unpacked_name(head.path).endswith(".seg.score")
    return named and all(_SEGMENT.fullmatch(line) for line in head.filled_lines(5))


def segment_scores(file: Opened) -> Iterator[Record]:
    """Yield the segments of all systems, in blocks, in the order of the test set."""
    name = Path(unpacked_name(file.path)).name.removesuffix(".seg.score") or "score"
    numbers = Counter[str]()
    with open_text(file.path) as stream:
        for line_no, line in enumerate(stream, 1):
            place, cells = f"{shown(file.path)}:{line_no}", line.split()
            if len(cells) != 2:
                raise DataError(f"{place}: this is no system and score; write one a line")
            numbers[cells[0]] += 1
            score = None if cells[1] == "None" else cells[1]
            yield Record(place, {
                "system": cells[0], "segment": numbers[cells[0]], "scores": {name: score},
            })  # fmt: skip

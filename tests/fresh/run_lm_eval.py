"""Run small tasks in lm-eval with two fake models; the folder for its files is the argument.

It runs in a Python of its own, which has `lm_eval`.
"""

import json
import random
import sys
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

ITEMS = 20

CHOICE = """
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_target: answer
doc_to_choice: [A, B, C]
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
"""
LAST_WORD = """
task: lastword
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: loglikelihood
doc_to_text: "{{{{question}}}}"
doc_to_target: " {{{{word}}}}"
metric_list:
  - {{metric: perplexity, aggregation: perplexity, higher_is_better: false}}
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
"""
TEXT = """
task: wholetext
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{{{question}}}}"
metric_list:
  - metric: word_perplexity
  - metric: bits_per_byte
"""
SUMS = """
task: sums
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{word}}}}"
generation_kwargs: {{until: ["."]}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
filter_list:
  - name: strict
    filter: [{{function: regex, regex_pattern: "is (w[0-9]+)"}}, {{function: take_first}}]
  - name: loose
    filter: [{{function: regex, regex_pattern: "(w[0-9]+)"}}, {{function: take_first}}]
"""
GROUP = """
group: choices
task: [choice_one, choice_two]
aggregate_metric_list:
  - {metric: acc, weight_by_size: true}
"""


class Fake(LM):
    """A model that knows answers with a certain chance, whatever the order of requests."""

    def __init__(self, name, skill):
        """Name the model, and say how much it knows."""
        super().__init__()
        self.name, self.skill = name, skill

    def _chance(self, text):
        return random.Random(self.name + text)

    def loglikelihood(self, requests, **_):
        """Return a log-likelihood for each continuation, and whether it is the likeliest."""
        found = []
        for request in requests:
            chance = self._chance("".join(request.args))
            value = -chance.uniform(0.1, 5 - 3 * self.skill)
            found.append((value, chance.random() < self.skill))
        return found

    def loglikelihood_rolling(self, requests, **_):
        """Return the log-likelihood of each text."""
        return [
            -self._chance(request.args[0]).uniform(5, 30 - 20 * self.skill) for request in requests
        ]

    def generate_until(self, requests, **_):
        """Return an answer to each question."""
        found = []
        for request in requests:
            chance, number = self._chance(request.args[0]), request.args[0].split()[-1]
            word = f"w{number}" if chance.random() < self.skill else "w0"
            found.append(f"{'it is' if chance.random() < 0.8 else 'so:'} {word}")
        return found


def tasks(folder):
    """Write the tasks and their data into a folder."""
    folder.mkdir(parents=True)
    for name, items in (("choice_one", ITEMS), ("choice_two", ITEMS // 2), ("words", ITEMS)):
        rows = [
            {"question": f"[{name}] question {k}", "answer": k % 3, "word": f"w{k}"}
            for k in range(items)
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("choice_one", "choice_two"):
        text = CHOICE.format(task=name, data=folder / f"{name}.jsonl")
        (folder / f"{name}.yaml").write_text(text)
    for name, text in (("lastword", LAST_WORD), ("wholetext", TEXT), ("sums", SUMS)):
        (folder / f"{name}.yaml").write_text(text.format(data=folder / "words.jsonl"))
    (folder / "choices.yaml").write_text(GROUP)


if __name__ == "__main__":
    out = Path(sys.argv[1]).resolve()
    tasks(out / "tasks")
    for name, skill in (("alder", 0.4), ("birch", 0.8)):
        tracker = EvaluationTracker(output_path=str(out / "runs"))
        results = simple_evaluate(
            model=Fake(name, skill),
            tasks=["choices", "lastword", "wholetext", "sums"],
            task_manager=TaskManager(include_path=str(out / "tasks"), include_defaults=False),
            log_samples=True,
            bootstrap_iters=0,
        )
        samples = results.pop("samples")
        tracker.general_config_tracker.model_name = f"org/{name}"
        tracker.general_config_tracker.model_name_sanitized = f"org__{name}"
        tracker.save_results_aggregated(results=results, samples=samples)
        for task in samples:
            tracker.save_results_samples(task_name=task, samples=samples[task])

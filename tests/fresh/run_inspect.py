"""Run a small eval-set of Inspect with two fake models; the folder for the logs is the argument.

In the folder `retried` beside it, a run failed and was tried again, and another has failed samples.
It runs in a Python of its own, which has `inspect_ai`.
"""

import random
import sys
from pathlib import Path

from inspect_ai import Task, eval, eval_retry, eval_set, task  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate

ITEMS = 20
STATE = {"broken": False}
SKILLS = {"alder": 0.5, "birch": 0.7}


def questions(name):
    """Return sums, with the passage that each belongs to."""
    return [
        Sample(
            id=f"{name}-{k}",
            input=f"[{name}] What is {k} + {k}?",
            target=str(2 * k),
            metadata={"passage": f"P{k // 4}"},
        )
        for k in range(ITEMS)
    ]


@task
def sums():
    """Ask for sums, once each."""
    return Task(dataset=questions("sums"), solver=generate(), scorer=[match(), includes()])


@task
def again():
    """Ask for sums, three times each."""
    return Task(dataset=questions("again"), solver=generate(), scorer=match(), epochs=3)


@task
def broken():
    """Ask for sums, of which the model cannot answer one while it is broken."""
    return Task(dataset=questions("broken"), solver=generate(), scorer=match())


@modelapi(name="fake")
class Fake(ModelAPI):
    """A model that is right with a certain chance, whatever the order of questions."""

    async def generate(self, input, tools, tool_choice, config):  # noqa: A002, ARG002
        """Return the answer to the last message."""
        text = input[-1].text
        number = int(text.split()[-1].rstrip("?"))
        if STATE["broken"] and number == 7:
            raise RuntimeError("no answer")
        right = random.Random(self.model_name + text).random() < SKILLS[self.model_name]
        return ModelOutput.from_content(self.model_name, str(2 * number + (not right)))

    async def count_text_tokens(self, text):
        """Return about how many tokens a text has; other models ask the network."""
        return len(text) // 4


if __name__ == "__main__":
    done, _ = eval_set(
        [sums(), again()],
        log_dir=sys.argv[1],
        model=[f"fake/{name}" for name in SKILLS],
        display="none",
    )
    STATE["broken"] = True
    retried = {"log_dir": str(Path(sys.argv[1]).with_name("retried")), "display": "none"}
    first = eval(broken(), model="fake/alder", **retried)
    eval(broken(), model="fake/birch", fail_on_error=False, **retried)
    STATE["broken"] = False
    eval_retry(first, **retried)
    sys.exit(not done)

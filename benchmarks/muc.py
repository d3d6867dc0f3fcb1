"""Template scoring: how time grows with the number of messages, and all systems of a test set.

Without the shared data only made-up templates are timed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import best, goal, heading, line
from tellapart.formats.templates.design import Design, load_design
from tellapart.formats.templates.evaluation import read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.report import render

SIZES = (100, 1_000, 10_000)
DATA = Path(os.environ.get("TELLAPART_DATA", Path(__file__).parents[2] / "shared" / "data"))


def templates(design: Design, messages: int, seed: int) -> str:
    """Make up two templates per message, with a few fills in most slots."""
    rng = random.Random(seed)
    words = [f'"{rng.choice("ABCDEFG")}{i} GROUP"' for i in range(40)]
    blocks = []
    for message in range(messages):
        for number in (1, 2):
            given = {"message-id": f"M{message:05}", "template-id": str(number)}
            lines = []
            for slot in design.slots:
                fills = [given[slot.name]] if slot.name in given else ["-"]
                if slot.kind == "string":
                    fills = rng.sample(words, rng.randint(1, 3))
                elif slot.name == "inc-type":
                    fills = [rng.choice(["ATTACK", "BOMBING"])]
                lines += [f"{slot.prefix:<35}{fills[0]}", *(" " * 35 + fill for fill in fills[1:])]
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def repeated(text: str, times: int) -> str:
    """Repeat real templates under new message ids."""
    return "".join(text.replace("TST3-MUC4-", f"TST3-MUC4-{i:02}") for i in range(times))


def scored(key: str, response: str) -> int:
    evaluation = read_evaluation(key, [response], TemplateOptions())
    return sum(len(render(run)) for run in evaluation.score().values())


def growth(make: dict[str, tuple[str, str]], folder: str) -> None:
    """Time reading, scoring and reporting one system, for growing numbers of messages."""
    times = []
    for size, (key, response) in make.items():
        paths = Path(folder, "key.txt"), Path(folder, "response.txt")
        for path, text in zip(paths, (key, response), strict=True):
            path.write_text(text, encoding="latin-1")
        times.append(best(partial(scored, *map(str, paths)), 1))
        line(f"{size} messages", times[-1])
    goal("time for a hundred times the messages", times[-1] / times[0], 150, " ×")


def run() -> None:
    design = load_design()
    with TemporaryDirectory() as folder:
        heading("one system, made-up templates, two per message")
        growth(
            {f"{n:,}": (templates(design, n, 0), templates(design, n, 1)) for n in SIZES}, folder
        )
        if not (DATA / "muc4").is_dir():
            return
        tst3 = DATA / "muc4" / "tst3"
        key, ge = (
            (tst3 / name).read_text(encoding="latin-1") for name in ("key.txt", "responses/GE.txt")
        )
        heading("GE on the 100 messages of TST3, repeated under new ids")
        growth({f"{n:,}": (repeated(key, n // 100), repeated(ge, n // 100)) for n in SIZES}, folder)
        official(tst3)


def official(tst3: Path) -> None:
    """Time all systems of the official test, as users call it."""
    heading("the 17 systems of TST3, from the command line, start of Python included")
    history, replay = (str(tst3 / name) for name in ("history.txt", "replay.json"))
    responses = sorted(map(str, (tst3 / "responses").glob("*.txt")))
    base = ["score", "--as", "muc", "--gold", str(tst3 / "key.txt"), "--history", history]
    with TemporaryDirectory() as folder:
        reports = ["--report-dir", folder]
        static = best(lambda: _tellapart(*base, *responses, *reports), 2)
        line("static", static)
        replayed = best(lambda: _tellapart(*base, "--replay", replay, *responses, *reports), 2)
        line("replay", replayed)
        one = best(lambda: _tellapart(*base, responses[0], *reports), 2)
        line("one system, static", one)
    goal("17 systems", max(static, replayed), 5, " s")
    goal("one system", one, 1, " s")


def _tellapart(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "tellapart", *arguments], check=True, capture_output=True)

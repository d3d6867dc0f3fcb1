"""People who decide, are killed amid it, and begin again: the real program, driven by pipes."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from muc_files import attack, write

_ASKED = re.compile(r"\n(M\d+)  hum-tgt-desc\n.*?\[\?\] > $", re.DOTALL)
_END = re.compile(r"\[enter\] end .*> $")


@dataclass(eq=False)
class Judge(threading.Thread):
    """Answers all questions about one response; killed after a random number of them."""

    key: str
    response: str
    history: str
    kills: int
    most: int
    """How many questions are answered at most before one is killed"""
    seed: int
    acknowledged: dict[str, str] = field(default_factory=dict)
    """What was typed about each message, where the program went on to the next question"""
    asked_again: list[str] = field(default_factory=list)
    problem: str = ""

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.random = random.Random(self.seed)

    def run(self) -> None:
        """Sit down again and again, until nothing is open."""
        try:
            while not self._sitting():
                self.kills -= 1
        except Exception as problem:
            self.problem = f"{type(problem).__name__}: {problem}"

    def _sitting(self) -> bool:
        arguments = ["adjudicate", "--gold", self.key, "--history", self.history, self.response]
        process = subprocess.Popen(
            [sys.executable, "-m", "tellapart", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
        )  # fmt: skip
        left = self.random.randint(1, self.most) if self.kills > 0 else None
        try:
            return self._answer(process, left)
        finally:
            process.kill()
            process.wait(60)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    def _answer(self, process: subprocess.Popen[bytes], left: int | None) -> bool:
        """Return whether all was answered; False if the time to be killed has come."""
        assert process.stdin is not None
        assert process.stdout is not None
        shown = typed = ""
        last = None
        while True:
            more = os.read(process.stdout.fileno(), 65536).decode()
            assert more, f"the program ended: {shown}"
            shown += more
            asked = _ASKED.search(shown)
            if not asked and not _END.search(shown):
                continue
            if last is not None:
                self.acknowledged[last] = typed
            if not asked:
                return True
            last, shown = asked[1], ""
            if last in self.acknowledged:
                self.asked_again.append(last)
            typed = self.random.choice(("m", "p", "x"))
            process.stdin.write(f"{typed}\n".encode())
            if left is not None:
                left -= 1
                if left == 0:
                    time.sleep(self.random.uniform(0, 0.03))
                    return False


def sit_down(folder: Path, history: str, messages: int, kills: int, seed: int) -> list[Judge]:
    """Let two people decide one after the other, each about a response, and return them."""
    names = [f"M{number:03}" for number in range(messages)]
    same = {"phys_tgt_id": '"BRIDGE"'}  # or the templates would not be paired
    key = write(folder, "key.txt", *(attack(n, hum_tgt_desc='"MEN"', **same) for n in names))
    judges = []
    for k, system in enumerate(("A", "B")):
        fills = (attack(name, hum_tgt_desc=f'"{system} {name}"', **same) for name in names)
        response = write(folder, f"{system}.txt", *fills)
        judges.append(Judge(key, response, history, kills, messages // (kills + 1), seed + k))
    for judge in judges:
        judge.start()
        judge.join(600)
        assert not judge.is_alive()
        assert not judge.problem, judge.problem
    return judges

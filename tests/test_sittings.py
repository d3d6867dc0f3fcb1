"""Sittings of several people at once, killed, on full disks, over the same question."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from decision_files import PLACE, T, fill, kept, opened, statuses
from judges import sit_down
from muc_files import DESIGN, attack, write
from tellapart.formats.templates.decisions import decide
from tellapart.formats.templates.history import Change, Pairing
from tellapart.formats.templates.questions import Question, Reply
from tellapart.formats.templates.scoring import Task
from tellapart.formats.templates.session import Action, Back, Decide, Repair, Session, Skip, State
from tellapart.formats.templates.muc_reader import read_templates

LONG = bool(os.environ.get("TELLAPART_LONG_TESTS"))


def test_two_people_who_are_killed_again_and_again_lose_nothing(where: str, tmp_path: Path) -> None:
    """Whatever was acknowledged is there as it was typed, none is lost, none appears twice."""
    messages, kills = (200, 20) if LONG else (60, 3)
    seed = random.randrange(10**6)  # pytest shows it where the test fails
    judges = sit_down(tmp_path, where, messages, kills, seed)
    history = kept(where)
    status = {"m": "match", "p": "partial", "x": "fail"}
    for judge, system in zip(judges, "AB", strict=True):
        assert judge.kills == 0
        assert judge.asked_again == []
        assert len(judge.acknowledged) >= messages - kills
        for number in range(messages):
            name = f"M{number:03}"
            found = [
                entry.status
                for entry in history.at((name, "1", "hum-tgt-desc"))
                if entry.response == T(f'"{system} {name}"')
            ]
            assert len(found) == 1, name
            if name in judge.acknowledged:
                assert found == [status[judge.acknowledged[name]]], name
    assert sum(1 for _ in history.decisions()) == 2 * messages


class Script:
    """A person who does what a list says, and keeps what was shown."""

    def __init__(self, *actions: Action | Callable[[], Action]) -> None:
        self.actions = list(actions)
        self.asked: list[str] = []
        self.refused: list[str] = []
        self.states: list[tuple[int, int]] = []
        self.skipped: list[int] = []

    def ask(self, _: Task, question: Question, state: State) -> Action:
        """Do the next thing."""
        self.states.append((state.decided, state.open))
        self.asked.append(question.response.text)  # type: ignore[union-attr]
        return self._next()

    def finished(self, _: Sequence[Task], state: State) -> Action | None:
        """Do the next thing, if there is one."""
        self.skipped.append(state.open)
        return self._next() if self.actions else None

    def refuse(self, reason: str) -> None:
        """Keep what was refused."""
        self.refused.append(reason)

    def _next(self) -> Action:
        action = self.actions.pop(0)
        return action() if callable(action) else action


def sitting(folder: Path, where: str, person: Script) -> Session:
    """Prepare a sitting about three fills, with two key fills to match them with."""
    same = {"phys_tgt_id": '"BRIDGE"'}
    key = write(folder, "key.txt", attack(hum_tgt_desc=['"MEN"', '"WOMEN"'], **same))
    fills = ['"A"', '"B"', '"C"']
    response = write(folder, "GE.txt", attack(hum_tgt_desc=fills, **same))
    task = Task(DESIGN, read_templates(key, DESIGN), read_templates(response, DESIGN), "GE")
    return Session((task,), opened(where), person)


FAIL, MATCH = Decide(Reply("fail")), Decide(Reply("match", (0,)))


def meanwhile(
    where: str, change: Change, action: Action, who: str | None = "bob"
) -> Callable[[], Action]:
    """Let another sitting decide while a question is on the screen."""

    def act() -> Action:
        assert decide(opened(where, who), change)
        return action

    return act


def test_two_sittings_that_decide_the_same_question_otherwise(where: str, tmp_path: Path) -> None:
    """The first decision is kept, and the one who comes second is told what it is."""
    other = fill('"A"', "partial", '"WOMEN"')
    person = Script(meanwhile(where, other, FAIL), FAIL, FAIL)
    session = sitting(tmp_path, where, person)
    assert session.run()
    assert person.refused == [
        'another sitting has decided meanwhile: partial "WOMEN"; that is kept'
    ]
    assert person.asked == ['"A"', '"B"', '"C"']
    assert session.decisions == 2
    assert statuses(kept(where)) == {'"A"': "partial", '"B"': "fail", '"C"': "fail"}


def test_two_sittings_that_decide_the_same_question_alike(where: str, tmp_path: Path) -> None:
    person = Script(meanwhile(where, fill('"A"', "fail"), FAIL), FAIL, FAIL)
    session = sitting(tmp_path, where, person)
    assert session.run()
    assert person.refused == ["another sitting has decided the same meanwhile; that is kept"]
    assert session.decisions == 2
    assert statuses(kept(where)) == dict.fromkeys(('"A"', '"B"', '"C"'), "fail")


def test_what_others_decide_meanwhile_is_not_asked(where: str, tmp_path: Path) -> None:
    person = Script(meanwhile(where, fill('"B"', "fail"), FAIL), FAIL)
    assert sitting(tmp_path, where, person).run()
    assert person.asked == ['"A"', '"C"']


def test_going_back_takes_back_ones_own_decision_alone(where: str, tmp_path: Path) -> None:
    person = Script(FAIL, meanwhile(where, fill('"C"', "fail"), Back()), MATCH, FAIL)
    assert sitting(tmp_path, where, person).run()
    assert person.asked == ['"A"', '"B"', '"A"', '"B"']
    assert statuses(kept(where)) == {'"C"': "fail", '"A"': "match", '"B"': "fail"}


def test_going_back_to_what_another_has_replaced_is_refused(where: str, tmp_path: Path) -> None:
    def replaced() -> Action:
        mine, theirs = fill('"A"', "fail"), fill('"A"', "match", '"MEN"')
        assert decide(opened(where, "bob"), Change(mine.subject, mine.after, theirs.after))
        return Back()

    person = Script(FAIL, replaced, Back(), FAIL, FAIL)
    session = sitting(tmp_path, where, person)
    assert session.run()
    assert person.refused == [
        'another sitting has decided meanwhile: match "MEN"; that is not yours to take back',
        "there is nothing of yours to take back",
    ]
    assert session.decisions == 2
    assert statuses(kept(where)) == {'"A"': "match", '"B"': "fail", '"C"': "fail"}


def test_nothing_is_open_only_if_that_is_true(where: str, tmp_path: Path) -> None:
    person = Script(Skip(), FAIL, Skip())
    assert sitting(tmp_path, where, person).run()
    assert person.skipped == [2]
    person = Script(FAIL, FAIL)
    assert sitting(tmp_path, where, person).run()
    assert person.skipped == [0]


def test_what_others_reopen_is_asked_again_before_the_end(where: str, tmp_path: Path) -> None:
    mine = fill('"A"', "fail")
    person = Script(FAIL, FAIL, meanwhile(where, mine.undone(), MATCH, None), MATCH)
    assert sitting(tmp_path, where, person).run()
    assert person.asked == ['"A"', '"B"', '"C"', '"A"']
    assert person.skipped == [0]


def test_a_pairing_of_two_sittings(where: str, tmp_path: Path) -> None:
    subject = Pairing("M1", "GE")
    pairs = (("1", None), (None, "1"))
    change = Change(subject, None, pairs)
    person = Script(meanwhile(where, change, Repair("GE", "M1", (("1", "1"),))), FAIL, FAIL, FAIL)
    sitting(tmp_path, where, person).run()
    assert person.refused == ["another sitting has decided meanwhile: 1- -1; that is kept"]
    assert kept(where).pairing("M1", "GE") == pairs


def test_a_kill_at_every_line_of_a_write(where: str) -> None:
    """A decision is there or not, and no other is lost; the next sitting makes it or finds it."""
    script = str(Path(__file__).with_name("killed_deciders.py"))
    path = os.pathsep.join(sys.path)
    found = subprocess.run(
        [sys.executable, script, where, "1" if LONG or where.endswith(".txt") else "5"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    lines, made = map(int, found.stdout.split())
    assert 1 < made < lines  # some were killed before the decision was there, some after


def told(where: str, folder: Path, typed: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a sitting in which all is typed beforehand."""
    sitting(folder, where, Script())  # writes the files
    words = ["adjudicate", "--gold", "key.txt", "--history", where, "GE.txt"]
    return subprocess.run(
        [sys.executable, "-m", "tellapart", *words], cwd=folder, input=typed, capture_output=True,
        text=True, timeout=120, **how,
    )  # fmt: skip


def test_a_decision_that_a_full_disk_does_not_take(where: str, tmp_path: Path) -> None:
    """It is refused in a sentence and asked again; what was decided before is as it was."""
    resource = pytest.importorskip("resource")
    decide(opened(where), fill('"C"', "fail"))
    found = told(
        where, tmp_path, "x\nx\nq\n",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("not done: ") == 2
    assert found.stdout.count("cannot be written (") == 2
    assert found.stdout.count("make room") == 2
    assert found.stdout.endswith(f"stopped: 0 decisions of this sitting in {where}\n")
    assert found.stderr == ""
    assert statuses(kept(where)) == {'"C"': "fail"}
    assert "2 decisions" in told(where, tmp_path, "x\nx\nq\n").stdout


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root is anybody")
def test_decisions_that_may_only_be_read(where: str, tmp_path: Path) -> None:
    """Whoever may not write is told before any question, and may still score."""
    decide(opened(where), fill('"C"', "match", '"MEN"'))
    sitting(tmp_path, where, Script())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(tmp_path, folder, dirs_exist_ok=True)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        code = f"""
import os, sys
import tellapart.formats.templates.muc_format, tellapart.formats.templates.counts, tellapart.formats.plain_report
import tellapart.formats.templates.report, tellapart.verbs.score, tellapart.verbs.adjudicate
import tellapart.formats.templates.session, tellapart.formats.templates.dialogue
from tellapart.cli import main
main(["score", "--as", "muc", "--gold", {str(tmp_path / "key.txt")!r}, "--history", {where!r},
      {str(tmp_path / "GE.txt")!r}])
os.setgid(65534); os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""
        history = str(folder / Path(where).name)

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", code, *words], cwd=folder, input="x\n",
                capture_output=True, text=True, timeout=120,
            )  # fmt: skip

        refused = run("adjudicate", "--gold", "key.txt", "--history", history, "GE.txt")
        assert refused.returncode == 2, refused.stderr
        assert "not yours to write" in refused.stderr
        assert "[m]atch" not in refused.stdout
        scored = run("score", "--as", "muc", "--gold", "key.txt", "--history", history, "GE.txt")
        assert scored.returncode == 0, scored.stderr
        half = len(scored.stdout) // 2
        assert scored.stdout[:half] == scored.stdout[half:]  # as root, and as nobody
        assert not {*map(str, folder.rglob("*-wal"))}


def test_an_interrupt_waits_until_a_decision_is_kept_and_counted(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said of an interrupted sitting is true: as many decisions as are on disk."""
    session = sitting(tmp_path, where, Script(FAIL, FAIL))
    write_as_ever = type(session.store).write

    def interrupted(store: Any, plan: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        write_as_ever(store, plan)

    monkeypatch.setattr(type(session.store), "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.run()
    assert session.decisions == 1
    assert statuses(kept(where)) == {'"A"': "fail"}


@pytest.mark.parametrize(
    "typed", ["m ²", "m ٣", f"m {'9' * 5000}", "m 0", "m -1", "m 1e0", "\0", "ß"]
)
def test_anything_may_be_typed(tmp_path: Path, typed: str) -> None:
    found = told(str(tmp_path / "history.txt"), tmp_path, f"{typed}\nx\nq\n")
    assert found.returncode == 0, found.stderr
    assert ("numbered 1 to 2" in found.stdout) == typed.startswith("m")
    assert "stopped: 1 decision " in found.stdout


def test_a_number_twice_is_one_key_fill(tmp_path: Path) -> None:
    where = str(tmp_path / "history.txt")
    told(where, tmp_path, "m 1 01 1\nq\n")
    (entry,) = kept(where).at(PLACE)
    assert entry.keys == (T('"MEN"'),)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_any_terminal_will_do(tmp_path: Path, encoding: str) -> None:
    """Bytes that are no text are no decision, and what it cannot show is shown otherwise."""
    same = {"phys_tgt_id": '"BRIDGE"'}
    write(tmp_path, "key.txt", attack(hum_tgt_desc='"CAF\xc9"', **same))
    write(tmp_path, "GE.txt", attack(hum_tgt_desc='"\x1b[2J\x9b1M"', **same))
    words = ["adjudicate", "--gold", "key.txt", "--history", "history.txt", "模=GE.txt"]
    found = subprocess.run(
        [sys.executable, "-m", "tellapart", *words], cwd=tmp_path, input=b"\xff\xfe\nr\n1-1\nx\n",
        capture_output=True, timeout=120, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert b"is no decision" in found.stdout
    assert b"\x1b" not in found.stdout
    assert "\x9b" not in found.stdout.decode(encoding)
    history = kept(str(tmp_path / "history.txt"))
    assert history.pairing("M1", "模") == (("1", "1"),)
    assert [entry.status for entry in history.at(PLACE)] == ["fail"]


def test_no_input_at_all_ends_the_sitting(tmp_path: Path) -> None:
    where = str(tmp_path / "history.txt")
    sitting(tmp_path, where, Script())
    words = ["adjudicate", "--gold", "key.txt", "--history", where, "GE.txt"]
    code = "import os, sys; os.close(0); os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", code, sys.executable, "-m", "tellapart", *words]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert "stopped: 0 decisions" in found.stdout

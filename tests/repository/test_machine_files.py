"""The files for contributors and machines: they parse, agree, and call only what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load((ROOT / name).read_text())
    return found


def commands(workflow: dict[Any, Any]) -> list[str]:
    """Return every command that a workflow runs, and what it tests wheels with."""
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    found = [line for step in steps for line in step.get("run", "").splitlines()]
    return found + [step["env"]["CIBW_TEST_COMMAND"] for step in steps if "env" in step]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_workflows_call_what_there_is(path: Path) -> None:
    workflow = read(str(path.relative_to(ROOT)))
    assert workflow["name"] == path.stem
    assert True in workflow  # `on:`, which YAML reads as a truth value
    found = commands(workflow)
    assert found
    for command in found:
        program, *words = command.split()
        if program == "make":
            assert {word for word in words if "=" not in word} <= make_targets()
        elif program == "tellapart":
            assert "tellapart" in PROJECT["scripts"]
            assert (ROOT / "src" / "tellapart" / "verbs" / f"{words[0]}.py").is_file()
        else:
            assert program == "pipx"


def test_actions_are_pinned_and_may_do_little() -> None:
    """A tag can be moved to another commit, and a token that may write can be stolen."""
    for path in (*WORKFLOWS, ROOT / "action.yml"):
        for used in re.findall(r"uses: (.*)", path.read_text()):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+", used), (path, used)
    for path in WORKFLOWS:
        may = read(str(path.relative_to(ROOT)))["permissions"]
        proof = {"id-token": "write", "attestations": "write"} if path.stem == "wheels" else {}
        assert may == {"contents": "read", **proof}


def test_the_action_installs_the_checkout_that_it_comes_from() -> None:
    """The name of a package, or of an organisation, may be somebody else's."""
    steps = read("action.yml")["runs"]["steps"]
    (install,) = (step for step in steps if "pip install" in step.get("run", ""))
    assert install["env"] == {"CHECKOUT": "${{ github.action_path }}"}
    asked = re.search(r'pip install --quiet "\$CHECKOUT\[([\w,]+)\]"$', install["run"])
    assert asked is not None
    assert set(asked[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_hook_of_pre_commit_calls_a_verb() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, verb = hook["entry"].split()
    assert program in PROJECT["scripts"]
    assert (ROOT / "src" / "tellapart" / "verbs" / f"{verb}.py").is_file()


def test_versions_for_development_are_locked() -> None:
    """All that the tests ask for has one version, from no place in particular."""
    lock = (ROOT / "requirements-dev.txt").read_text()
    lines = lock.splitlines()
    assert all(re.match(r"[a-z0-9-]+(\[\w+\])?==[\w.+]+( ; |$)", line) for line in lines)
    locked = {line.partition("==")[0] for line in lines}
    asked = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
    names = {re.match(r"[\w.-]+", each)[0].lower().replace("_", "-") for each in asked}  # type: ignore[index]
    assert names - {"tellapart"} <= locked


def test_lowest_versions_are_named_and_tested() -> None:
    """Every dependency names its lowest version, and the workflow tries these and the newest."""
    extras = [each for some in PROJECT["optional-dependencies"].values() for each in some]
    for each in [*PROJECT["dependencies"], *extras]:
        assert each.startswith("tellapart[") or re.match(
            r"[\w.-]+(\[[\w,]+\])?>=[\d.]+(,<\d+)?(;|$)", each
        ), each
    jobs = read(".github/workflows/tests.yml")["jobs"]
    for job in ("lowest", "newest"):
        assert jobs[job]["steps"][-1]["run"].endswith(f"test-{job}")


def test_no_pickle_is_read() -> None:
    """As SECURITY.md says: nothing in the package loads pickles or runs text as a program.

    One process of ours is told what to do by another one, and answers by JSON.
    """
    forbidden = re.compile(r"pickle\.loads?\(|allow_pickle=True|(?<![\w.])(?:eval|exec)\(")
    for path in (ROOT / "src" / "tellapart").rglob("*.py"):
        program = path.read_text(encoding="utf-8")
        if path.name == "own_process.py":
            program = program.replace("pickle.load(sys.stdin.buffer)", "")
        assert not forbidden.search(program), path


def drawn(picture: ElementTree.Element) -> tuple[str, set[str]]:
    """Return the layers and the arcs of a picture."""
    arcs = {each.attrib["data-imports"] for each in picture.iter() if "data-imports" in each.attrib}
    return picture.attrib["data-layers"], arcs


def test_layers_and_arcs_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    from draw_architecture import picture

    saved = ElementTree.parse(ROOT / "docs" / "img" / "architecture.svg").getroot()
    again = "draw it again: python tools/draw_architecture.py"
    assert drawn(saved) == drawn(ElementTree.fromstring(picture())), again

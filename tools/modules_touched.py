"""Count the modules that a command line runs through, and the frames from a count to a p-value.

Use: python tools/modules_touched.py [--list] [compare quiz.csv --cluster passage]

A module is run through if one of its functions is called once the command line is parsed: what a
reader must follow to understand that command. What is only imported costs time, not understanding.

Frames are the functions of tellapart on the call stack, from `tellapart.compare` down to the one
that first returns the p-value of the pair (as a number, or inside of what it returns): how deep a
reader must go to see where a p comes from. `--list` names them. The deepest stack before that is
counted too: what draws or adds up for the p may lie deeper than what returns it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

PACKAGE = "tellapart"
CORE = ("counts", "metrics", "stats", "comparison", "report")
FOLDERS = tuple(f"{PACKAGE}.{folder}." for folder in CORE)
Hook = Callable[[FrameType, str, Any], None]
T = TypeVar("T")

QUESTIONS = (
    ("right or wrong", "auto"),
    ("f1", "auto"),
    ("f1", "exact"),
    ("f1", "shuffle"),
    ("f1", "bootstrap"),
    ("right or wrong", "t"),
    ("right or wrong", "mcnemar"),
)
"""Metric and test of each row of the table of frames"""


def _function_of_package(frame: FrameType) -> str | None:
    """Return module and name of a frame's function, if it is one that somebody wrote for us."""
    code, module = frame.f_code, str(frame.f_globals.get("__name__"))
    # Class bodies, and the methods that dataclasses write, are no code that anybody reads.
    in_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_filename.startswith("<")
    while_importing = code.co_qualname.startswith("<")  # a comprehension of the module itself
    if not in_function or while_importing or module.partition(".")[0] != PACKAGE:
        return None
    return f"{module}.{code.co_qualname}"


def _with_profile(hook: Hook, call: Callable[[], T]) -> T:
    """Return what a function returns; Python reports all calls below it to the hook."""
    threading.setprofile(hook)
    sys.setprofile(hook)
    try:
        return call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def modules_run_through(command: list[str]) -> set[str]:
    """Run a command line in this process, and return the modules that it runs through."""
    from tellapart.cli import main

    modules: set[str] = set()

    def note_module(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or _function_of_package(frame) is None:
            return
        module = str(frame.f_globals["__name__"])
        starts = module.startswith(f"{PACKAGE}.verbs.") and frame.f_code.co_name == "run"
        if modules or starts:
            modules.add(module)

    with contextlib.redirect_stdout(io.StringIO()):
        status = _with_profile(note_module, lambda: main(command))
    if status not in (0, 1):
        raise SystemExit(status)
    if not modules:
        raise SystemExit(f"no module was seen: is there no {PACKAGE}.verbs any more?")
    return modules


@dataclasses.dataclass(frozen=True, slots=True)
class Frames:
    """The functions down to the one that first returns a p-value, and the deepest stack by then."""

    chain: list[str]
    deepest: int


def frames_to_p(counts: Any, metric: str, test: str) -> Frames:
    """Return the functions on the stack, `compare` first, when the p of a pair is first returned.

    The comparison is made twice: only then is it known which number to look for.
    """
    import tellapart as ta

    def compare() -> float:
        # One worker: a thread of a pool would have a stack of its own.
        result = ta.compare(counts, metrics=[metric], test=test, intervals=False, workers=1)
        p = result.pair("A", "B").p
        assert p is not None
        return p

    p = compare()
    outermost = inspect.unwrap(ta.compare).__code__
    chain: list[str] = []
    deepest = 0

    def note_p(frame: FrameType, event: str, returned: Any) -> None:
        nonlocal chain, deepest
        if chain or event != "return" or _function_of_package(frame) is None:
            return
        callers = _callers(frame, outermost)
        deepest = max(deepest, len(callers))
        if _holds(returned, p):
            chain = callers[::-1]

    _with_profile(note_p, compare)
    return Frames(chain, deepest)


def _holds(value: Any, p: float, depth: int = 3) -> bool:
    """Tell whether a value is a number, or has it among its items or fields."""
    if isinstance(value, float):
        return value == p
    if depth == 0:
        return False
    if isinstance(value, dict):
        value = list(value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        value = [getattr(value, name, None) for name in names]
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return any(_holds(item, p, depth - 1) for item in value)
    return isinstance(value, float) and value == p


def _callers(frame: FrameType, outermost: Any) -> list[str]:
    """Return a frame's function and the package's functions that called it, up to the outermost."""
    functions: list[str] = []
    caller: FrameType | None = frame
    while caller is not None:
        name = _function_of_package(caller)
        # Comprehensions have frames of their own in Python 3.11.
        if name is not None and not name.endswith(("comp>", "genexpr>")):
            functions.append(name)
        if caller.f_code is outermost:
            return functions
        caller = caller.f_back
    return []  # outside of the comparison


def example_counts() -> dict[str, Any]:
    """Return two systems on 20 items for each metric of the table; no p of theirs is round."""
    from tellapart import Counts

    right = {"A": [1] * 15 + [0] * 5, "B": [1] * 6 + [0] * 12 + [1] * 2}
    tp, fp, fn = [2, 1, 3, 0, 2] * 4, [1, 0, 2, 1, 0] * 4, [0, 1, 1, 2, 0] * 4
    matched = {
        "A": list(zip(tp, fp, fn, strict=True)),
        "B": [
            (max(t - k % 3, 0), f + k % 2, n + 1) if k % 5 else (t + 1, f, n)
            for k, (t, f, n) in enumerate(zip(tp, fp, fn, strict=True))
        ],
    }
    return {
        "right or wrong": Counts.from_arrays(right),
        "f1": Counts.from_arrays(matched, columns=["tp", "fp", "fn"]),
    }


def print_frames(listed: bool) -> None:
    """Print the table of frames; if asked to, with the functions of each row."""
    counts = example_counts()
    print(f"{'metric':14}  {'test':9}  frames  deepest  p first returned by")
    for metric, test in QUESTIONS:
        found = frames_to_p(counts[metric], "f1" if metric == "f1" else "mean", test)
        row = f"{metric:14}  {test:9}  {len(found.chain):6}  {found.deepest:7}  {found.chain[-1]}"
        print(row)
        if listed:
            print("".join(f"    {name}\n" for name in found.chain), end="")


def main(arguments: list[str]) -> None:
    """Print both counts; without a command line, the frames alone."""
    listed = arguments[:1] == ["--list"]
    command = arguments[1:] if listed else arguments
    if command:
        modules = modules_run_through(command)
        if listed:
            print("\n".join(sorted(modules)))
        imported = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
        core = sum(module.startswith(FOLDERS) for module in modules)
        print(
            f"{len(modules)} modules run through, {core} of them in {', '.join(CORE)}; "
            f"{len(imported)} imported\n"
        )
    print_frames(listed)


if __name__ == "__main__":
    main(sys.argv[1:])

"""A plug-in for pytest: the fixture `assert_no_worse` holds a new run against the last one.

    def test_quality(assert_no_worse):
        assert_no_worse("baseline.jsonl", "new.jsonl", margin=0.01)

pytest finds it by itself where tellapart is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tellapart.result import Result

Run = str | Path | Mapping[str, float] | Sequence[float]
"""A file or folder in any format, or the scores of items, by their names or in order"""


@pytest.fixture
def assert_no_worse() -> Callable[..., Result]:
    """Return the function that fails a test if a new run is worse than the old one."""
    return no_worse


def no_worse(old: Run, new: Run, **options: Any) -> Result:
    """Fail unless a new run is no worse than the old one; return the comparison.

    With a `margin`, a loss of so much or more must be ruled out; without one, the new run fails if
    it is shown to be worse. `cannot_tell` ("pass" or "fail") says what becomes of a check that
    cannot tell, `at_least` what the new run has to score. `options` are those of
    `tellapart.compare`, such as `margin`, `cluster` or `alpha`.

    >>> result = no_worse([1, 0, 1, 1], [1, 0, 1, 1])
    >>> result.pair("new", "old").difference
    0.0
    """
    __tracebackhide__ = True
    from tellapart.errors import TellapartError
    from tellapart.report.gate import failures
    from tellapart.result import compare

    try:
        result = compare(_both({"old": old, "new": new}), baseline="old", **options)
    except TellapartError as problem:
        pytest.fail(str(problem), pytrace=False)
    reasons = failures(result.record)
    if reasons:
        pytest.fail("\n".join([*reasons, "", str(result)]), pytrace=False)
    return result


def _both(runs: dict[str, Any]) -> Any:
    """Return two runs as `compare` takes them."""
    from tellapart.errors import UsageError

    if all(isinstance(run, str | Path) for run in runs.values()):
        return [f"{name}={run}" for name, run in runs.items()]
    if not any(isinstance(run, str | Path | Mapping) for run in runs.values()):
        return runs
    if not all(isinstance(run, Mapping) for run in runs.values()):
        raise UsageError("give both runs alike: two files, two dictionaries or two arrays")
    return [
        {"system": name, "item": item, "score": score}
        for name, run in runs.items()
        for item, score in run.items()
    ]

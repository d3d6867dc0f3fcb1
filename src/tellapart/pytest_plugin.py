"""A plug-in for pytest: the fixture `assert_no_worse` holds a new run against the last one.

    def test_quality(assert_no_worse):
        assert_no_worse("baseline.jsonl", "new.jsonl", margin=0.01)

pytest finds it by itself where tellapart is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.result import Result

Run: TypeAlias = "str | Path | Counts | Mapping[str, float] | Sequence[float]"
"""A file or folder in any format, counts of one system, or the scores of items"""


@pytest.fixture
def assert_no_worse() -> Callable[..., Result]:
    """Return the function that fails a test if a new run is worse than the old one."""
    return no_worse


def no_worse(
    old: Run, new: Run, *, metrics: str | Sequence[str] | None = None, **options: Any
) -> Result:
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
        counts = _both(old, new, metrics)
        result = compare(counts, metrics=metrics, baseline=counts.names[0], **options)
    except TellapartError as problem:
        pytest.fail(str(problem), pytrace=False)
    reasons = failures(result.record)
    if reasons:
        pytest.fail("\n".join([*reasons, "", str(result)]), pytrace=False)
    return result


def _both(old: Run, new: Run, metrics: str | Sequence[str] | None) -> Counts:
    """Return both runs as two systems, the old one first."""
    from datetime import date

    from tellapart.comparison.gate import accepted, against
    from tellapart.counts import Counts
    from tellapart.formats.reading import read

    if isinstance(old, str | Path) and isinstance(new, str | Path):
        # Together, so that their items are held against each other as compare does.
        return read([f"old={old}", f"new={new}"], metrics=metrics)
    if not any(isinstance(run, str | Path | Mapping | Counts) for run in (old, new)):
        return Counts.from_arrays({"old": old, "new": new})
    return against(accepted(_as_counts(old, "old"), date.min), _as_counts(new, "new"))


def _as_counts(run: Run, name: str) -> Counts:
    from dataclasses import replace

    from tellapart.counts import Counts
    from tellapart.errors import UsageError
    from tellapart.formats.reading import read

    if isinstance(run, Counts):
        if len(run.names) != 1:
            raise UsageError(f"the {name} run has {len(run.names)} systems; give the counts of one")
        return replace(run, names=(name,))
    if isinstance(run, str | Path):
        return read([f"{name}={run}"])
    if isinstance(run, Mapping):
        return Counts.from_arrays({name: list(run.values())}, items=list(map(str, run)))
    return Counts.from_arrays({name: run})

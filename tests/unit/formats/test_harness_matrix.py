"""No file of one harness is taken for another: every file against every format.

The files are the samples of all formats, and the shared ones, which the tools themselves wrote.
"""

from __future__ import annotations

import pytest

from format_samples import SAMPLES, SYSTEMS
from tellapart.formats.contract import Format
from tellapart.formats.head import SIZE, Head
from tellapart.formats.registry import format_of, formats

TABLES = format_of("items").name
"""Tables take what nobody else does: rows of anything may be one"""

MADE = [
    pytest.param(sample.form, path, data, id=f"{sample.form}: {path}")
    for sample in SAMPLES
    for path, data in sample.held("alder", SYSTEMS["alder"]).items()
    if not path.endswith((".parquet", "run_spec.json"))  # Parquet is told by its end
]


def _takers(head: Head) -> list[str]:
    """Return which formats recognise a file; tables only where no other does."""
    found = [each.name for each in formats() if each.recognises(head)]
    return [name for name in found if name != TABLES] or found


def _is_of_harness(kind: Format) -> bool:
    return kind.recognises.__module__.startswith(
        ("tellapart.formats.logs", "tellapart.formats.pre")
    )


@pytest.mark.parametrize(("form", "path", "data"), MADE)
def test_a_made_file_is_of_its_own_format_alone(form: str, path: str, data: bytes) -> None:
    """What a test makes is recognised by its own format, and by no harness else."""
    head = Head(path, data[:SIZE], len(data) <= SIZE)
    own = format_of(form)
    takers = _takers(head)
    if _is_of_harness(own):
        assert takers == [own.name]
    else:  # gold files and lists of words are recognised by nobody, or as gold
        assert set(takers) <= {own.name, TABLES}

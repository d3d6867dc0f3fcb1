"""Texts of very large logs, and values that cannot be what they are called."""

from __future__ import annotations

import pytest

import tellapart as ta
from log_files import document, samples_file
from table_files import Write
from tellapart.formats.logs import log


def test_texts_of_very_large_samples_are_not_kept(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, labels and what tells golds apart stay; prompts and answers go, and that is said."""
    write("unused", "")
    for name in ("alder", "birch"):
        rows = [
            document(
                d,
                acc=d % 2,
                doc={"q": f"{d}" * 90, "topic": f"t{d % 2}", "passage": f"{d // 4}" * 90},
                resps=[[f"{name}{d}"]],
            )
            for d in range(8)
        ]
        samples_file(name, "t", rows)
    whole = ta.read(["alder", "birch"])
    monkeypatch.setattr(log, "MAX_CHARACTERS", 0)
    counts = ta.read(["alder", "birch"])
    assert whole.texts is not None
    assert counts.texts is None
    assert {"topic", "passage"} <= set(counts.labels)
    assert counts.by("passage").sizes.tolist() == [4, 4]
    assert (counts.values == whole.values).all()
    assert {notice.code for notice in counts.notices} == {"texts-dropped"}

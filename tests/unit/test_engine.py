"""Which engine path is on, and that the choice is the user's."""

from __future__ import annotations

import shutil

import pytest

from tellapart import engine as path
from tellapart.errors import UsageError


def test_native_module_is_there_where_a_compiler_is() -> None:
    if not any(shutil.which(compiler) for compiler in ("c++", "g++", "clang++")):
        pytest.skip("no C++ compiler: the pure-Python package is the right one")
    assert path.native is not None
    assert path.available()[-1] == "numpy"


def test_the_path_is_the_one_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TELLAPART_PATH", raising=False)
    assert path.active() == path.available()[0]
    monkeypatch.setenv("TELLAPART_PATH", "numpy")
    assert (path.active(), path.describe()[:5]) == ("numpy", "NumPy")
    monkeypatch.setenv("TELLAPART_PATH", "gpu")
    with pytest.raises(UsageError, match="no engine path 'gpu'"):
        path.active()

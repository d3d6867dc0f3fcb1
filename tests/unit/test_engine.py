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


def test_using_a_path_lasts_as_long_as_its_block() -> None:
    before = path.active()
    with path.using("numpy"):
        assert path.active() == "numpy"
    assert path.active() == before
    with pytest.raises(UsageError, match="no engine path 'gpu'"), path.using("gpu"):
        pass

"""Run docs/notebook.ipynb in this process, and store what its cells show.

A notebook is JSON, and its cells are Python without magic: neither Jupyter nor a kernel is needed.
`python tools/run_notebook.py` writes the outputs; the tests run the cells and compare the words.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
_RICH = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with the outputs that its cells have, run in a folder of their own."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                outputs = _run("".join(cell["source"]), names, number)
                cell = {**cell, "execution_count": number, "outputs": outputs}
            cells.append(cell)
    return {**notebook, "cells": cells}


def _run(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the outputs of one cell: what it prints, and its last value."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        else:
            exec(compile(tree, "cell", "exec"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        shown = {mime: getattr(value, method)() for mime, method in _RICH.items()
                 if hasattr(value, method)}  # fmt: skip
        data = {"text/plain": repr(value), **shown}
        lines = {mime: text.splitlines(keepends=True) for mime, text in data.items()}
        outputs.append({"output_type": "execute_result", "execution_count": number,
                        "metadata": {}, "data": lines})  # fmt: skip
    return outputs


def main() -> None:
    """Run the notebook, and store its outputs."""
    os.environ.setdefault("COLUMNS", "80")
    found = executed(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    NOTEBOOK.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

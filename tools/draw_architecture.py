"""Draws docs/img/architecture.svg: the flow of data, and which folders import which.

The folders and their order are the layers in pyproject.toml; the arcs are the imports that grimp
finds in the code, lazy ones included. Run it after a change of either:
``python tools/draw_architecture.py``.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "img" / "architecture.svg"

FLOW = (
    ("formats", "read any file", "outputs + gold"),
    ("counts", "the one data model", "Counts"),
    ("metrics", "what items contribute", "columns"),
    ("stats", "p, intervals, power", "scores, terms"),
    ("comparison", "the record, the verdict", "p-values"),
    ("report", "words, tables, figures", "Comparison"),
)
"""The steps of the data: the folder, what it does, and what comes into it"""

STYLE = """
  svg { font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; font-size: 13px }
  .page { fill: #ffffff } text { fill: #1f2328 } .muted { fill: #59636e; font-size: 12px }
  .title { font-weight: 600; font-size: 15px } .folder { font-weight: 600 }
  .box { fill: #eef4fb; stroke: #7aa7d9 } .plain { fill: #f6f8fa; stroke: #c4cbd3 }
  .flow { stroke: #2f6fb5; stroke-width: 2.5; fill: none } .head { fill: #2f6fb5 }
  .arc { stroke: #2f6fb5; stroke-width: 1.4; fill: none; opacity: .55 } .dot { fill: #2f6fb5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .muted { fill: #9da7b3 }
    .box { fill: #15233a; stroke: #3d6ea8 } .plain { fill: #161b22; stroke: #3d444d }
    .flow, .arc { stroke: #6cb0ff } .head, .dot { fill: #6cb0ff }
  }
"""


def layers() -> list[list[str]]:
    """Return the folders by layer, the lowest first, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["type"] == "layers")
    rows = [[name.strip().removeprefix("tellapart.") for name in layer.split("|")]
            for layer in reversed(contract["layers"])]  # fmt: skip
    return [[name for name in row if name != "__main__"] for row in rows if row != ["__main__"]]


def is_folder(name: str) -> bool:
    """Return whether a layer is a package, and not a single module."""
    return name == "studies" or (ROOT / "src" / "tellapart" / name).is_dir()


def imports(folders: list[str]) -> set[tuple[str, str]]:
    """Return which folder imports which, by the code."""
    graph = grimp.build_graph("tellapart", "studies")
    found = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = (_folder(module), _folder(imported))
            if pair[0] != pair[1] and set(pair) <= set(folders):
                found.add(pair)
    return found


def _folder(module: str) -> str:
    first, _, rest = module.partition(".")
    return first if first == "studies" else rest.partition(".")[0]


def draw(order: list[list[str]], arrows: set[tuple[str, str]]) -> str:
    """Return the picture."""
    names = [name for row in order for name in row]
    folders, modules = [n for n in names if is_folder(n)], [n for n in names if not is_folder(n)]
    body = [*_flow(), *_graph(folders, arrows, top=246)]
    body += _foundation([name for name in modules if name != "cli"], top=484)
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1080 542" role="img" '
        f'aria-label="The flow of data, and the imports between folders" '
        f'data-layers="{escape(" < ".join("|".join(row) for row in order))}">',
        f"<style>{STYLE}</style>",
        '<rect class="page" width="1080" height="542" rx="8"/>',
        *body,
        "</svg>",
        "",
    ])  # fmt: skip


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def _flow() -> list[str]:
    """Draw the steps from left to right, with what passes between them."""
    parts = [_text(24, 34, "The flow of data", "title", "start")]
    wide, gap, y = 150, 20, 82
    left = 24
    for k, (folder, does, takes) in enumerate(FLOW):
        x = left + k * (wide + gap) + 22
        parts += [
            f'<path class="flow" d="M{x - 21:g} {y + 29}H{x - 7:g}"/>',
            f'<path class="head" d="M{x - 1:g} {y + 29}l-9 -5.5v11z"/>',
            f'<rect class="box" x="{x:g}" y="{y}" width="{wide - 2}" height="58" rx="6"/>',
            _text(x + wide / 2, y + 25, folder, "folder"),
            _text(x + wide / 2, y + 44, does, "muted"),
            _text(x - 12 if k else x - 20, y - 12, takes, "muted", "middle" if k else "start"),
        ]
    end = left + len(FLOW) * (wide + gap)
    parts.append(f'<path class="flow" d="M{end + 1:g} {y + 29}h12"/>')
    parts.append(f'<path class="head" d="M{end + 19:g} {y + 29}l-9 -5.5v11z"/>')
    parts.append(_text(end + 20, y + 78, "terminal, HTML, LaTeX, JSON", "muted", "end"))
    said = "result is what a user holds; campaign keeps human decisions; commands are the verbs."
    parts.append(_text(24, y + 104, said, "muted", "start"))
    return parts


def _graph(folders: list[str], arrows: set[tuple[str, str]], top: int) -> list[str]:
    """Draw the folders in the order of the layers, and an arc for each import, all to the left."""
    parts = [
        _text(24, top - 14, "Who imports whom: only what stands to the left", "title", "start")
    ]
    step = 1032 / len(folders)
    middle = {folder: 24 + step * (k + 0.5) for k, folder in enumerate(folders)}
    for folder, x in middle.items():
        parts.append(
            f'<rect class="box" x="{x - step / 2 + 4:.1f}" y="{top}" width="{step - 8:.1f}" '
            'height="34" rx="6"/>'
        )
        parts.append(_text(round(x, 1), top + 22, folder, "folder"))
    base = top + 34
    for importer, imported in sorted(arrows, key=lambda pair: (middle[pair[0]], middle[pair[1]])):
        start, end = middle[importer] - 9, middle[imported] + 9
        deep = base + 16 + 0.235 * abs(start - end)
        parts.append(
            f'<path class="arc" data-imports="{importer} {imported}" '
            f'd="M{start:.1f} {base}'
            f'C{start:.1f} {deep:.1f} {end:.1f} {deep:.1f} {end:.1f} {base}"/>'
        )
        parts.append(f'<circle class="dot" cx="{end:.1f}" cy="{base + 2}" r="2.6"/>')
    return parts


def _foundation(modules: list[str], top: int) -> list[str]:
    """Draw the single modules that every folder may use."""
    return [
        f'<rect class="plain" x="28" y="{top}" width="1024" height="36" rx="6"/>',
        _text(
            540, top + 23, "all of them may use:   " + "   ·   ".join(reversed(modules)), "muted"
        ),
    ]


def picture() -> str:
    """Return the picture of the code as it is."""
    order = layers()
    return draw(order, imports([name for row in order for name in row if is_folder(name)]))


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
    print(f"wrote {TARGET.relative_to(ROOT)}")

"""What MkDocs needs to be told of the pages, which are written for GitHub and for the tests.

* README, CONTRIBUTING and CHANGELOG stand above docs/: they become pages of the site.
* The first line of a code block may name a file, or say `no-run`: the name goes above the block.
* Links are led to where the pages are on the site.
* Pages that are made from the code: `reference.md`, `options.md`, `keys.md`, and the JSON Schema of
  the record, `record.schema.json`.

MkDocs is needed only to build the site; the tests read this module without it.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))  # MkDocs runs hooks as single files

from options_page import options_page  # noqa: E402
from record_schema import keys_page, schema  # noqa: E402
from reference_page import reference  # noqa: E402

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

MOVED = {
    "README.md": "index.md",
    "docs/index.md": "map.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""By file: what it is called on the site, whose first page is the README"""
MADE = {"reference.md": reference, "options.md": options_page, "keys.md": keys_page}
"""By page of the site: what makes it from the code"""
_HOMES = {page: source for source, page in MOVED.items()}
_FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def slug(heading: str, separator: str) -> str:
    """Return the anchor of a heading, as GitHub has it.

    >>> slug("What `p` is not, and why", "-")
    'what-p-is-not-and-why'
    """
    text = re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", heading)).strip().lower()
    return text.replace(" ", separator)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Spell anchors as GitHub does."""
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that do not stand in docs/, or not under their names."""
    from mkdocs.structure.files import File

    if (index := files.get_file_from_path("index.md")) is not None:
        files.remove(index)
    for source, page in MOVED.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for page, make in MADE.items():
        files.append(File.generated(config, page, content=make()))
    files.append(
        File.generated(config, "record.schema.json", content=json.dumps(schema(), indent=1))
    )
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrite what GitHub understands otherwise: code blocks, and links."""
    name = page.file.src_uri
    return rewritten(markdown, _HOMES.get(name, f"docs/{name}"))


def rewritten(markdown: str, source: str) -> str:
    """Return the text of a file as MkDocs reads it.

    >>> rewritten("[Why](docs/tests.md#why), the [map](docs/index.md), [code](src)", "README.md")
    '[Why](tests.md#why), the [map](map.md), code'
    """
    parts, end = [], 0
    for block in _FENCE.finditer(markdown):
        parts += [_linked(markdown[end : block.start()], source), _fenced(block)]
        end = block.end()
    return "".join([*parts, _linked(markdown[end:], source)])


def _fenced(block: re.Match[str]) -> str:
    language, argument, text = block.groups()
    title = f"`{argument}`:\n\n" if "." in argument else ""
    return f"{title}```{language}\n{text}```"


def _linked(text: str, source: str) -> str:
    def link(found: re.Match[str]) -> str:
        picture, shown, target = found.groups()
        path, sign, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        file = normpath(join(dirname(source), path))
        if file not in MOVED and not file.startswith("docs/"):
            return str(shown)  # not on the site: named, and no link
        return f"{picture}[{shown}]({MOVED.get(file, file.removeprefix('docs/'))}{sign}{anchor})"

    return _LINK.sub(link, text)

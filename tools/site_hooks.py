"""What MkDocs needs to be told of the pages, which are written for GitHub and for the tests.

* README, CONTRIBUTING and CHANGELOG stand above docs/: they become pages of the site.
* The first line of a code block may name a file, or say `no-run`: that becomes its title, or goes.
* The page `reference.md` is made of the docstrings of all public names.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ABOVE = {name: f"{Path(name).stem.lower()}.md" for name in
         ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")}  # fmt: skip
"""The pages above docs/, and what they are called on the site"""
_FENCE = re.compile(r"^```(\w+)[ ]?(.*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def slug(heading: str, separator: str) -> str:
    """Return the anchor of a heading, as GitHub has it."""
    text = re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", heading)).strip().lower()
    return text.replace(" ", separator)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Spell anchors as GitHub does."""
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that do not stand in docs/."""
    for name, page in ABOVE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "reference.md", content=reference()))
    return files


def reference() -> str:
    """Return the page of all public names, to be filled from their docstrings."""
    import tellapart

    names = "".join(f"\n::: tellapart.{name}\n" for name in sorted(tellapart.__all__))
    return f"# Python, by name\n\nAll that `import tellapart as ta` offers.\n{names}"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrite what GitHub understands otherwise: code blocks, and links that leave docs/."""
    above = page.file.src_uri in ABOVE.values()
    parts, end = [], 0
    for block in _FENCE.finditer(markdown):
        parts += [_linked(markdown[end : block.start()], above), _fenced(block)]
        end = block.end()
    return "".join([*parts, _linked(markdown[end:], above)])


def _fenced(block: re.Match[str]) -> str:
    language, argument, text = block.groups()
    if language == "python" and ">>>" in text:
        language = "pycon"
    title = f' title="{argument}"' if "." in argument else ""
    return f"```{language}{title}\n{text}```"


def _linked(text: str, above: bool) -> str:
    return _LINK.sub(lambda found: _link(*found.groups(), above), text)


def _link(picture: str, text: str, target: str, above: bool) -> str:
    """Return a link as the site has it; what is no page of it is named, and no link."""
    path, sign, anchor = target.partition("#")
    if "://" in target or not path:
        return f"{picture}[{text}]({target})"
    path = path.removeprefix("docs/" if above else "../")
    inside = above == target.startswith("docs/") or not above and not target.startswith("../")
    if path in ABOVE:
        path = ABOVE[path]
    elif not inside:
        return text
    return f"{picture}[{text}]({path}{sign}{anchor})"

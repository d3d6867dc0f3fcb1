"""Fetch verses in Spanish and twice in English, and write them side by side, one verse a line.

    python -m studies.riezler.translate.verses FOLDER

The Reina-Valera of 1909, the World English Bible and the King James Version are in the public
domain and packages of Debian (`apt-get download`); `pysword` of PyPI reads them. Neither is
installed: both go into a folder that is removed at the end. Verses that one of the three lacks are
left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

BIBLES: Final = {
    "source": ("sword-text-sparv", "spaRV1909eb"),
    "ref1": ("sword-text-web", "engWEB2015eb"),
    "ref2": ("sword-text-kjv", "engKJV2006eb"),
}
"""By the name of the file that is written: Debian's package, and the module in it"""
_APART: Final = re.compile(r"<(note|title)\b.*?</\1>", re.DOTALL)  # not of the verse itself
_MARKUP: Final = re.compile(r"<[^>]*>|¶")

Verse = tuple[str, int, int]
"""Book, chapter and number"""


def plain(marked: str) -> str:
    """Return the words of a verse without notes, titles and marks.

    >>> plain('<w lemma="x">God</w><note>Elohim</note><w>created</w> <title>One</title>it. ')
    'God created it.'
    """
    return " ".join(_MARKUP.sub("", _APART.sub(" ", marked)).split())


def fetch(folder: Path) -> None:
    """Put the modules and what reads them into a folder."""
    packages = [package for package, _ in BIBLES.values()]
    subprocess.run(["apt-get", "download", *packages], cwd=folder, check=True, capture_output=True)
    for path in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(path), str(folder)], check=True, capture_output=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "python")]
    subprocess.run([*pip, "pysword"], check=True, capture_output=True)


def read_verses(folder: Path, module: str) -> dict[Verse, str]:
    """Return the verses of a module that have words."""
    sys.path.insert(0, str(folder / "python"))
    try:
        modules = import_module("pysword.modules").SwordModules(str(folder / "usr/share/sword"))
    finally:
        sys.path.pop(0)
    modules.parse_modules()
    bible = modules.get_bible_from_module(module)
    # Otherwise each verse unpacks its whole book again.
    bible._decompressed_text = cache(bible._decompressed_text)
    verses = {place: plain(bible.get(*([part] for part in place), clean=False))
              for place in _places(bible)}  # fmt: skip
    return {place: text for place, text in verses.items() if text}


def _places(bible: Any) -> Iterator[Verse]:
    for books in bible.get_structure().get_books().values():
        for book in books:
            for chapter, length in enumerate(book.chapter_lengths, 1):
                for verse in range(1, length + 1):
                    yield book.name, chapter, verse


def main(argv: Sequence[str] | None = None) -> int:
    """Write source.txt, ref1.txt and ref2.txt, line by line the same verses."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.riezler.translate.verses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where the three files are written")
    out = parser.parse_args(argv).folder
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            fetch(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"the verses cannot be fetched: {error}", file=sys.stderr)
            return 2
        bibles = {name: read_verses(folder, module) for name, (_, module) in BIBLES.items()}
    shared = [verse for verse in bibles["source"] if all(verse in each for each in bibles.values())]
    out.mkdir(parents=True, exist_ok=True)
    for name, verses in bibles.items():
        lines = "".join(f"{verses[verse]}\n" for verse in shared)
        (out / f"{name}.txt").write_text(lines, encoding="utf-8")
    print(f"{len(shared):,} verses in {', '.join(f'{out / name}.txt' for name in bibles)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

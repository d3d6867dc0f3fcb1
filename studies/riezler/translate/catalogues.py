"""Message catalogues of programs as parallel sentences: a second, modern domain.

    pip download --no-deps django
    python -m studies.riezler.translate.catalogues django-*.whl FOLDER --language es

Every `.po` file of a language, in a wheel or a folder, gives the translated messages as
`source.txt` and the English ones as `ref1.txt`. Plural forms, fuzzy messages and messages of other
contexts that say the same are left out; places for values (%(name)s, {name}) stay single words.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_PLACE: Final = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|</?\w+[^>]*>")
_FIELD: Final = re.compile(r'(msgid|msgstr) (".*")|(".*")')


def messages(catalogue: str) -> Iterator[tuple[str, str]]:
    r"""Yield English messages and their translations.

    >>> list(messages('msgid "A"\nmsgstr ""\n"Un "\n"o"\n\n#, fuzzy\nmsgid "B"\nmsgstr "Dos"\n'))
    [('A', 'Un o')]
    """
    for entry in re.split(r"\n\s*\n", catalogue):
        if re.search(r"^#,.*fuzzy|^msgid_plural|^#~", entry, re.MULTILINE):
            continue
        texts = {"msgid": "", "msgstr": ""}
        field = ""
        for line in entry.splitlines():
            found = _FIELD.fullmatch(line.strip())
            if found is None:
                field = ""
                continue
            field = found[1] or field
            if field:
                texts[field] += ast.literal_eval(found[2] or found[3])
        if all(texts.values()):
            yield texts["msgid"], texts["msgstr"]


def plain(message: str) -> str:
    """Return a message on one line, with a word for each place of a value or a tag.

    >>> plain("Delete %(name)s, <b>{count}</b>?")
    'Delete VALUE , VALUE VALUE VALUE ?'
    """
    return " ".join(_PLACE.sub(" VALUE ", message).split())


def read_catalogues(place: Path, language: str) -> Iterator[str]:
    """Yield the catalogues of a language in a wheel or a folder."""
    wanted = f"/{language}/LC_MESSAGES/"
    if place.is_dir():
        for path in sorted(place.rglob("*.po")):
            if wanted in path.as_posix():
                yield path.read_text(encoding="utf-8")
        return
    with zipfile.ZipFile(place) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith(".po") and wanted in name:
                yield wheel.read(name).decode()


def main(argv: Sequence[str] | None = None) -> int:
    """Write source.txt and ref1.txt, line by line the same messages."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.riezler.translate.catalogues",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("places", type=Path, nargs="+", help="wheels or folders with .po files")
    parser.add_argument("folder", type=Path, help="where the two files are written")
    parser.add_argument("--language", default="es", help="(default: es)")
    args = parser.parse_args(argv)
    pairs: dict[tuple[str, str], None] = {}
    try:
        for place in args.places:
            for catalogue in read_catalogues(place, args.language):
                pairs |= {
                    (plain(own), plain(english)): None for english, own in messages(catalogue)
                }
    except (OSError, ValueError, SyntaxError, zipfile.BadZipFile) as error:
        print(f"{place}: the catalogues cannot be read: {error}", file=sys.stderr)
        return 2
    if not pairs:
        print(f"no catalogue of {args.language!r} in {', '.join(map(str, args.places))}; name "
              "another --language", file=sys.stderr)  # fmt: skip
        return 2
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, lines in zip(("source", "ref1"), zip(*pairs, strict=True), strict=True):
        (args.folder / f"{name}.txt").write_text("".join(f"{each}\n" for each in lines), "utf-8")
    print(f"{len(pairs):,} messages in {args.folder / 'source.txt'} and {args.folder / 'ref1.txt'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

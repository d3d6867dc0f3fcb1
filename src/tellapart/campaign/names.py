"""Names of people and systems: what can be one, and which look alike."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tellapart.errors import UsageError
from tellapart.words import clean

_ALIKE: Final = str.maketrans(
    "авгеікмнорстухһјѕԁԛԝ" + "αβεηικμνορτυχζ",
    "abreikmhopctyxhjsdqw" + "abehikmvoptyxz",
)
"""Letters of Cyrillic and Greek, and the Latin ones that they, or their capitals, look like"""
_SCRIPTS: Final = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"}
"""Those of which letters look like others'; no word is of two of them"""


def looks_of(name: str) -> str:
    """Return a name so that two which look alike are equal.

    >>> looks_of("Ａlder"), looks_of("АLDER")  # a wide A, and one of Cyrillic
    ('alder', 'alder')
    """
    return unicodedata.normalize("NFKC", name).casefold().translate(_ALIKE)


def checked_name(given: str, most: int, *, without: str = "") -> str:
    """Return a name as it is kept; what cannot be one is a UsageError."""
    name = unicodedata.normalize("NFC", given).strip()
    if not 0 < len(name) <= most:
        raise UsageError(f"a name has from 1 to {most} characters, not {len(name):,}")
    odd = next((c for c in name if not c.isprintable() or c in without), None)
    if odd is not None or clean(name) != name:
        what = "in its words" if odd is None else repr(odd)
        raise UsageError(f"a name cannot have {what} in it; give another")
    for word in re.findall(r"[^\W\d_]+", name):
        scripts = {unicodedata.name(c, "").partition(" ")[0] for c in word} & _SCRIPTS
        if len(scripts) > 1:
            told = " and ".join(sorted(each.capitalize() for each in scripts))
            raise UsageError(f"the name {name!r} mixes letters of {told} in one word")
    return name

"""The text handling of TER, after Tercom's normalizer."""

from __future__ import annotations

import re
from typing import Final

from tellapart.metrics.text.tokenizers import western

_ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_POSSESSIVE: Final = re.compile(r"'s( |$)")
_SYMBOLS: Final = re.compile(r"([{-~\[-` -&(-+:-@/])")
_PUNCTUATION: Final = re.compile(r"[.,?:;!\"()]")
_CJK: Final = (
    re.compile("([\u4e00-\u9fff\u3400-\u4dbf])"),
    re.compile("([\u31c0-\u31ef\u2e80-\u2eff])"),
    re.compile("([\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f])"),
    re.compile("([\u3200-\u3f22])"),  # a slip of the reference: it goes beyond the block's end
)
# Kana are set off only where they are the whole line, which the padding rules out.
_CJK_PUNCTUATION: Final = re.compile(
    "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"
)


def normalize(line: str) -> str:
    """Replace entities and set off punctuation and a possessive 's.

    >>> normalize("the cat's 3-part plan.").split()
    ['the', 'cat', "'s", '3', '-', 'part', 'plan', '.']
    """
    for entity, character in _ENTITIES:
        line = line.replace(entity, character)
    line = _SYMBOLS.sub(r" \1 ", f" {line} ")
    return western(_POSSESSIVE.sub(r" 's\1", line))


def split_cjk(line: str) -> str:
    """Set off Chinese characters and CJK punctuation."""
    for pattern in (*_CJK, _CJK_PUNCTUATION):
        line = pattern.sub(r" \1 ", line)
    return line


def without_punctuation(line: str, cjk: bool) -> str:
    """Delete punctuation; also that of CJK, if asked to.

    >>> without_punctuation("Yes, (he) said.", cjk=False)
    'Yes he said'
    """
    line = _PUNCTUATION.sub("", line)
    return _CJK_PUNCTUATION.sub("", line) if cjk else line

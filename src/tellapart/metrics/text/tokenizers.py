"""The tokenizers of BLEU and NIST, and tokens as numbers.

All rules look at no more than a chunk without blanks, and whether the line begins or ends there.
So every distinct chunk is tokenized once, whatever system or reference it comes from.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

import tellapart.engine as path
from tellapart.errors import UsageError
from tellapart.metrics.text.ngrams import Sequences
from tellapart.words import nearest

BY_SACREBLEU: Final = ("ja-mecab", "ko-mecab", "spm", "flores200")
"""Tokenizers that need a dictionary or a model, which sacreBLEU knows where to find"""
TOKENIZERS: Final = ("13a", "none", "intl", "char", "zh", *BY_SACREBLEU)

_ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_WESTERN: Final = (
    (re.compile(r"([{-~\[-`!-&(-+:-@/])"), r" \1 "),  # punctuation except ' , - .
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
# The blocks that `zh` takes apart, with the two that its reference spells with one digit too many.
_CJK: Final = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf"
    "\u31c0-\u31ef\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)
# What 13a treats simply: no punctuation, but for one mark at the end that it always sets off.
_SIMPLE: Final = re.compile(r"([^!-/:-@\[-`{-~]+)([!-&(-,./:-@\[-`{-~])?")
_ASCII_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_EDGE: Final = "\n"  # marks a chunk at which the line begins or ends; no line has it inside


def western(text: str) -> str:
    """Return a line with punctuation set off as 13a does, without its padding.

    >>> western(" Ende 2017. ").split()
    ['Ende', '2017', '.']
    """
    for pattern, replacement in _WESTERN:
        text = pattern.sub(replacement, text)
    return text


@lru_cache(maxsize=1 << 16)
def _category(character: str) -> str:
    return unicodedata.category(character)[0]


def _international(text: str) -> str:
    """Return a line with symbols, and punctuation not between numbers, set off."""
    text = _pairwise(text, lambda a, b: a != "N" and b == "P", "{} {} ")
    text = _pairwise(text, lambda a, b: a == "P" and b != "N", " {} {}")
    return "".join(f" {c} " if _category(c) == "S" else c for c in text)


def _pairwise(text: str, fits: Callable[[str, str], bool], template: str) -> str:
    """Return a line with pairs of characters rewritten, from the left and without overlap."""
    parts, i = [], 0
    while i < len(text):
        if i + 1 < len(text) and fits(_category(text[i]), _category(text[i + 1])):
            parts.append(template.format(text[i], text[i + 1]))
            i += 2
        else:
            parts.append(text[i])
            i += 1
    return "".join(parts)


def check_tokenizer(name: str) -> None:
    """Refuse what is no tokenizer."""
    if name not in TOKENIZERS:
        raise UsageError(f"there is no tokenizer {name!r}; {nearest(name, TOKENIZERS)}")


@lru_cache
def peer_tokenizer(name: str) -> Any:
    """Return a tokenizer of sacreBLEU, which sets tokens apart by blanks and has a signature."""
    try:
        from sacrebleu.metrics.bleu import _get_tokenizer

        return _get_tokenizer("flores101" if name == "spm" else name)()
    except (ImportError, RuntimeError):  # each of its tokenizers complains in its own way
        raise UsageError(
            f"the tokenizer {name!r} needs more of sacreBLEU: "
            "pip install 'tellapart[tokenizers]', or use char"
        ) from None


def tokenizer_signature(name: str) -> str:
    """Return a tokenizer's name, with the dictionary or model that it uses."""
    return str(peer_tokenizer(name).signature()) if name in BY_SACREBLEU else name


class Tokenizer:
    """A tokenizer that numbers tokens; the same token always has the same number.

    `lower` is "no", "unicode" (before anything else, all of Unicode) or "ascii" (only A to Z, after
    entities were replaced, as NIST's script does). `script` follows that script further: 13a knows
    `&apos;`, and intl handles entities and pads the line. `prepare` is applied to each line first.

    >>> Tokenizer("13a").tokens("&quot;Hi,&quot; he said-2.5.")
    ['"', 'Hi', ',', '"', 'he', 'said-2.5', '.']
    >>> Tokenizer("intl").tokens("Ende 2017.")
    ['Ende', '2017.']
    """

    def __init__(
        self,
        name: str = "13a",
        lower: str = "no",
        *,
        script: bool = False,
        prepare: Callable[[str], str] | None = None,
    ) -> None:
        check_tokenizer(name)
        self._peer = peer_tokenizer(name) if name in BY_SACREBLEU else None
        self._name = "none" if self._peer else name
        self._lower, self._prepare = lower, prepare
        self._script = script
        self._entities = (*_ENTITIES, ("&apos;", "'")) if script else _ENTITIES
        self._edged = name == "zh" or (name == "intl" and not script)
        self._numbers: dict[str, int] = {}
        self._known: dict[str, list[int]] = {}
        """By chunk, the numbers of its tokens"""
        self._native = self._native_words()

    def _native_words(self) -> Any:
        """Return what numbers the words of lines in native code; None where Python does."""
        if path.native is None or path.active() == "numpy" or self._name not in ("13a", "none"):
            return None
        return path.native.Words(self._name == "13a", self._lower == "ascii", self._script)

    def number(self, token: str) -> int | None:
        """Return the number of a token; None if it has not been seen."""
        if self._native is None:
            return self._numbers.get(token)
        found: int = self._native.find(token.encode("utf-8", "surrogatepass"))
        return found if found >= 0 else None

    def tokens(self, line: str) -> list[str]:
        """Return the tokens of one line."""
        if self._name == "char":
            return list("".join(self._cased(line).split()))
        return [
            token for chunk in self._cut(self._prepared(line)) for token in self._tokenize(chunk)
        ]

    def encode(self, lines: Iterable[str]) -> Sequences:
        """Return lines as sequences of the numbers of their tokens."""
        if self._name == "char":
            return Sequences.of_characters("".join(self._cased(line).split()) for line in lines)
        if self._native is not None:
            kept = [self._prepared(line) for line in lines]
            if not kept:
                return Sequences.of_characters([])
            text = "\n".join(kept)
            if text.count("\n") != len(kept) - 1:  # rules that span lines are Python's
                text = "\n".join(" ".join(self._cut(line)) for line in kept)
            return Sequences(*self._native.encode(text.encode("utf-8", "surrogatepass")))
        tokens, lengths = array("i"), list[int]()
        for line in lines:
            before = len(tokens)
            for chunk in self._cut(self._prepared(line)):
                tokens.extend(self._known.get(chunk) or self._numbered(chunk))
            lengths.append(len(tokens) - before)
        return Sequences.of_lengths(np.array(tokens, np.int32), lengths)

    def _prepared(self, line: str) -> str:
        if self._prepare is not None:
            line = self._prepare(line)
        line = line.lower() if self._lower == "unicode" else line
        return line if self._peer is None else self._peer(line)

    def _cased(self, line: str) -> str:
        line = self._prepared(line)
        return line.translate(_ASCII_LOWER) if self._lower == "ascii" else line

    def _cut(self, line: str) -> list[str]:
        """Return a prepared line cut at blanks, its beginning and end marked if that matters."""
        if "\n" in line and self._name == "13a":
            line = line.replace("<skipped>", "").replace("-\n", "")
        chunks = line.split()
        if chunks and self._edged:
            if self._name == "zh" or not line[0].isspace():
                chunks[0] = _EDGE + chunks[0]
            chunks[-1] += _EDGE
        return chunks

    def _numbered(self, chunk: str) -> list[int]:
        """Return the numbers of the tokens of a new chunk, which are kept."""
        numbers = self._numbers
        found = [numbers.setdefault(token, len(numbers)) for token in self._tokenize(chunk)]
        self._known[chunk] = found
        return found

    def _tokenize(self, chunk: str) -> Sequence[str]:
        text = chunk.strip(_EDGE)
        if self._name == "13a" or (self._name == "intl" and self._script):
            text = self._unescaped(text)
        if self._lower == "ascii":
            text = text.translate(_ASCII_LOWER)
        if self._name == "none":
            return [text]
        if self._name == "13a" and (simple := _SIMPLE.fullmatch(text)):
            return [simple[1]] if simple[2] is None else [simple[1], simple[2]]
        before = "" if chunk.startswith(_EDGE) else " "
        after = "" if chunk.endswith(_EDGE) else " "
        if self._name == "intl":
            return _international(before + text + after).split()
        if self._name == "zh":
            text = _CJK.sub(r" \1 ", text)
        return western(before + text + after).split()

    def _unescaped(self, text: str) -> str:
        text = text.replace("<skipped>", "")
        if "&" in text:
            for entity, character in self._entities:
                text = text.replace(entity, character)
        return text

"""A hundred pairs of a Spanish and an English sentence, by a grammar of a few dozen words.

It has what makes translation more than looking words up: adjectives after the noun, articles and
adjectives that agree, verbs without a subject, `no` for `does not`, `del` for `of the`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

_NOUNS: Final = {
    "casa": ("f", "house"), "mesa": ("f", "table"), "ciudad": ("f", "city"),
    "calle": ("f", "street"), "niña": ("f", "girl"), "mujer": ("f", "woman"),
    "puerta": ("f", "door"), "flor": ("f", "flower"), "perro": ("m", "dog"), "gato": ("m", "cat"),
    "libro": ("m", "book"), "hombre": ("m", "man"), "niño": ("m", "boy"),
    "jardín": ("m", "garden"), "río": ("m", "river"), "caballo": ("m", "horse"),
}  # fmt: skip
_PEOPLE: Final = ("niña", "mujer", "perro", "gato", "hombre", "niño", "caballo")
_ADJECTIVES: Final = {
    "blanc*": "white", "pequeñ*": "small", "grande": "big", "viej*": "old", "nuev*": "new",
    "roj*": "red", "verde": "green", "bonit*": "pretty",
}  # fmt: skip
_VERBS: Final = {
    "ve": ("sees", "see"), "busca": ("looks for", "look for"), "encuentra": ("finds", "find"),
    "quiere": ("wants", "want"), "mira": ("looks at", "look at"), "conoce": ("knows", "know"),
}  # fmt: skip
_PLACES: Final = {"en": "in", "cerca de": "near", "detrás de": "behind"}
_ARTICLES: Final = {"f": {"the": "la", "a": "una"}, "m": {"the": "el", "a": "un"}}

Pair = tuple[str, str]


def pairs(number: int = 100, seed: int = 0) -> list[Pair]:
    """Return so many distinct pairs of a Spanish and an English sentence.

    >>> [pairs()[k] for k in (1, 3)]
    [('no ve una niña .', 'he does not see a girl .'), ('el hombre es viejo .', 'the man is old .')]
    """
    draw = random.Random(seed)
    found: dict[Pair, None] = {}
    while len(found) < number:
        found[_sentence(draw)] = None
    return list(found)


def _sentence(draw: random.Random) -> Pair:
    kind = draw.randrange(4)
    if kind == 0:
        subject, noun = _noun(draw, tuple(_NOUNS), "the")
        spanish, english = draw.choice(list(_ADJECTIVES.items()))
        return f"{subject[0]} es {_agree(spanish, noun)} .", f"{subject[1]} is {english} ."
    thing = _noun(draw, tuple(_NOUNS))[0]
    spanish, (third, plain) = draw.choice(list(_VERBS.items()))
    if kind == 1:
        return f"no {spanish} {thing[0]} .", f"he does not {plain} {thing[1]} ."
    subject = _noun(draw, _PEOPLE, "the")[0]
    if kind == 2:
        return f"{subject[0]} {spanish} {thing[0]} .", f"{subject[1]} {third} {thing[1]} ."
    where, there = draw.choice(list(_PLACES.items()))
    place = _noun(draw, tuple(_NOUNS), "the")[0]
    spanish_place = f"{where} {place[0]}".replace("de el ", "del ")
    return (
        f"{subject[0]} no {spanish} {thing[0]} {spanish_place} .",
        f"{subject[1]} does not {plain} {thing[1]} {there} {place[1]} .",
    )


def _noun(
    draw: random.Random, nouns: Sequence[str], article: str | None = None
) -> tuple[Pair, str]:
    """Return a noun with its article, often with an adjective, in both languages; and the noun."""
    noun = draw.choice(nouns)
    gender, english = _NOUNS[noun]
    english_article = article or draw.choice(("the", "a"))
    before = _ARTICLES[gender][english_article]
    if draw.random() < 0.5:
        return (f"{before} {noun}", f"{english_article} {english}"), noun
    spanish_adjective, adjective = draw.choice(list(_ADJECTIVES.items()))
    spanish = f"{before} {noun} {_agree(spanish_adjective, noun)}"
    return (spanish, f"{english_article} {adjective} {english}"), noun


def _agree(adjective: str, noun: str) -> str:
    return adjective.replace("*", "a" if _NOUNS[noun][0] == "f" else "o")

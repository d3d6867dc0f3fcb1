"""Known fillers of the training keys, found again in new text: places, groups, people, targets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from studies.muc3.extract.corpus import LOCATION, STRINGS, Example, words

_NAME = re.compile(r"[:\-] *([^:(]+?) *\(")
_SHORT = 3  # letters: shorter strings are found where nothing is meant


class Gazetteer:
    """Strings that filled a slot in training, and how often they did so where they stood."""

    def __init__(self, examples: Iterable[Example], *, least: float = 0.3) -> None:
        """Learn the strings of all keys; `least` is the share of messages with it that used it."""
        used: dict[str, Counter[str]] = {slot: Counter() for slot in STRINGS}
        places: dict[str, Counter[str]] = {}
        seen: Counter[str] = Counter()
        examples = list(examples)
        for example in examples:
            mine = {(f.slot, v) for own in example.templates for f in own for v in f.values}
            for slot, value in mine:
                if slot in used and len(value) > _SHORT:
                    used[slot][value] += 1
                elif slot == LOCATION:
                    name = _last_name(value)
                    places.setdefault(name, Counter())[value] += 1
        phrases = {*(v for own in used.values() for v in own), *places}
        finder = _Finder(phrases)
        for example in examples:
            seen.update(set(finder.phrases(example.message.text)))
        self.strings = {
            slot: {v: n / seen[v] for v, n in own.items() if seen[v] and n / seen[v] >= least}
            for slot, own in used.items()
        }
        self.places = {name: own.most_common(1)[0][0] for name, own in places.items()}
        self._finder = _Finder({*(v for own in self.strings.values() for v in own), *self.places})

    def fillers(self, text: str) -> dict[str, list[str]]:
        """Return the known fillers in a text by slot, the longest of those that overlap."""
        found = dict.fromkeys(self._finder.phrases(text))
        return {slot: [v for v in found if v in own] for slot, own in self.strings.items()}

    def location(self, text: str) -> str | None:
        """Return the place that a text names most, the most precise of equals."""
        found = Counter(name for name in self._finder.phrases(text) if name in self.places)
        if not found:
            return None
        best = max(found, key=lambda name: (found[name], self.places[name].count(":")))
        return self.places[best]


def _last_name(location: str) -> str:
    """Return the name of the smallest place of a location.

    >>> _last_name("EL SALVADOR: SAN MIGUEL (DEPARTMENT): APOPA (TOWN)"), _last_name("PERU")
    ('APOPA', 'PERU')
    """
    names = _NAME.findall(location)
    return names[-1] if names else location.partition(":")[0].split(" - ")[0].strip()


class _Finder:
    """Looks for many phrases at once, word by word."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[list[str], str]]] = {}
        for phrase in sorted(phrases, key=lambda own: (-len(words(own)), own)):
            parts = words(phrase)
            if len(phrase) > _SHORT and parts:
                self._by_first.setdefault(parts[0], []).append((parts, phrase))

    def phrases(self, text: str) -> Iterator[str]:
        """Yield the phrases in a text, from left to right; of those that overlap, the longest."""
        said, k = words(text), 0
        while k < len(said):
            known = self._by_first.get(said[k], ())
            parts, phrase = next(
                (own for own in known if said[k : k + len(own[0])] == own[0]), ([""], "")
            )
            if phrase:
                yield phrase
            k += len(parts)

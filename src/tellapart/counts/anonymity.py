"""Systems without their names, for those who must not know whose they are.

The names go right after reading, so that whatever is made of the counts never had them. What the
user says in real names (a baseline, a pair, the command itself) the same `Disguise` translates.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tellapart.counts.counts import Counts
from tellapart.counts.views import ItemView, Views
from tellapart.errors import Notice, UsageError
from tellapart.words import nearest

_ARTICLES: Final = frozenset(
    {"a", "A", "I"}
)  # in a sentence, these are names only if it quotes them


@dataclass(frozen=True, slots=True)
class Disguise:
    """What systems and files are called where their names must not be seen.

    >>> disguise = Disguise.of(["our-model", "theirs"], ["runs/our-model.csv", "runs/theirs.csv"])
    >>> disguise.system("theirs")
    'System 2'
    >>> disguise.text("our-model=runs/our-model.csv")
    'System 1=file-1.csv'
    >>> disguise.text("runs/theirs.csv:3: 'theirs' has no score; our-models have")
    "file-2.csv:3: 'System 2' has no score; our-models have"
    """

    systems: Mapping[str, str]
    files: Mapping[str, str]
    """By path and by name without folder"""

    @classmethod
    def of_counts(cls, counts: Counts, files: Iterable[str]) -> Disguise:
        """Return neutral names for the systems of counts, those only held against others last."""
        judged = () if counts.judgments is None else counts.judgments.names
        return cls.of((*counts.names, *judged), files)

    @classmethod
    def of(cls, systems: Iterable[str], files: Iterable[str]) -> Disguise:
        """Return neutral names for systems in their order, and for the files that they are in."""
        called: dict[str, str] = {}
        for path in files:
            place, base = os.path.abspath(path), os.path.basename(path.rstrip("/"))
            ending = re.search(r"(\.[a-z]\w{1,6})?(\.gz|\.zst)?$", base)
            known = called.get(place) or called.get(base)
            name = known or f"file-{len(set(called.values())) + 1}{ending[0] if ending else ''}"
            called |= {path: name, place: name, base: name}
        names = {name: f"System {k}" for k, name in enumerate(dict.fromkeys(systems), 1)}
        return cls(names, {path: name for path, name in called.items() if path.strip("./-")})

    def system(self, name: str) -> str:
        """Return what a system is called; refuse one that there is not."""
        if name not in self.systems:
            raise UsageError(f"there is no system {name!r}; {nearest(name, list(self.systems))}")
        return self.systems[name]

    def text(self, text: str, sparing: Collection[str] = ()) -> str:
        """Return a text with other names; those to be spared stay where they are not quoted."""
        called = {**self.files, **self.systems}
        spared = [name for name in called if name in sparing]
        for name in spared:
            text = text.replace(f"'{name}'", f"'{called.pop(name)}'")
        # Longer names first: one may begin with another. Only whole words are names.
        either = "|".join(map(re.escape, sorted(filter(None, called), key=len, reverse=True)))
        pattern = rf"(?<![^\W_])(?:{either})(?![^\W_])"
        return re.sub(pattern, lambda match: called[match[0]], text) if either else text

    def words(self, command_line: Iterable[str]) -> list[str]:
        """Return a command line with other names; its options stay.

        >>> Disguise.of(["html", "b"], []).words(["--html", "b.htm", "--baseline=html"])
        ['--html', 'System 2.htm', '--baseline=System 1']
        """
        found = []
        for word in command_line:
            option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
            is_option = word.startswith("-") and not equals
            found.append(word if is_option else f"{option}{equals}{self.text(value)}")
        return found

    def counts(self, counts: Counts) -> Counts:
        """Return counts that have neutral names alone; what systems said and labels stay.

        >>> counts = Counts.from_arrays({"ours": [1, 0], "theirs": [1, 1]})
        >>> Disguise.of(counts.names, ()).counts(counts).names
        ('System 1', 'System 2')
        """
        texts, judgments = counts.texts, counts.judgments
        if texts is not None:
            outputs = {self.systems.get(name, name): said for name, said in texts.outputs.items()}
            texts = replace(texts, outputs=outputs)
        if judgments is not None:
            judgments = replace(
                judgments,
                names=tuple(self.systems[name] for name in judgments.names),
                reference=self.systems.get(judgments.reference or ""),
            )
        return replace(
            counts,
            names=tuple(map(self.system, counts.names)),
            texts=texts,
            judgments=judgments,
            regions={self.systems.get(name, name): ends for name, ends in counts.regions.items()},
            views=None if counts.views is None else _RenamedViews(counts.views, self.systems),
            notices=tuple(map(self._notice, counts.notices)),
        )

    def _notice(self, notice: Notice) -> Notice:
        # Words that a sentence has anyway: "a", and folders that are called "runs" or "logs".
        common = (name for name in self.files if name.isalpha() and name.islower())
        sparing = _ARTICLES.union(common).difference(
            notice.affected, self.systems.keys() - _ARTICLES
        )
        affected = tuple(self.systems.get(name, name) for name in notice.affected)
        return replace(notice, text=self.text(notice.text, sparing), affected=affected)


@dataclass(frozen=True, slots=True)
class _RenamedViews:
    views: Views
    names: Mapping[str, str]

    def __call__(self, name: str) -> ItemView:
        """Return what there is to look at behind one item."""
        return self.views(name).renamed(self.names)

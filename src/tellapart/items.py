"""The texts behind the units: what was asked, what was right, and what each system answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Items:
    """Texts of each unit, for readers of reports; each part is empty where it is not known.

    >>> items = Items(golds=("yes", "no"), outputs={"A": ("yes", "yes")})
    >>> items.of_units([1])
    Items(inputs=(), golds=('no',), outputs={'A': ('yes',)})
    """

    inputs: tuple[str, ...] = ()
    golds: tuple[str, ...] = ()
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of_units(self, units: Sequence[int]) -> Items:
        """Keep some units, by position."""
        return Items(
            _kept(self.inputs, units),
            _kept(self.golds, units),
            {name: _kept(texts, units) for name, texts in self.outputs.items()},
        )

    def of_systems(self, names: Sequence[str]) -> Items:
        """Keep the outputs of some systems."""
        kept = {name: self.outputs[name] for name in names if name in self.outputs}
        return Items(self.inputs, self.golds, kept)


def _kept(texts: tuple[str, ...], units: Sequence[int]) -> tuple[str, ...]:
    return tuple(texts[i] for i in units) if texts else ()

"""How figures are written, in every report alike."""

from __future__ import annotations

from tellapart.words import p_text as p_text


def plain(value: float | None) -> str:
    """Write a score.

    >>> plain(0.2083), plain(None)
    ('0.208', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """Write a difference with its sign.

    >>> signed(0.2083), signed(-0.0004), signed(None)
    ('+0.208', '-0.000', '-')
    """
    if value is None:
        return "-"
    return "0.000" if value == 0 else f"{value:+.3f}"


def rough(value: float) -> str:
    """Write a figure that is known to two digits at most.

    >>> rough(0.2305), rough(0.0599), rough(12.34)
    ('0.23', '0.060', '12')
    """
    return f"{value:#.2g}".rstrip(".") if value < 100 else f"{value:.0f}"

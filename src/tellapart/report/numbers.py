"""How figures are written."""

from __future__ import annotations


def p_text(p: float | None) -> str:
    """Write a p-value: four decimals without a leading zero, scientific below .0001, never 0.

    >>> p_text(0.0284), p_text(1.8e-15), p_text(1.0), p_text(5e-324), p_text(None)
    ('.0284', '1.8e-15', '1', 'below 1e-300', '-')
    """
    if p is None:
        return "-"
    if p < 1e-300:
        return "below 1e-300"
    if p < 0.0001:
        return f"{p:.1e}"
    rounded = f"{p:.4f}"
    return "1" if rounded == "1.0000" else rounded.removeprefix("0")


def signed(value: float | None) -> str:
    """Write a difference with its sign.

    >>> signed(0.2083), signed(-0.0004), signed(None)
    ('+0.208', '-0.000', '-')
    """
    if value is None:
        return "-"
    return "0.000" if value == 0 else f"{value:+.3f}"

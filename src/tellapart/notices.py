"""Warnings as data, so that terminal, HTML and JSON show the same ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning: a stable code, a sentence, and what it is about.

    >>> Notice("few-units", "Only 5 messages: the interval is rough.").code
    'few-units'
    """

    code: str
    text: str
    affected: tuple[str, ...] = ()

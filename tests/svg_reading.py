"""How tests look into a figure."""

from __future__ import annotations

from xml.etree import ElementTree


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words_of(svg: str) -> str:
    return parsed(svg).findtext("{*}desc") or ""


def each_of(svg: str, tag: str) -> list[ElementTree.Element]:
    return parsed(svg).findall(f".//{{*}}{tag}")

"""The little Lisp that histories are written in: lists, strings, symbols."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias


class LispError(Exception):
    """The text is not the expression that it should be; `at` is where."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at


_TOKEN = re.compile(r'[\s]+|;[^\n]*|([()])|"((?:\\.|[^"\\])*)"|([^\s()";]+)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol or a string, and where it stands."""

    text: str
    quoted: bool
    at: int


@dataclass(frozen=True, slots=True)
class List:
    """A list, and where it begins."""

    items: list[Item]
    at: int


Item: TypeAlias = Atom | List


def expression(content: str) -> List:
    r"""Parse one Lisp list; `nil` or nothing at all is an empty one.

    >>> [item.text for item in expression('("a \\"b\\"" fail)').items]
    ['a "b"', 'fail']
    """
    top = List([], 0)
    stack = [top]
    at = 0
    while at < len(content):
        token = _TOKEN.match(content, at)
        if token is None:
            raise LispError("a string is not closed", at)
        if token[1] == "(":
            stack.append(List([], at))
        elif token[1] == ")":
            if len(stack) == 1:
                raise LispError("there is a closing parenthesis too many", at)
            done = stack.pop()
            stack[-1].items.append(done)
        elif token[2] is not None:
            stack[-1].items.append(Atom(re.sub(r"\\(.)", r"\1", token[2], flags=re.S), True, at))
        elif token[3] is not None:
            stack[-1].items.append(Atom(token[3], False, at))
        at = token.end()
    if len(stack) > 1:
        raise LispError("this parenthesis is not closed", stack[-1].at)
    if len(top.items) > 1:
        raise LispError("there is more than one expression", top.items[1].at)
    if not top.items or is_nil(top.items[0]):
        return List([], 0)
    return list_of(top.items[0])


def is_nil(item: Item) -> bool:
    """Tell whether an item is the symbol for nothing."""
    return isinstance(item, Atom) and not item.quoted and item.text.lower() == "nil"


def list_of(item: Item, length: int = 0) -> List:
    """Return a list that has at least so many items, or complain."""
    if not isinstance(item, List) or len(item.items) < length:
        raise LispError("here should be a list" + (f" of {length}" if length else ""), item.at)
    return item


def string_of(item: Item) -> str:
    """Return the text of a string, or complain."""
    if not isinstance(item, Atom) or not item.quoted:
        raise LispError("here should be a text in quotation marks", item.at)
    return item.text

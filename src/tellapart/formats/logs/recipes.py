"""Harnesses whose files a recipe reads: those of `data/recipes.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, Final

from tellapart.formats.logs import recipe_shapes
from tellapart.formats.logs.recipe_reader import Recipe


def _value(value: Any) -> Any:
    """Return what a recipe has for a value of TOML: "= name" is a function of `recipe_shapes`."""
    if isinstance(value, str) and value.startswith("= "):
        return getattr(recipe_shapes, value.removeprefix("= "))
    if isinstance(value, dict):
        return {name: _value(part) for name, part in value.items()}
    return tuple(value) if isinstance(value, list) else value


def _recipe(name: str, table: dict[str, Any]) -> Recipe:
    marks = tuple(map(frozenset, table.pop("marks")))
    unlike = frozenset(table.pop("unlike", ()))
    totals = {frozenset(own["keys"]): own["give"] for own in table.pop("totals", ())}
    return Recipe(name, marks, unlike=unlike, totals=totals, **_value(table))


_TABLES: Final = tomllib.loads((files("tellapart") / "data" / "recipes.toml").read_text("utf-8"))
RECIPES: Final = tuple(_recipe(name, table) for name, table in _TABLES.items())

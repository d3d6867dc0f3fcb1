"""Which formats there are, by name: guessing, help texts, `ta.read` and every verb ask here.

The built-in formats are declared in the module `format` of their folder. Those modules are light:
what they import at the top loads neither numpy nor a reader. Others add a format by an entry point
of the group `tellapart.formats` that names a `Format`. What a format is says `formats/contract.py`.
"""

from __future__ import annotations

from functools import cache

from tellapart import plugins
from tellapart.errors import UsageError
from tellapart.formats.contract import Format, Report, Sources, SystemReport
from tellapart.words import nearest

__all__ = ["TABLES", "Format", "Report", "Sources", "SystemReport", "format_of", "formats", "names"]

TABLES = "items"
"""What files are taken for that nobody recognises: tables say best what is wrong with them"""


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats: those of others first, since they are asked for on purpose."""
    from tellapart.formats.annotation.formats import COREF, NUGGETS, RELATIONS, SPANS, TAGS
    from tellapart.formats.logs import helm, inspect, lm_eval
    from tellapart.formats.logs.recipes import RECIPES
    from tellapart.formats.preferences import format as preferences
    from tellapart.formats.retrieval import format as retrieval
    from tellapart.formats.tables import format as tables
    from tellapart.formats.templates import format as muc
    from tellapart.formats.templates import format as templates
    from tellapart.formats.text import format as text

    # A file is of the first one that recognises it.
    return (
        *_plugged_in(),
        *(module.FORMAT for module in (inspect, lm_eval, helm)),
        *(recipe.format() for recipe in RECIPES),
        *preferences.FORMATS,
        muc.FORMAT, NUGGETS, COREF, SPANS, retrieval.FORMAT, TAGS, RELATIONS,
        *(module.FORMAT for module in (templates, text, tables)),
    )  # fmt: skip


def _plugged_in() -> list[Format]:
    from tellapart.formats.logs.recipe_reader import Recipe

    added = []
    for name, each in plugins.load(plugins.FORMATS).items():
        made = each.format() if isinstance(each, Recipe) else each
        if not isinstance(made, Format):
            raise UsageError(
                f"the plug-in {name!r} of {plugins.FORMATS} is no Format and no Recipe"
            )
        added.append(made)
    return added


def names() -> list[str]:
    """Return all that `--as` takes."""
    return [name for each in formats() for name in each.names]


def format_of(name: str) -> Format:
    """Return the format of a name, or of a recipe in a TOML file.

    >>> format_of("inspect").about
    'logs of Inspect, `.eval` or `.json`'
    """
    for each in formats():
        if name in each.names:
            return each
    if name.endswith(".toml"):
        from tellapart.formats.logs.recipe_reader import read_recipe

        return read_recipe(name).format()
    raise UsageError(f"there is no format {name!r}; {nearest(name, names())}")

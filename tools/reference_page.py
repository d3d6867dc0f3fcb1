"""Makes the page of all public names, from signatures and docstrings as they are in the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

_WIDTH = 90
_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def reference() -> str:
    """Return the page: functions first, then classes with their methods, then those of `stats`."""
    parts = ["# Python, by name\n\nAll that `import tellapart as ta` offers.\n"]
    return "\n".join([*parts, *(entry(name, value) for name, value in public_names().items())])


def public_names() -> dict[str, Any]:
    """Return all that the page tells of, in its order; what `stats` adds has a name with a dot."""
    import tellapart
    from tellapart import stats

    named = [(name, getattr(tellapart, name)) for name in sorted(tellapart.__all__)]
    named = [(name, value) for name, value in named if value is not stats]
    named.sort(key=lambda each: inspect.isclass(each[1]))
    known = [value for _, value in named]
    added = [(f"stats.{name}", getattr(stats, name)) for name in stats.__all__]
    added.sort(key=lambda each: inspect.isclass(each[1]))
    return dict([*named, *(each for each in added if each[1] not in known)])


def entry(name: str, value: Any) -> str:
    """Return what the page says of one name.

    >>> from tellapart import DataError
    >>> entry("DataError", DataError).splitlines()[3]
    'class DataError(TellapartError)'
    """
    parts = [f"## {name}\n", _code(_signed(name, value)), _told(value)]
    for method, head in _methods(value) if inspect.isclass(value) else ():
        parts += [f"### {name}.{method}\n", _code(head), _told(getattr(value, method))]
    return "\n".join(parts)


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    """Give what a class offers of its own that has a docstring, with how it is called."""
    for name, value in vars(kind).items():
        if name.startswith("_") or not (isinstance(value, property) or inspect.isroutine(value)):
            continue
        if inspect.ismemberdescriptor(value) or not inspect.getdoc(value):
            continue
        bound = getattr(kind, name)
        yield (
            name,
            f"{kind.__name__}.{name}"
            if isinstance(value, property)
            else _signed(f"{kind.__name__}.{name}", bound),
        )


def _signed(name: str, value: Any) -> str:
    """Return how something is called, on one line if it fits."""
    if inspect.isclass(value) and issubclass(value, Exception):
        return f"class {name}({value.__base__.__name__ if value.__base__ else ''})"
    signature = inspect.signature(value)
    told, starred = [], False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            told.append("*")
        starred |= each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        told += [_parameter(each)] if each.name != "self" else []
    returned = signature.return_annotation
    end = "" if returned in (inspect.Signature.empty, "None", None) else f" -> {returned}"
    head = f"class {name}" if inspect.isclass(value) else name
    line = f"{head}({', '.join(told)}){end}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{head}(", *(f"    {each}," for each in told), f"){end}"])


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    kind = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
    default = parameter.default
    if default is parameter.empty:
        return f"{stars}{parameter.name}{kind}"
    shown = getattr(default, "__name__", None) or repr(default)
    return f"{parameter.name}{kind} = {'...' if shown.startswith('<') else shown}"


def _told(value: Any) -> str:
    """Return a docstring, whose examples become blocks of code."""
    text = inspect.getdoc(value) or ""
    return _DOCTEST.sub(lambda found: _code(found[0]).rstrip("\n"), text) + "\n"


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"

"""What files of templates can be scored with, though it may not be what was meant."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates.layouts import FILLERS, TEMPLATES, TemplateFile
from tellapart.words import nearest


def warn_of_roles(gold: TemplateFile, systems: Sequence[TemplateFile], problems: Findings) -> None:
    """Warn of roles that only one side has: a misspelled one is never right, and never found."""
    files = [each for each in systems if _has_roles(each)]
    if not _has_roles(gold) or not files:
        return
    wanted = _first_lines(gold)
    given = [_first_lines(each) for each in files]
    for file, roles in zip(files, given, strict=True):
        for role, line in roles.items() if wanted else ():
            if role not in wanted:
                problems.warn(
                    f"{shown(file.path)}:{line}: gold has no role {role!r} "
                    f"({nearest(role, list(wanted))}); what fills it counts as wrong"
                )
    known = set[str]().union(*given)
    for role, line in wanted.items() if known else ():
        if role not in known:
            problems.warn(
                f"{shown(gold.path)}:{line}: no system has the role {role!r} "
                f"({nearest(role, sorted(known))}); what fills it counts as missed"
            )


def _has_roles(file: TemplateFile) -> bool:
    return file.layout.kind in (TEMPLATES, FILLERS)


def _first_lines(file: TemplateFile) -> dict[str, int]:
    """Return the roles of a file, filled or not, each with the first line that has it."""
    lines: dict[str, int] = {}
    for document in file.documents.values():
        for template in document.templates:
            for role in template.roles:
                lines.setdefault(role, document.line)
    return lines


def warn_of_types(file: TemplateFile, problems: Findings) -> None:
    """Warn of templates without a type in a file where others have one."""
    if file.layout.kind != TEMPLATES:
        return
    untyped, typed = list[tuple[str, int]](), False
    for document in file.documents.values():
        kinds = [template.type for template in document.templates]
        typed = typed or any(kind is not None for kind in kinds)
        untyped += [(document.id, document.line) for kind in kinds if kind is None]
    for name, line in untyped if typed else ():
        problems.warn(
            f"{shown(file.path)}:{line}: a template of document {name!r} has no type in words, "
            "which others have; it fits no gold template"
        )

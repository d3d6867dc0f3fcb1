"""All targets: at least one for every format, and for every file that an option names."""

from __future__ import annotations

from functools import cache

from .documents import document_targets
from .exports import export_targets
from .harnesses import harness_targets
from .lines import line_targets
from .logs import log_targets
from .preferences import preference_targets
from .tables import table_targets
from .target import Target
from .templates import template_targets


@cache
def targets() -> dict[str, Target]:
    """Return all targets by name."""
    found = [
        *table_targets(),
        *line_targets(),
        *log_targets(),
        *document_targets(),
        *export_targets(),
        *preference_targets(),
        *template_targets(),
    ]
    return {target.name: target for target in (*found, *harness_targets())}

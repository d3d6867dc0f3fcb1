"""What `score` says of templates: the report of a schema's slots, and the schema itself to edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tellapart.formats.contract import Report
from tellapart.formats.muc.report import conference_report
from tellapart.formats.templates.categories import NAME, Categories, schema_report, score_run
from tellapart.formats.templates.counting import ScoredTemplates
from tellapart.formats.templates.schema import to_toml

if TYPE_CHECKING:
    from tellapart.formats.templates.format import TemplateOptions


def with_schema_report(plain: Report, scored: ScoredTemplates, options: TemplateOptions) -> Report:
    """Return plain scores with what was asked for beside them."""
    categories = scored.settings.get(NAME) or Categories.of(scored.corpus)
    report = plain
    if NAME in scored.settings:
        runs = {
            name: score_run(categories, name, scored.corpus.gold, documents)
            for name, documents in zip(scored.slots, scored.corpus.predicted, strict=True)
        }
        report = conference_report(
            plain, runs, scored.runs_of, options.report, options.report_dir, schema_report
        )
    if options.write_schema is None:
        return report
    schema = replace(scored.schema, slots=categories.slots)
    return replace(report, files={**report.files, "write_schema": to_toml(schema)})

"""`tellapart demo`: the main job, done on built-in data."""

from __future__ import annotations

import argparse
import sys

from tellapart.console import in_colour, show

DESCRIPTION = """\
Compares all pairs of the 17 systems of the Message Understanding Conference of
1992 (MUC-4) on its 100 test messages: recall, precision and F, all just as
`tellapart compare` does it with your files. (The study of that year had other
rules: no correction for 136 pairs, and a level of 0.10.)"""
EXAMPLES = """\
example:
  tellapart demo"""

_NEXT = """\
What to type next:
  tellapart compare counts.csv      the same for your own table
  tellapart diff A B counts.csv     on which items two of them differ
  tellapart compare --help-all      what else is read, and which tests there are
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: it just runs."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001  (every verb takes the arguments)
    """Compare all pairs by the defaults."""
    from tellapart.comparison.compare import compare
    from tellapart.formats.reading import example
    from tellapart.progress import DelayedProgress
    from tellapart.report.method import method
    from tellapart.report.terminal import finding, matrix, system_table, table_legend
    from tellapart.report.terminal_text import filled
    from tellapart.report.verdict import disagreement, question

    with DelayedProgress() as progress:
        result = compare(example("muc4"), ["f1", "recall", "precision"], progress=progress)
    parts = [
        filled(
            "MUC-4 (1992): 17 systems, 100 messages, all 136 pairs, by the test and the "
            "correction that `tellapart compare` uses if you name none."
        ),
        filled(disagreement(result)),
        finding(result, "f1"),
        "\n".join(
            f"{question(result, metric)}  {told} of 136 pairs told apart."
            for metric in ("recall", "precision")
            for told in [sum(pair.different for pair in result.pairs if pair.metric == metric)]
        ),
        "\n".join(
            [*system_table(result, "f1", colour=in_colour(sys.stdout)), *table_legend(result)]
        ),
        "\n".join(matrix(result, "f1")),
        filled(method(result), "  "),
        _NEXT,
    ]
    show("\n\n".join(parts), coloured=True)
    return 0

"""`tellapart demo`: the main job, done on built-in data."""

from __future__ import annotations

import argparse
import sys

HELP = "show me, on built-in data"
DESCRIPTION = """\
Compares all pairs of the 17 systems of the Message Understanding Conference of
1992 (MUC-4) on its 100 test messages: recall, precision and F, by the exact
randomization test that the study of that year called out of reach, with the
groups of systems that cannot be told apart at 0.10."""
EXAMPLES = """\
example:
  tellapart demo"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: it just runs."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001  (every verb takes the arguments)
    """Compare all pairs, exactly."""
    from tellapart.comparing import compare
    from tellapart.examples import example
    from tellapart.report.progress import DelayedProgress
    from tellapart.report.terminal import render

    print(
        "17 systems of MUC-4 (1992), 100 messages, all 136 pairs, exact test, alpha 0.10.\n"
        "The same on your own table:\n"
        "  tellapart compare counts.csv --test exact --alpha 0.10 --correction none\n"
    )
    with DelayedProgress() as progress:
        result = compare(
            example("muc4"),
            ["recall", "precision", "f1"],
            test="exact",
            alpha=0.10,
            correction="none",
            progress=progress,
        )
    sys.stdout.write(render(result))
    return 0

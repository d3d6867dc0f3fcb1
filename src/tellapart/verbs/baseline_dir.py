"""`compare --baseline-dir`: the accepted run that a folder keeps, and the run that is checked."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from tellapart.console import remark
from tellapart.errors import Notice, UsageError
from tellapart.verbs.outputs import Outputs
from tellapart.words import listed, plural

if TYPE_CHECKING:
    from tellapart.comparison.gate import Baseline
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class BaselineFolder:
    """The accepted run that `--baseline-dir` keeps, and a new one."""

    args: argparse.Namespace
    run: Counts
    baseline: Baseline | None
    look: int = 1
    """The how-manieth run this is that is checked on these items"""

    @classmethod
    def of(cls, args: argparse.Namespace, run: Counts) -> BaselineFolder:
        """Read the folder; there must be a baseline, unless this run shall be the first."""
        from tellapart.comparison.gate import checked_again, read_baseline

        found = read_baseline(args.baseline_dir)
        if found is not None:
            return cls(args, run, *checked_again(found, run))
        if args.accept:
            return cls(args, run, None)
        raise UsageError(f"{args.baseline_dir}: there is no baseline yet; --accept keeps this run")

    def begin(self, outputs: Outputs) -> int:
        """Keep the first run, which there is nothing to compare with."""
        from tellapart.report.gate import first_run, no_checks

        name = self.run.names[0]
        contents: dict[str, Callable[[], str | dict[str, str]]] = {
            "--baseline-dir": lambda: self.content(accept=True),
            "--pr": lambda: first_run(name),
            "--junit": no_checks,
        }
        unmade = [option for option in outputs.named if option not in contents]
        if unmade:
            remark(f"{listed(unmade)}: there is nothing to write yet")
        named = {option: output for option, output in outputs.named.items() if option in contents}
        replace(outputs, named=named).write(contents)
        return 0

    def against(self, counts: Counts) -> Counts:
        """Return both runs, with what is to be said of them."""
        from tellapart.comparison.gate import against

        assert self.baseline is not None
        joined, alpha = against(self.baseline, counts), self.args.alpha
        age, items = self.baseline.age(_today()), plural(joined.kind)
        remark(f"compared with {joined.names[0]}, accepted {age}; this is check {self.look} on "
               f"these {items}")  # fmt: skip
        if self.look == 1:
            return joined
        looks = (
            f"This is check {self.look} on the same {items}: at level {alpha:g} each, the chance "
            f"that one or more of them err is up to {min(1.0, self.look * alpha):.0%}."
        )
        return replace(joined, notices=(*joined.notices, Notice("looks", looks)))

    def content(self, *, accept: bool) -> dict[str, str]:
        """Return the files of the folder: this run if it is accepted, or the old one."""
        from tellapart.comparison.gate import FILE, accepted

        kept = self.baseline
        if accept or kept is None:
            kept = accepted(self.run, _today(), () if kept is None else kept.checked)
            remark(f"{self.run.names[0]} is the baseline now, kept in {self.args.baseline_dir}")
        return {FILE: kept.to_json()}


def _today() -> date:
    return datetime.now(UTC).date()

"""`compare --baseline-dir`: the accepted run that a folder keeps, and the run that is checked."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from tellapart.commands.inputs import given_options
from tellapart.commands.outputs import Outputs
from tellapart.console import say
from tellapart.errors import Notice, UsageError
from tellapart.words import listed, plural

if TYPE_CHECKING:
    from tellapart.comparison.gate import Baseline
    from tellapart.comparison.options import Options
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
        if found is None:
            if not args.accept:
                raise UsageError(
                    f"{args.baseline_dir}: there is no baseline yet; add --accept to keep this run "
                    "as the first"
                )
            return cls(args, run, None)
        noted, look = checked_again(found, run)
        return cls(args, run, noted, look)

    def begin(self, outputs: Outputs) -> int:
        """Keep the first run, which there is nothing to compare with."""
        from tellapart.report.gate import first_run, no_checks

        name = self.run.names[0]
        contents: dict[str, Callable[[], str | dict[str, str]]] = {
            "--baseline-dir": self._accepted,
            "--pr": lambda: first_run(name),
            "--junit": no_checks,
        }
        unmade = [option for option in outputs.named if option not in contents]
        if unmade:
            say(f"{listed(unmade)}: there is nothing to write yet")
        named = {option: output for option, output in outputs.named.items() if option in contents}
        replace(outputs, named=named).write(contents)
        say(
            f"{self.run.names[0]} is the baseline now, kept in {self.args.baseline_dir}; there was "
            "none to compare with"
        )
        return 0

    def against(self, counts: Counts) -> Counts:
        """Return both runs, with what is to be said of them."""
        from tellapart.comparison.gate import against

        assert self.baseline is not None
        joined = against(self.baseline, counts)
        say(
            f"compared with {joined.names[0]}, accepted {self.baseline.age(_today())}; this is "
            f"check {self.look} on these {plural(joined.kind)}"
        )
        return replace(joined, notices=(*joined.notices, *self._looks()))

    def _looks(self) -> Iterator[Notice]:
        alpha = self.args.alpha
        if self.look > 1 and not self.args.count_looks:
            text = (
                f"This is check {self.look} on the same {plural(self.run.kind)}: at level "
                f"{alpha:g} each, the chance that one or more of them err is up to "
                f"{min(1.0, self.look * alpha):.0%}; --count-looks keeps the series at {alpha:g}."
            )
            yield Notice("looks", text)

    def options(self) -> Options:
        """Return the options of the comparison, at the level of this look if looks count."""
        from tellapart.stats.corrections import level_of_look

        found = given_options(self.args)
        if not self.args.count_looks:
            return found
        return replace(found, alpha=level_of_look(found.alpha, self.look))

    def content(self, *, accept: bool) -> dict[str, str]:
        """Return the files of the folder: this run if it is accepted, or the old one."""
        from tellapart.comparison.gate import FILE

        assert self.baseline is not None
        if accept:
            say(f"{self.run.names[0]} is the baseline now")
            return self._accepted()
        return {FILE: self.baseline.to_json()}

    def _accepted(self) -> dict[str, str]:
        from tellapart.comparison.gate import FILE, accepted

        checked = () if self.baseline is None else self.baseline.checked
        return {FILE: accepted(self.run, _today(), checked).to_json()}


def _today() -> date:
    return datetime.now(UTC).date()

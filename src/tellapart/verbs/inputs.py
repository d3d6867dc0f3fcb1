"""The arguments of verbs: what they read, in which format, and the options of comparisons."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tellapart.comparison.options import OPTIONS, Options
from tellapart.console import DelayedProgress, remark, show, warn
from tellapart.errors import Finding, UsageError
from tellapart.formats.contract import WEIGHTS, Format, Sources
from tellapart.formats.problems import FOR_TESTS, shortened
from tellapart.formats.registry import TABLES, format_of, formats
from tellapart.options import Option, names_in, options_of
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.metrics import Metric


def add_arguments(parser: argparse.ArgumentParser, verb: str, files: str = "+") -> None:
    """Declare files (how many, as argparse says it), format, gold, metrics and items."""
    parser.add_argument("files", nargs=files, metavar="SYSTEM", help=argparse.SUPPRESS)
    group = parser.add_argument_group("input")
    add = group.add_argument
    add_form(group)
    add("--gold", action="append", default=[], metavar="FILE", help="gold answers; repeatable")
    add("--metric", action="extend", type=names_in, metavar="NAME",
        help="f1, accuracy, bleu, … (default: what the files have)")  # fmt: skip
    add("--item", metavar="COLUMN", help="the column that names the item")
    for declared in _table_options():  # tables need no `--as`
        declared.add_to(group)
    if verb != "score":  # whose reports are of all systems, and know no labels
        add("--systems", action="append", metavar="A,B", help="only these systems")
        add("--where", action="append", default=[], metavar="LABEL=VALUE",
            help="only these items; repeatable")  # fmt: skip
        add("--item-labels", action="append", default=[], metavar="FILE",
            help="a table with labels of the items; repeatable")  # fmt: skip
    policies = ("error", "zero", "drop", *(["bounds"] if verb == "compare" else []))
    add("--missing", choices=policies,
        help=f"items that a system lacks: {', '.join(policies)} (default: error)")  # fmt: skip
    add("--weights", choices=WEIGHTS, help="what counts the same in a score of several tasks")


def add_form(group: argparse._ActionsContainer) -> None:
    """Declare `--as`; what it names is looked up when its options are added."""
    group.add_argument("--as", dest="form", metavar="FORMAT",
                       help="inspect, lm-eval, text, … (default: by content)")  # fmt: skip


def _table_options() -> list[Option]:
    return list(options_of(format_of(TABLES).options))


def add_format_options(parser: argparse.ArgumentParser, name: str, verb: str) -> None:
    """Declare the options of one format, and what its items may be."""
    chosen = format_of(name)
    group = parser.add_argument_group(f"--as {name}")
    known = {declared.name for declared in _table_options()}
    for declared in options_of(chosen.options, verb):
        if declared.name not in known:
            declared.add_to(group)
    if chosen.units:
        group.add_argument("--unit", dest="item", choices=chosen.units, help="what an item is")


def formats_with(flag: str, verb: str) -> list[str]:
    """Return the names of the formats that have an option of a verb."""
    return [
        form.name
        for form in formats()
        if (flag == "--unit" and form.units)
        or any(each.flag == flag for each in options_of(form.options, verb))
    ]


def add_comparison_options(group: argparse._ActionsContainer, *names: str, **changed: Any) -> None:
    """Declare some options of a comparison; `changed` replaces what they say, such as the help.

    >>> parser = argparse.ArgumentParser()
    >>> add_comparison_options(parser.add_argument_group(), "alpha", "min_confidence")
    >>> parser.parse_args(["--min-confidence", "0.99"])
    Namespace(alpha=0.05, min_confidence=0.99)
    """
    for name in names:
        OPTIONS[name].add_to(group, **{"default": OPTIONS[name].default, **changed})


def given_options(args: argparse.Namespace) -> Options:
    """Return the record of the options that the command line was given."""
    return Options(**{name: getattr(args, name) for name in OPTIONS if hasattr(args, name)})


def add_human(group: argparse._ActionsContainer) -> None:
    """Declare the option that names people's scores."""
    group.add_argument("--human", action="append", default=[], metavar="NAME|FILE",
        help="people's scores of some items, which correct a judge's")  # fmt: skip


def add_direction(group: argparse._ActionsContainer) -> None:
    """Declare the option for values that count errors."""
    group.add_argument("--lower-is-better", action="append", nargs="?", const=True, metavar="NAME",
        help="this value counts errors (all, without a name); repeatable")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """The files that a command line names: their format, the sources, and the format's options."""

    format: Format
    sources: Sources
    options: Any
    lower: Sequence[str | bool] = ()
    """The values that count errors, by name, or true where all of them do"""

    @property
    def files(self) -> list[str]:
        """All files and folders that are read, by systems, gold and options."""
        return self.sources.files(self.options)

    def read(self) -> Counts:
        """Return the counts in the files; standard error says what tables were taken for."""
        with DelayedProgress() as progress:
            counts = replace(self, sources=replace(self.sources, progress=progress)).counts()
        if self.sources.form is None and TABLES in self.format.names:
            systems = listed(counts.names, most=8)
            remark(f"read as {counts.form}: {counts.extent}: {systems} ({counts.about})")
            judge = [name for name in counts.columns if name != "human"]
            if len(judge) == 1 < len(counts.columns) and not self.sources.human:
                words = f"tellapart compare --metric {shlex.quote(judge[0])} --human human"
                remark(f"people's scores stand beside a judge's; {words} corrects it by theirs")
        return counts

    def counts(self) -> Counts:
        """Return the items and systems that are wanted, systems in the order they are named."""
        from tellapart.formats.reading import read_counts

        return directed(read_counts(self.format, self.sources, self.options), self.lower)

    def metrics(self, counts: Counts) -> list[str | Metric] | None:
        """Return the metrics to score by: those that the reader made, or else those named."""
        return None if counts.metrics or self.sources.human else list(self.sources.metrics) or None


def request(args: argparse.Namespace, *, checked: bool = True) -> Request:
    """Return what a command line asks to be read; a guess of the format goes to standard error.

    Verbs that check files themselves (not `checked`) also get those with problems.
    """
    names = ("item", "missing", "weights", "form")
    given: dict[str, Any] = {name: getattr(args, name, None) for name in names}
    several = {"metrics": "metric", "gold": "gold", "item_labels": "item_labels"}
    several |= {"only": "systems", "human": "human", "costs": "cost"}
    given |= {name: tuple(getattr(args, dest, None) or ()) for name, dest in several.items()}
    given["where"] = wanted_labels(getattr(args, "where", ()))
    sources = Sources(tuple(args.files), **given)
    chosen = _chosen(sources, checked)
    chosen.check(sources)
    sources = replace(sources, missing=sources.missing or chosen.missing)
    parts = [label for label in getattr(args, "by", None) or () if label in chosen.units[1:]]
    if parts and sources.item is None and not sources.item_labels:
        whole, smallest = chosen.units[0], chosen.units[-1]
        raise UsageError(f"--by {parts[0]} is of parts of a {whole}: add --unit {smallest}")
    lower = getattr(args, "lower_is_better", None) or ()
    return Request(chosen, sources, format_options(args, chosen), lower)


def _chosen(sources: Sources, checked: bool) -> Format:
    """Return the format that `--as` names, or else what the files look like."""
    if sources.form is not None:
        return format_of(sources.form)
    from tellapart.formats.registry import guess_format

    chosen = guess_format(sources.systems, sources.gold, checked=checked)
    if TABLES not in chosen.names or not checked:
        name = "a table" if TABLES in chosen.names else chosen.name
        remark(f"read as {name}; --as names another format")
    return chosen


def format_options(args: argparse.Namespace, chosen: Format) -> Any:
    """Return the options of the format; refuse those of tables where there is none."""
    known = {declared.name for declared in options_of(chosen.options, args.verb)}
    for declared in _table_options():
        if declared.name in vars(args) and declared.name not in known:
            form = args.form or chosen.name
            raise UsageError(f"{declared.flag} is about tables, and these files are read as {form}")
    return chosen.options(**{name: vars(args)[name] for name in known & vars(args).keys()})


def refuse(args: argparse.Namespace, why: str, *flags: str) -> None:
    """Refuse options that have no place in what is asked for."""
    for flag in flags:
        if flag in args.flags:
            raise UsageError(f"{why}: drop {flag}")


def print_notices(counts: Counts) -> None:
    """Print what a reader remarked, for verbs whose report has no place for it."""
    for notice in counts.notices:
        if notice.code != FOR_TESTS:
            warn(notice.text)


def print_findings(findings: Sequence[Finding]) -> int:
    """Print what is wrong with files, those of a kind shortened; return how many are errors."""
    for line in shortened(findings):
        show(f"{line}\n")
    return sum(each.fatal for each in findings)


def refuse_one_system(counts: Counts, request: Request, verb: str) -> None:
    """Refuse to compare a system with nothing, by the command that was probably meant."""
    if len(counts.names) > 1:
        return
    first = str(request.sources.systems[0])
    remedies = [f"give the file of another: {shlex.join(['tellapart', verb, first, 'OTHER'])}"]
    remedies += [notice.text for notice in counts.notices if notice.code == "unfinished"]
    raise UsageError(f"there is one system, {counts.names[0]!r}; {'; '.join(remedies)}")


def wanted_labels(conditions: Sequence[str]) -> dict[str, list[str]]:
    """Return by label the values that conditions such as ``domain=news`` allow.

    >>> wanted_labels(["domain=news", "domain=web"])
    {'domain': ['news', 'web']}
    """
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        label, equals, value = condition.partition("=")
        if not equals:
            raise UsageError(f"--where wants LABEL=VALUE, not {condition!r}")
        wanted.setdefault(label, []).append(value)
    return wanted


def directed(counts: Counts, named: Sequence[str | bool]) -> Counts:
    """Return counts that know of which values less is better: those named, or all."""
    from tellapart.counts import errors

    return errors(counts, True in named or [str(name) for name in named])

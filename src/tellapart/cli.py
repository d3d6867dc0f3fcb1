"""The command line: find the verb, read its options, and run it."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final, NoReturn

from tellapart.console import COLOURS, Manner, remark, say, show, speaking
from tellapart.errors import UsageError
from tellapart.program import BAD_REQUEST, guarded
from tellapart.read_once import reading_once
from tellapart.words import most_alike

VERBS: Final = {
    "compare": "is A really better than B? which systems can be told apart?",
    "score": "how good is each system? (the task's own report)",
    "diff": "on which items do they differ?",
    "validate": "is this file well formed? (all problems, with lines)",
    "convert": "how do I get these templates into another layout?",
    "plan": "how many items do I need to see a difference of this size?",
    "calibrate": "can I trust this test on my data? (its errors, measured)",
    "watch": "may I stop evaluating now? (looks at files that grow)",
    "adjudicate": "is this answer right after all? (decisions of one person)",
    "campaign": "what do several people say? (questions, judges, decisions)",
    "serve": "what do several people say? (the campaign in a browser)",
    "completion": "may the Tab key finish what I type? (bash, zsh, fish)",
    "demo": "show me, on built-in data",
}
"""The verbs, each a module of `tellapart.verbs`, and the question that it answers"""


SHORTEST_HELP: Final = """\
tellapart tells whether one language system is really better than another.

  tellapart demo                  a whole comparison, on built-in data
  tellapart compare scores.csv    is A really better than B?
  tellapart diff scores.csv       on which items do they differ?
  tellapart score scores.csv      how good is each system?

A table has a row for each item and a column for each system; `--as` reads the
logs and outputs of many programs.
All verbs: tellapart --help; the options of one: tellapart compare --help
"""
"""What `tellapart` alone shows"""

_MANNERS: Final = {"--quiet", "--color"}
_LONG: Final = re.compile(r"(\S{60})\S{20,}")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help in which an option of several spellings names its value once, as from Python 3.13 on."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=25)
        self._action_max_length = 15  # the longest verb; Python forgets by how much it is indented

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence, and whose help fits a screen."""

    short: Mapping[str, str] | None = None
    """The options that `--help` shows, with what it says of them if that is less than all there is
    to say; None: all. `--help-all` shows all in any case."""

    def shorten(
        self, short: Mapping[str, str] | None, words: Mapping[str, str] | None = None
    ) -> None:
        """Let `--help` show some options only; by default all but those of single formats.

        `words` is then what it says of some of them; by default, what all verbs say.
        """
        of_formats = {
            flag
            for group in self._action_groups
            if str(group.title).startswith("--as ")
            for action in group._group_actions
            for flag in action.option_strings
        }
        if short is None and not of_formats:
            return
        from tellapart.verbs.inputs import SHORT_HELP

        if short is None:
            flags = self._option_string_actions.keys() - of_formats - _MANNERS
            known = SHORT_HELP if words is None else words
            short = {flag: known.get(flag, "") for flag in flags}
        self.short = short
        self.add_argument("--help-all", action=_HelpAll, help="show all options, and exit")

    def format_help(self) -> str:
        """Return the help: the options that most people need, and how to see the others."""
        if self.short is None:
            return super().format_help()
        files = " ".join(
            str(each.metavar) for each in self._get_positional_actions() if each.metavar
        )
        saved = self.usage, self.epilog, {each: each.help for each in self._actions}
        try:
            self.usage = f"{self.prog} {files} … [options]".replace("  ", " ")
            self.epilog = f"{self.epilog or ''}\n\nall options: {self.prog} --help-all".lstrip()
            for each in self._actions:
                known = [flag for flag in each.option_strings if flag in self.short]
                if each.option_strings:
                    each.help = self.short[known[0]] or each.help if known else argparse.SUPPRESS
                elif str(each.help).endswith("see above"):
                    each.help = argparse.SUPPRESS
            return super().format_help()
        finally:
            self.usage, self.epilog, texts = saved
            for each, text in texts.items():
                each.help = text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = None if action.choices is None else list(action.choices)
        if choices is not None and value not in choices:
            near = most_alike(str(value), list(map(str, choices)))
            known = f"did you mean {near!r}?" if near else f"there are {', '.join(choices)}"
            raise argparse.ArgumentError(action, f"there is no {value!r}; {known}")

    def error(self, message: str) -> NoReturn:
        """Complain in one sentence, and exit."""
        message = _LONG.sub(r"\1…", message)  # argparse repeats what it was given, whole
        see = " See" if message.endswith("?") else "; see"
        say(f"{message}{see} {self.prog} --help", self.prog)
        self.exit(BAD_REQUEST)

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """Refuse options that the parser does not have; the sentence names the nearest one."""
        flags = {each.removeprefix("--"): each for each in self._option_string_actions}
        for word in words:
            given = word.partition("=")[0].removeprefix("--")
            # What begins an option stands for it, and argparse says where it begins several.
            if word.startswith("-") and word != "-" and not any(f.startswith(given) for f in flags):
                near = most_alike(given, list(flags)) if word.startswith("--") else None
                hint = "" if near is None else f"; did you mean {flags[near]}?"
                self.error(f"there is no option {word.partition('=')[0]}{hint}")


class _Version(argparse.Action):
    """Prints version and engine; asks the engine only then, since that loads numpy."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        from tellapart.engine import describe

        show(f"tellapart {version('tellapart')} ({describe()})\n")
        parser.exit()


class _HelpAll(argparse.Action):
    """Prints the help with all options."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        if isinstance(parser, Parser):
            parser.short = None
        parser.print_help()
        parser.exit()


def build_parser(argv: Sequence[str] = (), *, every: bool = False) -> Parser:
    """Declare all verbs; the options of the one that is called, whose module alone is loaded.

    With `every`, those of all verbs, as completion needs them.
    """
    parser = Parser(
        prog="tellapart",
        formatter_class=_HelpFormatter,
        description="Tells whether one language system is really better than another.",
        epilog="Try: tellapart demo",
    )
    parser.add_argument("--version", action=_Version, help="show version and engine, and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, title="verbs")
    called = next((word for word in argv if not word.startswith("-")), None)
    for name, question in VERBS.items():
        if every or name == called:
            module = _module(name)
            verb = verbs.add_parser(
                name,
                help=question,
                description=module.DESCRIPTION,
                epilog=module.EXAMPLES,
                formatter_class=_HelpFormatter,
            )
            module.add_arguments(verb)
            actions = inner_parsers(verb).values()
            for each in actions or [verb]:
                _add_manner(each)
            verb.shorten(getattr(module, "SHORT_HELP", None))
            for action in actions:
                action.shorten(None, module.SHORT_WORDS)
        else:
            verbs.add_parser(name, help=question)
    return parser


def _add_manner(parser: Parser) -> None:
    """Declare how a verb speaks, behind its other options for output if it has some."""
    output = (each for each in parser._action_groups if each.title == "output")
    group: argparse._ActionsContainer = next(output, parser)
    group.add_argument("--quiet", action="store_true", help="no remarks and no progress")
    group.add_argument("--color", choices=COLOURS, default="auto",
                       help="whether to write in colour (default: auto, on a terminal, unless "
                       "NO_COLOR is set)")  # fmt: skip


def _module(verb: str) -> Any:
    return import_module(f"tellapart.verbs.{verb}")


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; files may also come after options, in several places."""
    parser = build_parser(argv)
    verb = called_parser(parser, argv)
    own = itertools.takewhile(lambda word: word != "--", argv)
    # First: that an argument is missing may be because of a misspelt option.
    verb.refuse_unknown([word for word in own if word.startswith("--")])
    args, rest = parser.parse_known_args(argv)
    verb.refuse_unknown(rest)
    files = getattr(args, "systems", None) or getattr(args, "files", None)
    if files is not None:
        files.extend(rest)
    elif rest:
        verb.error(f"{rest[0]!r} is one argument too many")
    return args


def pairs_apart(words: Sequence[str]) -> list[str]:
    """Return a command line in which `--pair A,B` is `--pair A B`.

    Names of systems may have commas, too: what stands before another name is one.

    >>> pairs_apart(["plan", "--pair", "old,new", "--power", "0.9"])
    ['plan', '--pair', 'old', 'new', '--power', '0.9']
    >>> pairs_apart(["diff", "--pair", "old,1", "new,2"])
    ['diff', '--pair', 'old,1', 'new,2']
    """
    found: list[str] = []
    for k, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag == "--pair" and equals and value.count(",") == 1:
            found += [flag, *value.split(",")]
        elif k and words[k - 1] == "--pair" and word.count(",") == 1:
            after = words[k + 1] if k + 1 < len(words) else "-"
            alone = after.startswith("-") or any(
                map(os.path.exists, (after, after.partition("=")[2]))
            )
            found += word.split(",") if alone else [word]
        else:
            found.append(word)
    return found


def files_apart(words: Sequence[str]) -> list[str]:
    """Return a command line in which `--coref FILE` of templates is `--coref= FILE`.

    For event nuggets `--coref` stands alone, and a file after it is a system's. A file of clusters
    is told by `--as templates`, or where there is no `--as`, by its first letter.

    >>> files_apart(["score", "--as", "templates", "a.jsonl", "--coref", "clusters.jsonl"])
    ['score', '--as', 'templates', 'a.jsonl', '--coref=', 'clusters.jsonl']
    >>> files_apart(["score", "--as", "nuggets", "--coref", "a.tbf"])
    ['score', '--as', 'nuggets', '--coref', 'a.tbf']
    """
    if next((word for word in words if not word.startswith("-")), None) == "validate":
        return [*words]  # which has the option of templates alone
    form = next((after for word, after in itertools.pairwise(words) if word == "--as"), None)
    form = next((word[5:] for word in words if word.startswith("--as=")), form)
    found: list[str] = []
    for word, after in itertools.zip_longest(words, words[1:], fillvalue="-"):
        if word.startswith("--coref="):
            found += ["--coref=", word.removeprefix("--coref=")]
        elif word == "--coref" and not after.startswith("-"):
            is_file = form == "templates" or (form is None and _begins_with_brace(after))
            found.append("--coref=" if is_file else word)
        else:
            found.append(word)
    return found


def _begins_with_brace(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except (OSError, ValueError):
        return False


def called_parser(parser: Parser, argv: Sequence[str]) -> Parser:
    """Return the parser of the verb that is called, or of the action of that verb."""
    words = iter(argv)
    while inner := inner_parsers(parser):
        name = next((word for word in words if word in inner), None)
        if name is None:
            break
        parser = inner[name]
    return parser


def inner_parsers(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """Return the parsers of the verbs, or of the actions of a verb that has several."""
    found = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {name: each for action in found for name, each in action.choices.items()}


def all_parsers() -> Iterator[tuple[str, Parser]]:
    """Yield every verb with its parser; those with actions as `campaign new`, action by action."""
    for verb in VERBS:
        parser = inner_parsers(build_parser([verb]))[verb]
        for action, inner in inner_parsers(parser).items():
            yield f"{verb} {action}", inner
        if not inner_parsers(parser):
            yield verb, parser


def _check_verb(words: Sequence[str]) -> None:
    """Refuse a verb that there is not; the sentence names the nearest one."""
    verb = next((word for word in words if not word.startswith("-")), None)
    if verb is not None and verb not in VERBS:
        near = most_alike(verb, list(VERBS))
        hint = f"did you mean {near!r}? See" if near else f"there are {', '.join(VERBS)}; see"
        raise UsageError(f"there is no verb {verb!r}; {hint} tellapart --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the status; see `tellapart.program` for what it means."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Before NumPy is loaded, which else starts a thread on each core: they spin, and help nobody.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def work() -> int:
        if not words:
            remark(SHORTEST_HELP.rstrip())
            return BAD_REQUEST
        _check_verb(words)
        args = _parsed(files_apart(pairs_apart(words)))
        args.command_line = words
        args.every_verb = partial(build_parser, every=True)  # for completion
        checksums = getattr(args, "html", None) is not None
        with speaking(Manner(args.color, args.quiet)), reading_once(checksums=checksums):
            return int(_module(args.verb).run(args))

    return guarded("tellapart", work)

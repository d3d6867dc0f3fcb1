"""The command line: find the verb, read its options, and run it.

Whatever happens, the user reads one sentence and a shell gets a status that means one thing:
0 done; 1 done, and a system is worse (where `--fail-if-worse` asked); 2 the input or the request
cannot be used; 70 an internal error; 130 interrupted (Ctrl-C).
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

from tellapart.console import (
    COLOURS,
    INTERRUPTED,
    ConsoleOptions,
    console_options,
    remark,
    say,
    show,
)
from tellapart.errors import TellapartError, UsageError
from tellapart.files import reading_once
from tellapart.words import most_alike

VERBS: Final = {
    "compare": "is A really better than B? which systems can be told apart?",
    "score": "how good is each system? (the task's own report)",
    "diff": "on which items do they differ?",
    "validate": "is this file well formed? (all problems, with lines)",
    "plan": "how many items do I need to see a difference of this size?",
    "calibrate": "can I trust this test on my data? (its errors, measured)",
    "watch": "may I stop evaluating now? (looks at files that grow)",
    "adjudicate": "is this answer right after all? (decisions of one person)",
    "campaign": "what do several people say? (questions, judges, decisions)",
    "serve": "what do several people say? (the campaign in a browser)",
    "demo": "show me, on built-in data",
}
"""The verbs, each a module of `tellapart.verbs`, and the question that it answers"""

_SHORTEST_HELP: Final = """\
tellapart tells whether one language system is really better than another.

  tellapart demo                  a whole comparison, on built-in data
  tellapart scores.csv            is A really better than B? (compare)
  tellapart diff scores.csv       on which items do they differ?
  tellapart score scores.csv      how good is each system?

A table has a row for each item and a column for each system; `--as` reads the
logs and outputs of many programs.
All verbs: tellapart --help; the options of one: tellapart compare --help"""
BAD_REQUEST: Final = 2
_INTERNAL_ERROR: Final = 70
_COMPLETION: Final = "--print-completion"


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


class _HelpAll(argparse.Action):
    """Prints the help with all options."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, Parser)
        from tellapart.formats.registry import names

        parser.hidden = ()
        show(f"{parser.format_help()}\nformats: {', '.join(names())}\n")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence, and whose help fits a screen."""

    hidden: Collection[argparse.Action] = ()
    """The options that only `--help-all` shows"""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _HelpFormatter, "allow_abbrev": False, **given})

    def shorten(self, shown: Collection[str]) -> None:
        """Let `--help` show only these of the options that there are by now."""
        self.add_argument(
            "--help-all", action=_HelpAll, nargs=0, help="show all options and formats"
        )
        kept = {"--help", "--help-all", *shown}
        self.hidden = [
            action
            for action in self._actions
            if action.option_strings and not kept & set(action.option_strings)
        ]

    def format_help(self) -> str:
        """Return the help: the options that most people need, or all."""
        texts = [action.help for action in self.hidden]
        files = [str(action.metavar) for action in self._get_positional_actions() if action.metavar]
        self.usage = " ".join([self.prog, *files, "[options]"])
        try:
            for action in self.hidden:
                action.help = argparse.SUPPRESS
            return super().format_help()
        finally:
            for action, text in zip(self.hidden, texts, strict=True):
                action.help = text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = None if action.choices is None else list(action.choices)
        if choices is not None and value not in choices:
            near = most_alike(str(value), list(map(str, choices)))
            known = f"did you mean {near!r}?" if near else f"there are {', '.join(choices)}"
            raise argparse.ArgumentError(action, f"there is no {value!r}; {known}")

    def error(self, message: str) -> NoReturn:
        """Complain in one sentence, and exit."""
        message = message.removeprefix("argument ")
        message = re.sub(r"(\S{60})\S{20,}", r"\1…", message)  # argparse repeats all it was given
        see = " See" if message.endswith("?") else "; see"
        say(f"{message}{see} {self.prog} --help", self.prog)
        self.exit(BAD_REQUEST)

    def parse_files_anywhere(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse words among which files may come behind options, too, in several places."""
        self._refuse_unknown(itertools.takewhile(lambda word: word != "--", words))
        args, rest = self.parse_known_args(words)
        if rest and hasattr(args, "files"):
            args.files.extend(rest)
        elif rest:
            self.error(f"{rest[0]!r} is one argument too many")
        return args

    def _refuse_unknown(self, words: Iterator[str]) -> None:
        """Refuse an option that there is not, by the nearest one or the format that has it."""
        parser = self
        for word in words:
            flag = word.partition("=")[0]
            inner = inner_parsers(parser)
            parser = inner.get(word, parser)
            if inner or not flag.startswith("--") or flag in parser._option_string_actions:
                continue
            if "--as" in parser._option_string_actions:
                from tellapart.verbs.inputs import formats_with

                if formats := formats_with(flag):
                    parser.error(f"{flag} goes with {' or '.join(f'--as {f}' for f in formats)}")
            known = {each.removeprefix("--"): each for each in parser._option_string_actions}
            near = most_alike(flag.removeprefix("--"), list(known))
            hint = "" if near is None else f"; did you mean {known[near]}?"
            if flag in verb_parser("compare")._option_string_actions:
                hint = "; it is one of tellapart compare"
            parser.error(f"there is no option {flag}{hint}")


def inner_parsers(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """Return the parsers of the actions of a verb that has several, such as `campaign new`."""
    several = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {name: inner for action in several for name, inner in action.choices.items()}


def verb_parser(verb: str, words: Sequence[str] = ()) -> Parser:
    """Return the parser of a verb, with the options of the format that `--as` names."""
    module = _module(verb)
    parser = Parser(
        prog=f"tellapart {verb}", description=module.DESCRIPTION, epilog=module.EXAMPLES
    )
    module.add_arguments(parser)
    for leaf in inner_parsers(parser).values() or [parser]:
        _add_console_options(leaf)
    if hasattr(module, "SHORT"):
        parser.shorten(module.SHORT)
    called = next((inner for name, inner in inner_parsers(parser).items() if name in words), parser)
    name = _named_format(words)
    if name is not None and "--as" in called._option_string_actions:
        from tellapart.verbs.inputs import add_format_options

        add_format_options(called, name, verb)
    return parser


def _named_format(words: Sequence[str]) -> str | None:
    """Return what `--as` names.

    >>> _named_format(["a.txt", "--as", "muc"]), _named_format(["--as=muc"]), _named_format([])
    ('muc', 'muc', None)
    """
    for word, following in itertools.zip_longest(words, words[1:]):
        if word == "--":
            break
        if word == "--as":
            return following
        if word.startswith("--as="):
            return word.removeprefix("--as=")
    return None


def _add_console_options(parser: Parser) -> None:
    """Declare how a verb speaks, behind its other options for output if it has some."""
    output = (each for each in parser._action_groups if each.title == "output")
    group: argparse._ActionsContainer = next(output, parser)
    group.add_argument("--quiet", action="store_true", help="the answer and its warnings alone: no "
                       "remarks, no progress")  # fmt: skip
    group.add_argument("--color", choices=COLOURS, default="auto",
                       help="auto (on a terminal, unless NO_COLOR is set), always or never",
                       )  # fmt: skip


def all_parsers() -> Iterator[tuple[str, Parser]]:
    """Yield every verb with its parser; those with actions as `campaign new`, action by action."""
    for verb in VERBS:
        parser = verb_parser(verb)
        inner = inner_parsers(parser)
        yield from ((f"{verb} {action}", each) for action, each in inner.items())
        if not inner:
            yield verb, parser


def _parser_of_all() -> Parser:
    """Return one parser that has those of all verbs inside, as completion needs it."""
    parser = Parser(prog="tellapart")
    inner = parser.add_subparsers()
    for verb, question in VERBS.items():
        inner.add_parser(verb, help=question)
        inner.choices[verb] = verb_parser(verb)
    return parser


def _module(verb: str) -> Any:
    return import_module(f"tellapart.verbs.{verb}")


def _overview() -> str:
    verbs = "".join(f"  {verb:12}{question}\n" for verb, question in VERBS.items())
    return f"""\
usage: tellapart VERB ...
       tellapart FILE ...       the same as tellapart compare FILE ...

Tells whether one language system is really better than another.

verbs:
{verbs}
options:
  --help                    this help; tellapart VERB --help: the options of a verb
  --version                 show version and engine, and exit
  {_COMPLETION} SHELL  a script that completes verbs and options: bash, zsh, fish

Try: tellapart demo
"""


def _run(words: Sequence[str]) -> int:
    """Do what a command line asks for."""
    if not words:
        remark(_SHORTEST_HELP)
        return BAD_REQUEST
    first = words[0]
    if first in ("-h", "--help"):
        show(_overview())
        return 0
    if first == "--version":
        from importlib.metadata import version

        from tellapart.engine import describe

        show(f"tellapart {version('tellapart')} ({describe()})\n")
        return 0
    if first.partition("=")[0] == _COMPLETION:
        from tellapart.verbs.completion import completion_script

        shell = words[0].partition("=")[2] or " ".join(words[1:])
        show(completion_script(shell, _parser_of_all()))
        return 0
    if first not in VERBS:
        _refuse_no_file(first)
        words = ["compare", *words]
    verb, *given = words
    parser = verb_parser(verb, given)
    args = parser.parse_files_anywhere(given)
    args.verb, args.command_line = verb, words
    from tellapart.verbs.project import apply_project_defaults

    defaults = apply_project_defaults(args, given)
    with console_options(ConsoleOptions(args.color, args.quiet)), reading_once():
        if defaults:
            remark(defaults)
        return int(_module(verb).run(args))


def _refuse_no_file(word: str) -> None:
    """Refuse a first word that is neither a verb nor what `compare` could read."""
    path = word.partition("=")[2] or word
    if word.startswith("-") or os.path.exists(path) or any(mark in word for mark in "./=*"):
        return
    near = most_alike(word, list(VERBS))
    hint = f"did you mean {near!r}? See" if near else f"there are {', '.join(VERBS)}; see"
    raise UsageError(f"there is no verb or file {word!r}; {hint} tellapart --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the status."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Before NumPy is loaded, which otherwise starts a spinning thread on each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return exit_status("tellapart", lambda: _run(words))


def exit_status(program: str, work: Callable[[], int]) -> int:
    """Do a program's work, and turn what goes wrong into one sentence and a status.

    >>> exit_status("tellapart", lambda: 0)
    0
    """
    try:
        return work()
    except TellapartError as problem:
        say(str(problem), program)
        return BAD_REQUEST
    except MemoryError:
        say("this needs more memory than there is; compare fewer at a time", program)
        return BAD_REQUEST
    except KeyboardInterrupt:
        say("interrupted", program)
        return INTERRUPTED
    except Exception as problem:
        import traceback

        if os.environ.get("TELLAPART_DEBUG"):
            traceback.print_exc()
        last = traceback.extract_tb(problem.__traceback__)[-1]
        what = f"{type(problem).__name__} in {os.path.basename(last.filename)}:{last.lineno}"
        text = " ".join(str(problem).split())[:200]
        say(f"internal error: {what} ({text}); please report it with the file and this command "
            "line (TELLAPART_DEBUG=1 shows the traceback)", program)  # fmt: skip
        return _INTERNAL_ERROR

"""Tells whether one language system is really better than another.

A table has a row for each item and a column for each system; `--as` reads the logs and
outputs of many programs. `tellapart FILE` is `tellapart compare FILE`; the options of a verb
are shown by `tellapart VERB --help`.

Examples:
  tellapart demo
  tellapart scores.csv
  tellapart compare old=a.jsonl new=b.jsonl --fail-if-worse

status: 0 done; 1 a check fails: a system is worse; 2 the input or the request cannot be
used; 3 a check with --margin cannot tell; 70 an internal error; 130 Ctrl-C
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import Any, Final, NoReturn

from tellapart.console import COLOURS, remark, say, show, speaking
from tellapart.errors import TellapartError, UsageError
from tellapart.files import reading_once
from tellapart.words import most_alike, nearest

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

BAD_REQUEST: Final = 2
_INTERNAL_ERROR: Final = 70
_COMPARE: Final = "tellapart compare"
_COMPLETION: Final = "--print-completion"
_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = ("FILE", "SYSTEM", "NAME|FILE")
_RARE: Final = {
    "--system", "--columns", "--labels", "--condition", "--item-labels", "--missing", "--weights",
    "--quiet", "--color", "--lower-is-better", "--human", "--correlation", "--agreement", "--costs",
    "--cluster-size",
}  # fmt: skip
"""Options that only `--help-all` shows, where a verb does not say itself what `--help` shows"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence, and whose help begins with files.

    The help is `doc`, a docstring, with the options before its examples.
    """

    def __init__(self, doc: str | None = None, column: int = 25, **given: Any) -> None:
        layout = partial(argparse.RawDescriptionHelpFormatter, max_help_position=column)
        about, _, examples = (doc or "").partition("Examples:\n")
        given = {"description": about, "epilog": examples and f"examples:\n{examples}", **given}
        super().__init__(**{"formatter_class": layout, "allow_abbrev": False, **given})

    def format_help(self) -> str:
        """Return the help, whose first line names the files and no option."""
        files = [str(action.metavar) for action in self._get_positional_actions() if action.metavar]
        self.usage = " ".join([self.prog, *files, "[options]"])
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = nearest(str(value), list(map(str, action.choices)))
            raise argparse.ArgumentError(action, f"there is no {value!r}; {known}")

    def error(self, message: str) -> NoReturn:
        """Complain in one sentence, and exit."""
        message = re.sub(r"(\S{60})\S{20,}", r"\1…", message.removeprefix("argument "))
        see = " See" if message.endswith("?") else "; see"
        say(f"{message}{see} {self.prog} --help", self.prog)
        self.exit(BAD_REQUEST)

    def parse_files_anywhere(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse words among which files may come behind options, too, in several places."""
        inner = inner_parsers(self)
        leaf = next((inner[word] for word in words if word in inner), self)
        known = {*self._option_string_actions, *leaf._option_string_actions}
        for word in takewhile(lambda word: word != "--", words):
            flag = word.partition("=")[0]
            if flag.startswith("--") and flag not in known:
                leaf._refuse(flag, sorted(known))
        args, rest = self.parse_known_args(words)
        files = [word for word in rest if word != "--"]
        if files and not hasattr(args, "files"):
            self.error(f"{files[0]!r} is one argument too many")
        getattr(args, "files", []).extend(files)
        return args

    def _refuse(self, flag: str, known: Sequence[str]) -> NoReturn:
        """Refuse an option that there is not, by what has it or the nearest one."""
        from tellapart.verbs.inputs import formats_with

        formats = formats_with(flag, self.prog.split()[1]) if "--as" in known else []
        if formats:
            self.error(f"{flag} goes with {' or '.join(f'--as {name}' for name in formats)}")
        if self.prog != _COMPARE and flag in verb_parser("compare")._option_string_actions:
            self.error(f"{flag} belongs to {_COMPARE}")
        near = most_alike(flag.lstrip("-"), [each.lstrip("-") for each in known])
        self.error(f"there is no option {flag}" + (f"; did you mean --{near}?" if near else ""))


def inner_parsers(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """Return the parsers of the actions of a verb that has several, such as `campaign new`."""
    several = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return next((action.choices for action in several), {})


def verb_parser(verb: str, words: Sequence[str] = ()) -> Parser:
    """Return the parser of a verb, with the options of the format that `--as` names."""
    module = import_module(f"tellapart.verbs.{verb}")
    parser = Parser(module.__doc__, prog=f"tellapart {verb}")
    module.add_arguments(parser)
    inner = inner_parsers(parser)
    for leaf in inner.values() or [parser]:
        _add_console_options(leaf)
    if "--metric" in parser._option_string_actions:
        parser.add_argument("--help-all", action="help", help="show all options and formats")
        if "--help-all" in words:
            from tellapart.formats.registry import names

            parser.epilog = f"{parser.epilog}\n\nformats: {', '.join(names())}"
        else:
            _hide_rare(parser, getattr(module, "SHORT", None))
    called = next((inner[word] for word in words if word in inner), parser)
    name = _named_format(words)
    declared = called._option_string_actions.get("--as")
    if name is not None and declared is not None and declared.choices is None:
        from tellapart.verbs.inputs import add_format_options

        add_format_options(called, name, verb)
    return parser


def _hide_rare(parser: Parser, short: Collection[str] | None) -> None:
    """Let the help show the options that most people need."""
    options = parser._option_string_actions
    shown = options.keys() - _RARE if short is None else {"-h", "--help", "--help-all", *short}
    for flag in options.keys() - shown:
        options[flag].help = argparse.SUPPRESS


def _named_format(words: Sequence[str]) -> str | None:
    """Return what `--as` names.

    >>> _named_format(["a.txt", "--as", "muc"]), _named_format(["--as=muc"]), _named_format([])
    ('muc', 'muc', None)
    """
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    named.add_argument("--as", dest="form", nargs="?")
    form: str | None = named.parse_known_args(words)[0].form
    return form


def _add_console_options(parser: Parser) -> None:
    """Declare how a verb speaks, behind its other options for output if it has some."""
    output = (group for group in parser._action_groups if group.title == "output")
    add = next(output, parser).add_argument
    add("--quiet", action="store_true", help="the answer alone, and errors")
    add("--color", choices=COLOURS, default="auto",
        help="auto: on a terminal, unless NO_COLOR is set")  # fmt: skip


def _program() -> Parser:
    """Return the parser of the program, whose verbs have no options yet."""
    parser = Parser(__doc__, column=16, prog="tellapart")
    parser.add_argument("--version", action="store_true", help="show version and engine")
    parser.add_argument(_COMPLETION, metavar="SHELL",
        help=f"a script that completes verbs and options: {', '.join(_SHELLS)}")  # fmt: skip
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb, question in VERBS.items():
        verbs.add_parser(verb, help=question)
    return parser


def _completion_script(shell: str) -> str:
    """Return what a shell needs to complete verbs, options and files."""
    import shtab

    from tellapart.formats.registry import names
    from tellapart.metrics import names as metric_names

    if shell not in _SHELLS:
        raise UsageError(f"there are scripts for {', '.join(_SHELLS)}; not for {shell!r}")
    known = {"metric": metric_names(), "form": names()}
    program = _program()
    verbs = inner_parsers(program)
    for verb in VERBS:
        verbs[verb] = of_verb = verb_parser(verb, ["--help-all"])
        leaves = (of_verb, *inner_parsers(of_verb).values())
        for action in (action for leaf in leaves for action in leaf._actions):
            action.choices = known.get(action.dest, action.choices)
            if action.metavar in _FILES:
                action.help = "files"  # what has no help is not completed
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(program, shell))


def run(words: Sequence[str]) -> int:
    """Do what a command line asks for."""
    first = words[0] if words else ""
    if first in ("", "-h", "--help"):
        (show if first else remark)(_program().format_help())
        return 0 if first else BAD_REQUEST
    if first == "--version":
        from importlib.metadata import version

        from tellapart.engine import describe

        show(f"tellapart {version('tellapart')} ({describe()})\n")
        return 0
    if first.partition("=")[0] == _COMPLETION:
        show(_completion_script(words[0].partition("=")[2] or " ".join(words[1:])))
        return 0
    if first not in VERBS:
        _refuse_no_file(first)
        words = ["compare", *words]
    verb, *given = words
    parser = verb_parser(verb, given)
    args = parser.parse_files_anywhere(given)
    args.verb, args.command_line, args.run_command = verb, words, run
    args.flags = {word.partition("=")[0] for word in given if word.startswith("--")}
    from tellapart.verbs.project import apply_project_defaults

    with reading_once(), speaking(args.color, quiet=args.quiet):
        apply_project_defaults(args)
        return int(import_module(f"tellapart.verbs.{verb}").run(args))


def _refuse_no_file(word: str) -> None:
    """Refuse a first word that is neither a verb nor what `compare` could read."""
    path = word.partition("=")[2] or word
    if word.startswith("-") or os.path.exists(path) or any(mark in word for mark in "./=*"):
        return
    raise UsageError(f"there is no verb or file {word!r}; {nearest(word, list(VERBS))}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the status."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Before NumPy is loaded, which otherwise starts a spinning thread on each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return exit_status("tellapart", lambda: run(words))


def exit_status(program: str, work: Callable[[], int]) -> int:
    """Do a program's work, and turn what goes wrong into one sentence and a status.

    >>> exit_status("tellapart", lambda: 0)
    0
    """
    try:
        return work()
    except SystemExit as left:  # argparse leaves by itself, after help or a complaint
        return int(left.code or 0)
    except TellapartError as problem:
        say(str(problem), program)
        return BAD_REQUEST
    except MemoryError:
        say("this needs more memory than there is; compare less at a time", program)
        return BAD_REQUEST
    except Exception as problem:
        import traceback

        if os.environ.get("TELLAPART_DEBUG"):
            traceback.print_exc()
        last = traceback.extract_tb(problem.__traceback__)[-1]
        what = f"{type(problem).__name__} in {os.path.basename(last.filename)}:{last.lineno}"
        text = " ".join(str(problem).split())[:200]
        say(f"internal error: {what} ({text}); please report it (TELLAPART_DEBUG=1 shows more)",
            program)  # fmt: skip
        return _INTERNAL_ERROR

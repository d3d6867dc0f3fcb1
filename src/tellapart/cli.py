"""The command line: find the verb, run it, and turn errors into one sentence and a status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

from tellapart.console import say, show
from tellapart.errors import TellapartError
from tellapart.read_once import reading_once

VERBS: Final = {
    "compare": "is A really better than B? which of these systems can be told apart?",
    "score": "how good is each system? (the task's own report)",
    "diff": "on which items do they differ?",
    "adjudicate": "is this answer right after all? (human decisions; --merge joins histories)",
    "validate": "is this file well formed? (all problems, with lines)",
    "calibrate": "can I trust this test on my data? (type-I error and power, measured on it)",
    "plan": "how many items do I need to see a difference of this size?",
    "convergence": "did work on one test set also help on another, unseen one?",
    "demo": "show me, on built-in data",
}
"""The verbs, each a module of `tellapart.commands`, and the question that it answers"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Complain in one sentence, and exit."""
        say(f"{message}; see {self.prog} --help", self.prog)
        self.exit(2)


class _Version(argparse.Action):
    """Prints version and engine; asks the engine only then, since that loads numpy."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        from tellapart.engine import describe

        show(f"tellapart {version('tellapart')} ({describe()})\n")
        parser.exit()


def build_parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Declare all verbs; the options of the one that is called, whose module alone is loaded."""
    parser = Parser(
        prog="tellapart",
        description="Tells whether one language system is really better than another.",
        epilog="Try: tellapart demo",
    )
    parser.add_argument("--version", action=_Version, help="show version and engine, and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, title="verbs")
    called = next((word for word in argv if not word.startswith("-")), None)
    for name, question in VERBS.items():
        if name == called:
            module = _module(name)
            verb = verbs.add_parser(
                name,
                help=question,
                description=module.DESCRIPTION,
                epilog=module.EXAMPLES,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            module.add_arguments(verb)
        else:
            verbs.add_parser(name, help=question)
    return parser


def _module(verb: str) -> Any:
    return import_module(f"tellapart.commands.{verb}")


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; files may also come after options, in several places."""
    parser = build_parser(argv)
    args, rest = parser.parse_known_args(argv)
    files = getattr(args, "systems", None) or getattr(args, "files", None)
    if files is None or any(word.startswith("-") and word != "-" for word in rest):
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
    else:
        files.extend(rest)
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the status is 0 done, 1 worse, 2 bad input, 130 interrupted."""
    words = list(sys.argv[1:] if argv is None else argv)

    def work() -> int:
        args = _parsed(words)
        args.command_line = words
        with reading_once(checksums=getattr(args, "html", None) is not None):
            return int(_module(args.verb).run(args))

    return guarded("tellapart", work)


def guarded(program: str, work: Callable[[], int]) -> int:
    """Run a program's work, and turn what goes wrong into one sentence and a status."""
    try:
        return work()
    except TellapartError as problem:
        say(str(problem), program)
        return 2
    except MemoryError:
        say("this needs more memory than there is; compare fewer at a time", program)
        return 2
    except KeyboardInterrupt:
        say("interrupted; nothing was written", program)
        return 130
    except BrokenPipeError:
        # Whoever read our output has enough; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def entry() -> NoReturn:
    """Run as the program `tellapart`."""
    sys.exit(main())

"""What a program of ours does when a signal ends it: one sentence, and the status a shell knows.

The module is imported before all others, and itself imports next to nothing, so that it answers
while the rest is loaded.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as typing has it, which would take longer to load than all that is here
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_ENDINGS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
if hasattr(signal, "SIGHUP"):  # not on Windows
    _ENDINGS[signal.SIGHUP] = "hung up"


def end_on_signals(program: str) -> list[signal.Signals]:
    """Let signals end the program with a sentence, and return which ones do."""
    handled = [each for each in _ENDINGS if signal.getsignal(each) != signal.SIG_IGN]
    for number in handled:  # others are ignored: so a shell starts jobs in the background
        signal.signal(number, _ending(program, _ENDINGS[number]))
    return handled


def what_was_written() -> str:
    """Return which files there are by now, once unfinished ones are taken away."""
    # Not imported: an interruption may come while it is, and then nothing was written.
    end_writing = getattr(sys.modules.get("tellapart.writing"), "end_writing", list)
    paths: list[str] = end_writing()
    if not paths:
        return "no file was written"
    return f"these files were written before: {', '.join(paths)}"


def _ending(program: str, word: str) -> Callable[[int, FrameType | None], None]:
    """Return what a signal does: say what was written, and end at once, whatever is going on.

    It does not raise an exception, which threads that still work would hold up, and which other
    packages could take for theirs while they are imported.
    """

    def end(number: int, _: FrameType | None) -> None:
        try:
            # Not by sys.stderr, in the midst of whose writing the signal may have come.
            start = "\r\x1b[K" if _is_terminal(2) else ""
            sentence = f"{start}{program}: {word}; {what_was_written()}\n"
            os.write(2, sentence.encode(errors="backslashreplace"))
        finally:
            os._exit(128 + number)

    return end


def _is_terminal(descriptor: int) -> bool:
    return os.isatty(descriptor) and os.environ.get("TERM") != "dumb"

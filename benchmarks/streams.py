"""Texts larger than memory: peak memory and CPU time beside the size of the files."""

from __future__ import annotations

import math
import random
import tempfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading, peak_megabytes

WORDS = 400  # in a segment: long ones, so that texts outweigh counts
MEGABYTES = (100, 1_000)  # of one file; there are three
BYTES = 400  # that a segment may cost, whatever its text: its counts, and its name

_COMPARE = """
from tellapart.cli import main
main(["compare", "--as", "text", "--metric", {metric!r}, "--gold", {place!r} + "/gold",
      {place!r} + "/A", {place!r} + "/B", "--json", {place!r} + "/record.json"])
"""


def make(place: Path, megabytes: int) -> int:
    """Write a reference and two systems; return the number of segments."""
    rng = random.Random(0)
    words = [f"w{rng.randrange(10**7):07d}" for _ in range(5_000)]
    segments = 0
    with (
        open(place / "gold", "w") as gold,
        open(place / "A", "w") as a,
        open(place / "B", "w") as b,
    ):
        while gold.tell() < megabytes * 1_000_000:
            text = rng.choices(words, k=WORDS)
            gold.write(" ".join(text) + "\n")
            for file, spoiled in ((a, 0.2), (b, 0.25)):
                said = list(text)
                for k in rng.sample(range(WORDS), int(spoiled * WORDS)):
                    said[k] = rng.choice(words)
                file.write(" ".join(said) + "\n")
            segments += 1
    return segments


def run() -> None:
    heading("streams of text: a reference and two systems, read in step, counted and compared")
    peaks, times, sizes = [], [], []
    with tempfile.TemporaryDirectory() as place:
        for megabytes in MEGABYTES:
            segments = make(Path(place), megabytes)
            code = _COMPARE.format(place=place, metric="bleu")
            peaks.append(peak_megabytes(code))
            times.append(cpu_seconds(code, repeat=1))
            sizes.append(segments)
            print(
                f"  3 × {megabytes:>5,} MB, {segments:>9,} segments, BLEU:"
                f"   peak {peaks[-1]:7.0f} MB   CPU {times[-1]:7.1f} s"
            )
    more = (peaks[1] - peaks[0]) * 1e6 / (sizes[1] - sizes[0])
    goal("memory of one more segment", max(more, 0.0), BYTES, " bytes")
    exponent = math.log(times[1] / times[0]) / math.log(sizes[1] / sizes[0])
    goal("exponent of CPU time in segments", exponent, 1.1)

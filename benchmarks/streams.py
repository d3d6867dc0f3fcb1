"""Texts and logs larger than memory: peak memory and CPU time beside the size of the files."""

from __future__ import annotations

import json
import math
import os
import random
import tempfile
import zipfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading, peak_megabytes

WORDS = 400  # in a segment: long ones, so that texts outweigh counts
MEGABYTES = (100, 400)  # of one file; there are three. With 1,000: 314 MB, 776 bytes a segment
BYTES = 400  # that a segment may cost, whatever its text: its counts, and its name

_COMPARE = """
from tellapart.cli import main
main(["compare", "--as", "text", "--metric", {metric!r}, "--gold", {place!r} + "/gold",
      {place!r} + "/A", {place!r} + "/B", "--json", {place!r} + "/record.json"])
"""

SAMPLES = (60_000, 120_000)  # of one log, both beyond those whose texts are kept
SAMPLE_BYTES = 1_500  # that a sample may cost, whatever its texts: scores, id, labels, place

_COMPARE_LOGS = """
from tellapart.cli import main
main(["compare", *{paths!r}])
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


def make_logs(place: Path, samples: int) -> dict[str, list[str]]:
    """Write the logs of two systems as lm-eval and Inspect do; return the files of each kind."""
    rng = random.Random(0)
    files: dict[str, list[str]] = {"lm-eval": [], "Inspect .json": [], "Inspect .eval": []}
    for name in "AB":
        folder = place / name
        folder.mkdir(exist_ok=True)
        lines, plain = folder / "samples_task.jsonl", folder / "log.json"
        packed = folder / "log.eval"
        spec = {"task": "task", "model": f"lab/{name}", "created": "2026-11-01"}
        head = json.dumps({"version": 2, "status": "success", "eval": spec})
        with (
            open(lines, "w") as samples_file,
            open(plain, "w") as log,
            zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            archive.writestr("header.json", head)
            log.write(f'{head[:-1]}, "samples": [')
            with archive.open("summaries.json", "w", force_zip64=True) as summaries:
                for k in range(samples):
                    asked, said = f"{k} " * 100, f"{rng.random()} " * 60
                    right, topic = rng.randrange(2), f"t{k % 9}"
                    row = {
                        "doc_id": k, "doc": {"question": asked, "topic": topic}, "target": "x",
                        "arguments": [[asked, {}]], "resps": [[said]], "filter": "none",
                        "metrics": ["acc"], "acc": right,
                    }  # fmt: skip
                    samples_file.write(json.dumps(row) + "\n")
                    sample = json.dumps({
                        "id": k, "epoch": 1, "input": asked, "target": "x",
                        "metadata": {"topic": topic},
                        "scores": {"match": {"value": right, "answer": said}},
                    })  # fmt: skip
                    log.write("," * (k > 0) + sample)
                    summaries.write(("[,"[k > 0] + sample).encode())
                summaries.write(b"]")
            log.write("]}")
        for kind, path in zip(files, (lines, plain, packed), strict=True):
            files[kind].append(str(path))
    return files


def run_logs() -> None:
    heading("logs of evaluations: two systems, read sample by sample and compared")
    peaks: dict[str, list[float]] = {}
    for samples in SAMPLES:
        with tempfile.TemporaryDirectory() as place:
            for kind, paths in make_logs(Path(place), samples).items():
                peak = peak_megabytes(_COMPARE_LOGS.format(paths=paths))
                size = os.path.getsize(paths[0]) / 1e6
                peaks.setdefault(kind, []).append(peak)
                print(
                    f"  {kind:<14} 2 × {size:6.0f} MB, {samples:>9,} samples: peak {peak:6.0f} MB"
                )
    for kind, (few, many) in peaks.items():
        more = (many - few) * 1e6 / (SAMPLES[1] - SAMPLES[0]) / 2
        goal(f"memory of one more sample of {kind}", max(more, 0.0), SAMPLE_BYTES, " bytes")


def run() -> None:
    run_texts()
    run_logs()


def run_texts() -> None:
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

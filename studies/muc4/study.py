"""Chinchor (1992) and Chinchor, Hirschman and Lewis (1993): the significance of MUC-4's results."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.muc3 import statements as muc4_later_statements
from studies.muc4 import statements as muc4_statements
from studies.muc4.drawings import drawings
from studies.muc4.runs import (
    FEWER_SHUFFLES,
    METRICS,
    SHUFFLES,
    Runs,
    Trial,
    better_in_both,
    divide,
    quality,
    run_all,
)
from studies.muc4.tables import sections
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.reading import example
from tellapart.words import listed

DRAWS: Final = True
_PARTS: Final = ("key.txt", "history.txt", "replay.json", "responses")


def reproduce(request: Request) -> Reproduction:
    """Compare the 17 systems as in 1992, and exactly, and check what the papers say."""
    counts = example("muc4") if request.data is None else read_folder(request.data)
    runs = run_all(counts, request.seed, request.progress)
    return Reproduction(
        "muc4",
        "Chinchor (1992): the statistical significance of the MUC-4 results (TST3)",
        request.seed,
        tuple(sections(runs)),
        (*muc4_statements.statements(runs), *muc4_later_statements.statements(runs)),
        _figures(runs),
        drawings(runs),
        counts.notices,
    )


def read_folder(folder: str) -> Counts:
    """Score the responses of a folder as the evaluation of 1992 did, in its order.

    The folder holds the answer key, the history of human decisions, the data of the replay and one
    file of responses per system; it may also be the folder `tst3` inside of the one named.
    """
    from tellapart.formats.muc.counts import run_counts
    from tellapart.formats.muc.evaluation import Files, read_evaluation

    place = _place(Path(folder))
    key, history, replay, responses = (place / part for part in _PARTS)
    systems = sorted(responses.glob("*.txt"))
    _check_systems(folder, [path.stem for path in systems])
    files = Files(str(key), tuple(systems), str(history), str(replay))
    evaluation = read_evaluation(files)
    counts = run_counts(evaluation.score(), "message", "all-templates", None)
    return replace(counts, notices=(*counts.notices, *evaluation.notices))


def _place(folder: Path) -> Path:
    for place in (folder, folder / "tst3"):
        lacking = [part for part in _PARTS if not (place / part).exists()]
        if not lacking:
            return place
    if not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder; --data names a folder of raw files")
    lacking = [part for part in _PARTS if not (folder / part).exists()]
    raise DataError(
        f"{folder}: the folder lacks {listed(lacking)}; the study needs key.txt, history.txt, "
        "replay.json and responses/ with one NAME.txt per system"
    )


def _check_systems(folder: str, names: list[str]) -> None:
    """Refuse other systems than those that the papers speak of."""
    known = set(example("muc4").names)
    if lacking := sorted(known - set(names)):
        raise DataError(
            f"{folder}: responses/ lacks {listed(lacking)}; the papers speak of all 17 systems "
            "(compare others with `tellapart compare --as muc`)"
        )
    if added := sorted(set(names) - known):
        raise DataError(
            f"{folder}: responses/ has {listed(added)}, not among the 17 systems of the papers; "
            "compare them with `tellapart compare --as muc`"
        )


def _figures(runs: Runs) -> dict[str, Any]:
    return {
        "systems": [
            {"name": system.name, "scores": system.scores} for system in runs.exact.systems
        ],
        "pairs": [_pair(trial) for trial in runs.trials.values()],
        "groups": {
            "shuffles": {metric: runs.shuffled.groups[metric] for metric in METRICS},
            "exact": {metric: runs.exact.groups[metric] for metric in METRICS},
        },
        "recall_and_precision": [
            {"level": level, "by": how, **asdict(divide(runs, level, how))}
            for level in (0.10, 0.01)
            for how in ("shuffles", "rule", "exact")
        ],
        "better_in_both": better_in_both(runs),
        "shuffles": [asdict(quality(runs, each)) for each in (FEWER_SHUFFLES, SHUFFLES)],
    }


def _pair(trial: Trial) -> dict[str, Any]:
    return {
        "a": trial.a,
        "b": trial.b,
        "metric": trial.metric,
        "difference": trial.difference,
        "p_999": trial.fewer.p,
        "confidence_999": trial.fewer.confidence,
        "p_9999": trial.shuffled.p,
        "exceedances_9999": trial.shuffled.exceedances,
        "confidence_9999": trial.shuffled.confidence,
        "different_9999": trial.shuffled.different,
        "p_exact": trial.p,
        "different_exact": trial.exact.different,
    }

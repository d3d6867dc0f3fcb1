"""Chinchor (1992): the significance of MUC-4's results; and what the paper of 1993 says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.muc3.statements import statements as statements_of_1993
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
from studies.muc4.statements import statements
from studies.muc4.tables import sections
from tellapart.comparison.scatter import Scatter, ScatterPoint
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.reading import example
from tellapart.report.figures import groups, matrix, scatterplot
from tellapart.report.figures.svg import standalone
from tellapart.words import listed

HAS_PICTURES: Final = True
_PARTS: Final = ("key.txt", "history.txt", "replay.json", "responses")


def reproduce(request: Request) -> Reproduction:
    """Return the study done again: the 17 systems compared as in 1992, and exactly."""
    counts = read_counts(request.data)
    runs = run_all(counts, request.seed, request.progress)
    return Reproduction(
        "muc4",
        "Chinchor (1992): the statistical significance of the MUC-4 results (TST3)",
        request.seed,
        tuple(sections(runs)),
        (*statements(runs), *statements_of_1993(runs)),
        _figures(runs),
        _drawings(runs),
        counts.notices,
    )


def read_counts(folder: str | None) -> Counts:
    """Return the counts of MUC-4: the built-in ones, or those of a folder of raw files."""
    return example("muc4") if folder is None else read_folder(folder)


def read_folder(folder: str) -> Counts:
    """Return the counts of a folder's responses, scored as in 1992, in the order of then.

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
        **division_figures(runs),
        "shuffles": [asdict(quality(runs, each)) for each in (FEWER_SHUFFLES, SHUFFLES)],
    }


def division_figures(runs: Runs) -> dict[str, Any]:
    """Return how many pairs differ in recall and in precision, for the record."""
    return {
        "recall_and_precision": [
            {"level": level, "by": how, **asdict(divide(runs, level, how))}
            for level in (0.10, 0.01)
            for how in ("shuffles", "rule", "exact")
        ],
        "better_in_both": better_in_both(runs),
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


def _drawings(runs: Runs) -> dict[str, str]:
    """Return matrices, groups, and recall with precision, as SVG by the name of its file."""
    return {name: standalone(picture) for name, picture in _pictures(runs)}


def _pictures(runs: Runs) -> Iterator[tuple[str, str]]:
    for kind, result in (("shuffles", runs.shuffled), ("exact", runs.exact)):
        for metric in METRICS:
            yield f"matrix-{metric}-{kind}.svg", matrix.draw(result, metric, "matrix")
            yield f"groups-{metric}-{kind}.svg", groups.draw(result, metric, "groups")
    marks = tuple(
        ScatterPoint(system.name, system.scores["recall"], system.scores["precision"])
        for system in runs.exact.systems
    )
    alike = tuple(tuple(group) for group in runs.exact.groups["f1"])
    scatter = Scatter("recall", "precision", marks, groups=alike, metric="f1")
    yield "recall-precision.svg", scatterplot.draw(scatter, "plane")

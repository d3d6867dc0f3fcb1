"""The whole road from text to verdict: train a translator, translate, rerank, score, compare.

`--data DIR` holds parallel files, a sentence a line: `source.txt`, and one or more of `ref*.txt`,
of which the first is trained on and all are references. `verses` fetches such a folder; without
one, sentences of the sample are translated.
"""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any, Final

import tellapart as ta
from studies.core import EXPECTED, Reproduction, Request, Section, Statement
from studies.riezler.material import read_lists
from studies.riezler.runs import ListRuns, run_lists
from studies.riezler.statements import list_statements
from studies.riezler.study import reranking_figures
from studies.riezler.tables import reranking_sections
from studies.riezler.translate.corpus import Corpus, read_corpus, sample, split
from studies.riezler.translate.decoder import Candidate
from studies.riezler.translate.nbest import write_nbest
from studies.riezler.translate.system import Translator, decode, train
from tellapart.report.document import system_table
from tellapart.report.table import terminal
from tellapart.report.text import p_text
from tellapart.words import several

HAS_PICTURES: Final = False
NBEST: Final = 1_000
PHRASES, WORD_BY_WORD, COPY = "phrases", "word-by-word", "copy"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many sentences of how many words are trained on and translated."""

    train: int | None
    """None: all that are not translated"""
    decode: int
    words: int


SAMPLE, SHORT, FULL = Sizes(400, 200, 20), Sizes(3_000, 200, 20), Sizes(None, 1_000, 40)


@dataclass(frozen=True, slots=True)
class Road:
    """What a translator left behind: its files, and what they took."""

    references: list[Path]
    systems: dict[str, Path]
    nbest: Path
    costs: Section
    figures: dict[str, float]


def reproduce(request: Request) -> Reproduction:
    """Return the translator's scores beside two baselines, and its lists, reranked."""
    sizes = SAMPLE if request.data is None else FULL if request.full else SHORT
    corpus = sample(600) if request.data is None else read_folder(Path(request.data), sizes.words)
    with TemporaryDirectory() as temporary:
        out = Path(request.out or temporary)
        out.mkdir(parents=True, exist_ok=True)
        held_back = min(sizes.decode, len(corpus.source) // 3)
        road = travel(*split(corpus, sizes.train, held_back), out, request)
        named = [f"{name}={path}" for name, path in road.systems.items()]
        counts = ta.read(named, gold=road.references, form="text")
        result = ta.compare(counts, metrics=["bleu"], seed=request.seed)
        real = request.data is not None
        lists = read_lists(str(road.nbest), list(map(str, road.references)), real)
        runs = run_lists(lists, request.seed, request.progress)
    return Reproduction(
        "translate",
        "A phrase-based translator, its n-best lists and a reranker",
        request.seed,
        (road.costs, _scores(result), *reranking_sections(runs)),
        (_above(result, real), *list_statements(runs)),
        _figures(road, result, runs),
    )


def read_folder(folder: Path, words: int) -> Corpus:
    """Return the sentence pairs of a folder, of so many words at most."""
    return read_corpus(folder / "source.txt", sorted(folder.glob("ref*.txt")), words)


def travel(
    training: Corpus, test: Corpus, out: Path, request: Request, number: int = NBEST
) -> Road:
    """Train on sentence pairs, translate others, and write what comes out into a folder."""
    begin = time.perf_counter()
    translator = train(training)
    trained = time.perf_counter()
    lists = decode(translator, test.source, number, request.progress)
    done = time.perf_counter()
    used = max(resource.getrusage(who).ru_maxrss
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024  # fmt: skip
    pairs = several(len(training.source), "sentence pair")
    lines = (
        f"  Trained on {pairs}: {several(translator.phrases, 'phrase pair')}, "
        f"{trained - begin:.0f} s",
        f"  Translated {several(len(lists), 'sentence')}: "
        f"{sum(map(len, lists)) / len(lists):,.0f} candidates each, {done - trained:.0f} s",
        f"  {used:,.0f} MB at most, reranking aside",
    )
    figures = {
        "train_seconds": trained - begin,
        "decode_seconds": done - trained,
        "megabytes": used,
    }
    systems, references = _write(translator, test, lists, out)
    write_nbest(out / "nbest.txt", lists)
    costs = Section("What it took", lines)
    return Road(references, systems, out / "nbest.txt", costs, figures)


def _write(
    translator: Translator, test: Corpus, lists: list[list[Candidate]], out: Path
) -> tuple[dict[str, Path], list[Path]]:
    """Write three systems and the references; return their files."""
    systems = {
        PHRASES: [best[0].words for best in lists],
        WORD_BY_WORD: [translator.word_by_word(words) for words in test.source],
        COPY: test.source,
    }
    gold = {f"ref{k}": lines for k, lines in enumerate(zip(*test.targets, strict=True), 1)}
    for name, lines in {**systems, **gold}.items():
        text = "".join(" ".join(words) + "\n" for words in lines)
        (out / f"{name}.txt").write_text(text, encoding="utf-8")
    paths = {name: out / f"{name}.txt" for name in (*systems, *gold)}
    return {name: paths[name] for name in systems}, [paths[name] for name in gold]


def _scores(result: ta.Result) -> Section:
    """Return BLEU with intervals, and which can be told apart."""
    lines = dedent(terminal(system_table(result.record, "bleu"))).splitlines()
    return Section("BLEU on sentences that were held back", tuple(lines))


def _above(result: ta.Result, real: bool) -> Statement:
    """Return whether the translator is above both baselines."""
    pairs = [result.pair(PHRASES, other) for other in (WORD_BY_WORD, COPY)]
    scores = []
    for system in result.systems:
        low, high = system.intervals["bleu"]
        scores.append(f"{system.scores['bleu']:.1f} ({low:.1f} to {high:.1f}) {system.name}")
    return Statement(
        EXPECTED, "translate", "BLEU of the translator is well above that of word-by-word "
        "translation and of a copy of the source, on sentences held back.", "well above",
        ", ".join(scores), f"p = {' and '.join(p_text(pair.p_adjusted) for pair in pairs)}, "
        "adjusted by Holm", all(pair.different and pair.difference > 0 for pair in pairs),
        qualified=None if real else "generated",
    )  # fmt: skip


def _figures(road: Road, result: ta.Result, runs: ListRuns) -> dict[str, Any]:
    return {
        **road.figures,
        "bleu": {each.name: each.scores["bleu"] for each in result.systems},
        "intervals": {each.name: each.intervals["bleu"] for each in result.systems},
        "reranking": reranking_figures(runs),
    }

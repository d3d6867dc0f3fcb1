"""Text metrics on 16 systems of WMT 2017: statistics, all pairs, and memory; sacreBLEU beside."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path
from typing import Any

import tellapart as ta
from benchmarks.measure import best, cpu_seconds, goal, heading, line, peak_megabytes
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.chrf import Chrf
from tellapart.metrics.text.ngrams import Texts
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.scoring import TextMetric, statistics
from tellapart.metrics.text.ter import Ter

BASELINE = "LIUM-NMT.4900"
SHUFFLES = 10_000
FEW = 300  # segments for TER, on which the peer takes minutes
MANY = 1_000_000

_COMPARE = """
from tellapart.cli import main
main(["compare", "--as", "text", "--gold", {gold!r}, {first!r}, {second!r}, "--json", {out!r}])
"""

_DEFAULT = """
from tellapart.cli import main
main(["compare", "--as", "text", "--gold", {gold!r}, *{systems!r}, "--json", {out!r}])
"""


def folder() -> Path | None:
    default = Path(__file__).parents[1] / ".." / "shared" / "data"
    found = Path(os.environ.get("TELLAPART_DATA", default)).resolve() / "mt" / "wmt17-ende"
    return found if found.is_dir() else None


def lines(path: Path) -> list[str]:
    with gzip.open(path) as stream:
        return [text.decode().removesuffix("\n") for text in stream]


def peer_statistics(metric: Any, texts: Texts) -> list[Any]:
    """Let sacreBLEU count, with its own cache of the references."""
    metric._ref_cache = metric._cache_references([list(texts.references[0])])
    return [metric._extract_corpus_statistics(system, None) for system in texts.systems]


def compare_statistics(what: str, ours: TextMetric, peer: Any, texts: Texts, times: float) -> None:
    mine = best(lambda: statistics(ours, texts), repeat=3)
    line(f"tellapart, {what}", mine)
    theirs = best(lambda: peer_statistics(peer, texts), repeat=1)
    line(f"sacreBLEU, {what}", theirs, mine)
    same = statistics(ours, texts).tolist() == peer_statistics(peer, texts)
    print(f"  output {'identical' if same else 'DIFFERENT'}")
    goal(f"{what}: share of sacreBLEU's time", mine / theirs, 1 / times)


def all_pairs(paths: dict[str, Path], reference: Path) -> float:
    found = ta.read([f"{name}={path}" for name, path in paths.items()], reference, form="text")
    result = ta.compare(found, test="shuffle", shuffles=SHUFFLES, intervals=False)
    assert result.verdict
    return len(result.pairs)


def default_comparison(paths: dict[str, Path], reference: Path) -> None:
    """Measure what `compare` does by default, from files to a record, intervals included."""
    with tempfile.TemporaryDirectory() as place:
        systems = [f"{name}={path}" for name, path in paths.items()]
        code = _DEFAULT.format(gold=str(reference), systems=systems, out=f"{place}/record.json")
        seconds = cpu_seconds(code)
    line("tellapart compare, 120 pairs, tests and intervals: CPU", seconds)
    goal("default comparison", seconds, 3, " s")


def peer_pairs(texts: Texts, names: list[str]) -> None:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    named = sorted(zip(names, texts.systems, strict=True), key=lambda each: each[0] != BASELINE)
    test = PairedTest(
        named, {"BLEU": BLEU(references=[[r or "" for r in texts.references[0]]])}, references=None,
        test_type="ar", n_samples=SHUFFLES,
    )  # fmt: skip
    test()


def memory(paths: dict[str, Path], reference: Path) -> None:
    heading(f"memory: {MANY:,} segments × 2 systems, read, scored and compared")
    with tempfile.TemporaryDirectory() as place:
        files = {}
        for role, path in (("gold", reference), ("first", paths["SYSTRAN.4847"]),
                           ("second", paths[BASELINE])):  # fmt: skip
            text = "\n".join(lines(path)) + "\n"
            times, rest = divmod(MANY, text.count("\n"))
            files[role] = f"{place}/{role}.txt"
            Path(files[role]).write_text(
                text * times + "\n".join(text.split("\n")[:rest]) + "\n" * bool(rest),
                encoding="utf-8",
            )
        code = _COMPARE.format(**files, out=f"{place}/record.json")
        goal("peak beyond the interpreter", peak_megabytes(code), 2000, " MB")


def run() -> None:
    where = folder()
    if where is None:
        heading("text metrics: no reference data here; set TELLAPART_DATA to its folder")
        return
    reference = where / "ref.txt.gz"
    paths = {
        p.name.removesuffix(".txt.gz"): p for p in sorted(where.glob("*.gz")) if p != reference
    }
    texts = Texts(tuple(lines(path) for path in paths.values()), (lines(reference),))
    heading(f"text metrics, {len(paths)} systems × {len(texts):,} segments")
    line("tellapart, NIST statistics", best(lambda: statistics(Nist(), texts), repeat=3))
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER
    except ImportError:
        print("  sacreBLEU is not installed: nothing to compare with")
        return
    compare_statistics("BLEU statistics", Bleu(), BLEU(), texts, 5)
    pair = Texts(texts.systems[:2], texts.references)
    compare_statistics("chrF++ statistics, 2 systems", Chrf(2), CHRF(word_order=2), pair, 5)
    few = Texts((texts.systems[0][:FEW],), (texts.references[0][:FEW],))
    compare_statistics(f"TER edits, {FEW} segments", Ter(), TER(), few, 20)
    heading(f"BLEU from text to verdict, {SHUFFLES:,} shuffles")
    mine = best(lambda: all_pairs(paths, reference), repeat=3)
    line("tellapart, all 120 pairs", mine)
    theirs = best(lambda: peer_pairs(texts, list(paths)), repeat=1)
    line("sacreBLEU, 15 pairs with a baseline", theirs, mine)
    goal("share of sacreBLEU's time", mine / theirs, 1 / 10)
    default_comparison(paths, reference)
    memory(paths, reference)

"""Train the translator, translate what was held back, and tell whether it beats two baselines.

    python -m studies.riezler.translate [--source FILE --target FILE ...] [--train N --decode N]

FILES are parallel, one sentence a line; the first target is trained on, all are references. Without
them the sample is translated. The baselines are each word's most frequent link, and the source.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from studies.riezler.translate.alignment import Words, align_both_ways
from studies.riezler.translate.corpus import Corpus, read_corpus, sample, split
from studies.riezler.translate.decoder import Candidate, Decoder
from studies.riezler.translate.language import LanguageModel
from studies.riezler.translate.nbest import write_nbest
from studies.riezler.translate.phrases import Lexicon, phrase_table
from tellapart import cli
from tellapart.errors import UsageError
from tellapart.limits import Number
from tellapart.words import several

SAMPLE_SIZES, FILE_SIZES = (70, 30), (3_000, 200)
"""Sentences that are trained on and translated, unless others are asked for"""
_NUMBER: Final = Number(whole=True, least=1)


@dataclass(frozen=True, slots=True)
class Translator:
    """A trained system."""

    decoder: Decoder
    dictionary: dict[str, str]
    phrases: int

    def word_by_word(self, source: Words) -> Words:
        """Return the translation of each word alone, in the same order."""
        return tuple(self.dictionary.get(word, word) for word in source)


def train(corpus: Corpus) -> Translator:
    """Return the system of a corpus: aligned, cut into phrases, its language learnt."""
    target = [translations[0] for translations in corpus.targets]
    links = align_both_ways(corpus.source, target)
    lexicon = Lexicon(corpus.source, target, links)
    table = phrase_table(corpus.source, target, links, lexicon)
    decoder = Decoder(table, LanguageModel(target))
    return Translator(decoder, lexicon.best(), sum(map(len, table.values())))


def main(argv: Sequence[str] | None = None) -> int:
    """Print what the translator scores, and what it can be told apart from."""
    return cli.exit_status("studies.riezler.translate", lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int:
    parser = cli.Parser(
        prog="python -m studies.riezler.translate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--source", type=Path, metavar="FILE")
    parser.add_argument("--target", type=Path, metavar="FILE", nargs="+")
    parser.add_argument("--train", type=_NUMBER, metavar="N", help="sentence pairs to train on")
    parser.add_argument("--decode", type=_NUMBER, metavar="N", help="sentences to translate")
    parser.add_argument("--nbest", type=_NUMBER, metavar="N", default=1_000, help="(default: 1000)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the files stay")
    args = parser.parse_args(argv)
    if (args.source is None) != (args.target is None):
        raise UsageError("--source and --target go together; give both, or none for the sample")
    corpus = sample() if args.source is None else read_corpus(args.source, args.target)
    sizes = SAMPLE_SIZES if args.source is None else FILE_SIZES
    parts = split(corpus, args.train or sizes[0], args.decode or sizes[1])
    with TemporaryDirectory() as temporary:
        out = args.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        _study(*parts, out, args.nbest)
    return 0


def _study(training: Corpus, test: Corpus, out: Path, number: int) -> None:
    begin = time.perf_counter()
    translator = train(training)
    trained = time.perf_counter()
    print(
        f"Trained on {several(len(training.source), 'sentence pair')}: "
        f"{several(translator.phrases, 'phrase pair')}, {trained - begin:.1f} s"
    )
    lists = [translator.decoder.best(words, number) for words in test.source]
    spent = time.perf_counter() - trained
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"Translated {several(len(lists), 'sentence')}: {sum(map(len, lists)) / len(lists):,.0f} "
        f"candidates each, {spent:.1f} s; {megabytes:,.0f} MB at most\n"
    )
    common = ["--as", "text", *write_outputs(translator, test, lists, out), "--metric", "bleu"]
    cli.main(["compare", *common])


def write_outputs(
    translator: Translator,
    test: Corpus,
    lists: Sequence[Sequence[Candidate]],
    out: Path,
) -> list[str]:
    """Write n-best lists, references and three systems; return tellapart's words for the files."""
    write_nbest(out / "nbest.txt", lists)
    systems = {
        "phrases": [best[0].words for best in lists],
        "word-by-word": [translator.word_by_word(words) for words in test.source],
        "copy": test.source,
    }
    references = list(zip(*test.targets, strict=True))
    gold = {f"ref{k}": list(lines) for k, lines in enumerate(references, 1)}
    for name, lines in {**systems, **gold}.items():
        text = "".join(" ".join(words) + "\n" for words in lines)
        (out / f"{name}.txt").write_text(text, encoding="utf-8")
    words = [word for name in gold for word in ("--gold", str(out / f"{name}.txt"))]
    return [*words, *(str(out / f"{name}.txt") for name in systems)]


if __name__ == "__main__":
    sys.exit(main())

"""The translator as a whole: aligned, cut into phrases, its language learnt."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from studies.riezler.translate.alignment import Words, align_both_ways
from studies.riezler.translate.corpus import Corpus
from studies.riezler.translate.decoder import Candidate, Decoder
from studies.riezler.translate.language import LanguageModel
from studies.riezler.translate.phrases import Lexicon, phrase_table
from tellapart.console import Progress, no_progress
from tellapart.stats.streams import default_workers


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
    """Return the system of a corpus."""
    target = [translations[0] for translations in corpus.targets]
    links = align_both_ways(corpus.source, target)
    lexicon = Lexicon(corpus.source, target, links)
    table = phrase_table(corpus.source, target, links, lexicon)
    decoder = Decoder(table, LanguageModel(target))
    return Translator(decoder, lexicon.best(), sum(map(len, table.values())))


_decoders: list[Decoder] = []  # one, in each process that translates


def decode(
    translator: Translator, source: list[Words], number: int, progress: Progress = no_progress
) -> list[list[Candidate]]:
    """Return the best candidates of each sentence, so many at most, worked out on all cores."""
    lists: list[list[Candidate]] = []
    begin, context = partial(_decoders.append, translator.decoder), get_context("fork")
    with ProcessPoolExecutor(default_workers(), context, begin) as workers:
        for best in workers.map(partial(_best, number=number), source, chunksize=5):
            progress("sentences translated", len(lists), len(source))
            lists.append(best)
    return lists


def _best(source: Words, number: int) -> list[Candidate]:
    return _decoders[0].best(source, number)

"""The translator on tiny inputs that are worked out by hand."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from studies.core import Request
from studies.riezler.translate.alignment import (
    NULL_SHARE,
    forward_backward,
    model_1,
    number_links,
    step_matrix,
)
from studies.riezler.translate.corpus import sample, split
from studies.riezler.translate.decoder import COMPONENTS, WEIGHTS, Decoder
from studies.riezler.translate.language import END, START, LanguageModel
from studies.riezler.translate.nbest import read_nbest
from studies.riezler.translate.phrases import Lexicon, Translation, extract, phrase_table
from studies.riezler.translate.study import PHRASES, WORD_BY_WORD, travel

GERMAN = [("das", "Haus"), ("das", "Buch"), ("ein", "Buch")]
ENGLISH = [("the", "house"), ("the", "book"), ("a", "book")]


def test_model_1_after_one_and_two_rounds() -> None:
    """At first each target word is shared by NULL and two words; then by what those gathered."""
    corpus = number_links(GERMAN, ENGLISH)
    (group,) = corpus.groups
    table = model_1(corpus, 1)
    # `the` of the first pair, by NULL, das, Haus: 2/3 of 2, 2/3 of 4/3, 1/3 of 2/3.
    assert table[group.links[0, 0]] == pytest.approx([1 / 3, 1 / 2, 1 / 2])
    assert table[group.links[0, 1]] == pytest.approx([1 / 6, 1 / 4, 1 / 2])
    # Second round: `house` is 2/11 NULL's, 3/11 das's, 6/11 Haus's; `the` is 3/8 of Haus.
    assert model_1(corpus, 2)[group.links[0, 1, 2]] == pytest.approx((6 / 11) / (6 / 11 + 3 / 8))


def test_markov_model_sums_over_all_paths() -> None:
    """Links of two target words by two source words and NULL: all nine paths, one by one."""
    emission = np.array([[[0.1, 0.5, 0.2], [0.3, 0.1, 0.4]]])
    steps = np.ones(13)
    steps[7] = 3.0  # one step ahead: three times as likely as staying
    moves = step_matrix(steps, 2)
    assert moves == pytest.approx((1 - NULL_SHARE) * np.array([[1 / 4, 3 / 4], [1 / 2, 1 / 2]]))
    by_hand = np.zeros((2, 3))
    for place in (0, 1):
        for is_null in (False, True):
            start = (NULL_SHARE if is_null else 1 - NULL_SHARE) / 2
            first = 0 if is_null else 1 + place
            start *= emission[0, 0, first]
            ends = [(0, NULL_SHARE), *((1 + k, moves[place, k]) for k in (0, 1))]
            for second, move in ends:
                path = start * move * emission[0, 1, second]
                by_hand[0, first] += path
                by_hand[1, second] += path
    links, taken = forward_backward(emission, moves)
    assert links[0] == pytest.approx(by_hand / by_hand[0].sum())
    assert taken.sum() == pytest.approx(1 - links[0, 1, 0])  # a move for each word but NULL's


def test_phrases_of_one_sentence_pair() -> None:
    """The red house: the adjective changes places, and `does` without a link may join a phrase."""
    source, target = ("la", "casa", "roja"), ("the", "red", "house")
    spans = extract(3, 3, {(0, 0), (1, 2), (2, 1)})
    assert {(source[a:b], target[c:d]) for a, b, c, d in spans} == {
        (("la",), ("the",)),
        (("casa",), ("house",)),
        (("roja",), ("red",)),
        (("casa", "roja"), ("red", "house")),
        (source, target),
    }
    assert list(extract(1, 2, {(0, 1)})) == [(0, 1, 1, 2), (0, 1, 0, 2)]
    assert list(extract(2, 1, {(0, 0), (1, 0)})) == [(0, 2, 0, 1)]


def test_frequencies_and_lexical_weights() -> None:
    """`no` is once `not`, once `does not` with `does` from none."""
    source = [("no",), ("no",), ("si",)]
    target = [("not",), ("does", "not"), ("does",)]
    links = [{(0, 0)}, {(0, 1)}, {(0, 0)}]
    lexicon = Lexicon(source, target, links)
    assert lexicon.best() == {"no": "not", "si": "does"}
    table = {each.words: each.features for each in
             phrase_table(source, target, links, lexicon)["no",]}  # fmt: skip
    # Three phrase pairs: not (twice: also inside the second sentence), does not.
    assert table["not",] == pytest.approx([0, 0, math.log(2 / 3), 0])
    assert table["does", "not"] == pytest.approx([0, 0, math.log(1 / 3), 0])
    # Of `does`, half the links are to NULL; NULL gives nothing else.
    assert lexicon.source_given_target("", "does") == 0.5
    assert lexicon.target_given_source("", "does") == 1.0


def test_kneser_ney_by_hand() -> None:
    """Discounts 2/3, 1/2 (no pair comes twice) and 3/5; five words, the unknown one among them."""
    model = LanguageModel([("a", "b"), ("a", "c")])
    uniform = 1 / 5
    a = (1 - 0.6 + 0.6 * 4 * uniform) / 5
    end = (2 - 0.6 + 0.6 * 4 * uniform) / 5
    assert model.probability((), "a") == pytest.approx(a)
    assert model.probability((), END) == pytest.approx(end)
    b_after_a = (1 - 0.5 + 0.5 * 2 * a) / 2
    assert model.probability(("a",), "b") == pytest.approx(b_after_a)
    assert model.probability((START, "a"), "b") == pytest.approx(
        (1 / 3 + 2 / 3 * 2 * b_after_a) / 2
    )
    # A history never seen: that of one word less.
    assert model.probability(("c", "a"), "b") == pytest.approx(b_after_a)
    for history in ((START, START), (START, "a"), ("a", "b"), ("x", "y")):
        whole = sum(model.probability(history, word) for word in ("a", "b", "c", END, "unknown"))
        assert whole == pytest.approx(1.0)
    logs = [
        model.log((START, START), "a"),
        model.log((START, "a"), "b"),
        model.log(("a", "b"), END),
    ]
    assert model.sentence_log(("a", "b")) == pytest.approx(sum(logs))


TABLE: dict[tuple[str, ...], list[Translation]] = {
    ("casa",): [Translation(("house",), (0.0, 0.0, -0.1, -0.1)),
                Translation(("home",), (0.0, 0.0, -2.0, -2.0))],
    ("roja",): [Translation(("red",), (0.0, 0.0, 0.0, 0.0))],
}  # fmt: skip
LANGUAGE = LanguageModel([("red", "house"), ("red", "home"), ("red", "house")])


def test_decode_agrees_with_all_ways() -> None:
    """Two words, one with two translations, in either order: four translations, best first."""
    decoder = Decoder(TABLE, LANGUAGE)
    by_hand = {}
    for house in TABLE["casa",]:
        for order in permutations((0, 1)):
            chosen = [(house, TABLE["roja",][0])[k] for k in order]
            words = tuple(word for each in chosen for word in each.words)
            # In order: no jump. Otherwise one ahead, two back, one to the end.
            jumps = 0 if order == (0, 1) else 1 + 2 + 1
            phrase = [sum(each.features[k] for each in chosen) for k in range(4)]
            by_hand[words] = (-jumps, LANGUAGE.sentence_log(words), *phrase, -2, -2)
    best = decoder.best(("casa", "roja"), 10)
    assert {each.words: pytest.approx(each.features) for each in best} == by_hand
    scores = [each.score for each in best]
    assert scores == sorted(scores, reverse=True)
    for each in best:
        assert each.score == pytest.approx(np.dot(WEIGHTS, each.features))
    assert decoder.best(("casa", "roja"))[0] == best[0]
    in_order = Decoder(TABLE, LANGUAGE, limit=0).best(("casa", "roja"), 10)
    assert [each.words for each in in_order] == [("house", "red"), ("home", "red")]


def test_the_road_from_text_to_files(tmp_path: Path) -> None:
    """Lists of five of thirty sentences; what a translator says is nearer to the reference."""
    training, test = split(sample(), 70, 30)
    road = travel(training, test, tmp_path, Request(), 5)
    lists, names = read_nbest(road.nbest)
    assert (len(lists), max(map(len, lists)), names) == (30, 5, COMPONENTS)
    files = {**road.systems, "gold": road.references[0]}
    lines = {name: path.read_text(encoding="utf-8").splitlines() for name, path in files.items()}
    assert lines[PHRASES] == [" ".join(best[0].words) for best in lists]
    right = {name: sum(map(str.__eq__, own, lines["gold"])) for name, own in lines.items()}
    assert right[PHRASES] > 10 > right[WORD_BY_WORD]
    assert "Trained on 70 sentence pairs" in road.costs.lines[0]

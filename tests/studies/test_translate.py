"""The translator on tiny inputs that are worked out by hand."""

from __future__ import annotations

import json
import math
import zipfile
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from studies.__main__ import main as studies
from studies.core import Request
from studies.riezler.translate import catalogues
from studies.riezler.translate.alignment import (
    NULL_SHARE,
    align_both_ways,
    forward_backward,
    model_1,
    number_links,
    step_matrix,
    symmetrise,
)
from studies.riezler.translate.corpus import read_corpus, sample, split
from studies.riezler.translate.decoder import COMPONENTS, WEIGHTS, Candidate, Decoder
from studies.riezler.translate.language import END, START, LanguageModel
from studies.riezler.translate.nbest import read_nbest, write_nbest
from studies.riezler.translate.phrases import Lexicon, Translation, extract, phrase_table
from studies.riezler.translate.study import PHRASES, WORD_BY_WORD, travel
from studies.riezler.translate.system import train
from tellapart.errors import DataError

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


def test_three_sentences_are_aligned() -> None:
    assert align_both_ways(GERMAN, ENGLISH) == [{(0, 0), (1, 1)}] * 3


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


def test_directions_are_brought_together() -> None:
    """Both say (0, 0); two points touch it; (3, 3) touches nothing, and aligns words still free."""
    assert symmetrise({(0, 0), (1, 1), (3, 3)}, {(0, 0), (0, 1)}) == {
        (0, 0),
        (0, 1),
        (1, 1),
        (3, 3),
    }
    assert symmetrise({(0, 0), (1, 1)}, {(0, 0), (1, 1), (0, 1)}) == {(0, 0), (1, 1)}


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


def test_words_that_share_their_links_are_translated_all_the_same() -> None:
    source, target, links = [("a", "b")], [("x", "y")], [{(0, 0), (0, 1), (1, 0), (1, 1)}]
    table = phrase_table(source, target, links, Lexicon(source, target, links))
    assert [each.words for each in table["a", "b"]] == [("x", "y")]
    assert [each.words for each in table["a",]] == [("x",), ("y",)]


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


def test_unknown_words_stand_for_themselves() -> None:
    assert Decoder(TABLE, LANGUAGE).best(("Ana",))[0].words == ("Ana",)
    assert Decoder(TABLE, LANGUAGE).best(())[0].words == ()


def test_nbest_files(tmp_path: Path) -> None:
    path = tmp_path / "nbest.txt"
    features = tuple(-0.5 * k for k in range(len(COMPONENTS)))
    lists = [[Candidate(("a", "b"), features, -1.5), Candidate(("b",), features, -2.0)],
             [Candidate((), features, 0.0)]]  # fmt: skip
    write_nbest(path, lists)
    assert read_nbest(path) == (lists, COMPONENTS)
    path.write_text("0 ||| a ||| tm: -1 -2 lm= 3 ||| -1\n0 ||| b ||| lm= 3 ||| -1\n")
    with pytest.raises(DataError, match=r"line 2: the features are lm, before they were tm, tm\.2"):
        read_nbest(path)
    for line in ("0 ||| a ||| lm= x ||| -1", "0 ||| a ||| lm= nan ||| -1", "0 ||| a ||| lm= 1",
                 "0 ||| a ||| lm= 1 lm= 2 ||| -1", "a ||| a ||| lm= 1 ||| -1"):  # fmt: skip
        path.write_text(line + "\n")
        with pytest.raises(DataError, match="line 1: not `id"):
            read_nbest(path)
    path.write_text("1 ||| a ||| lm= 1 ||| -1\n")
    with pytest.raises(DataError, match="without gaps"):
        read_nbest(path)


def test_what_is_held_back_is_not_trained_on(tmp_path: Path) -> None:
    training, test = split(sample(), 70, 30)
    assert (len(training.source), len(test.source)) == (70, 30)
    assert not set(training.source) & set(test.source)
    everything, _ = split(sample(), None, 30)
    assert everything.source == split(sample(), 90, 30)[0].source
    with pytest.raises(DataError, match="100 sentence pairs"):
        split(sample(), 70, 60)
    for name, lines in {"es": "Sí.\n\nNo.\n", "en": "Yes.\nx\n" + "no " * 30 + "\n"}.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    assert read_corpus(tmp_path / "es", [tmp_path / "en"], 20).source == [("sí", ".")]
    with pytest.raises(DataError, match="no translation"):
        read_corpus(tmp_path / "es", [], 20)


def test_adjectives_of_the_sample_change_places() -> None:
    translator = train(sample())
    source = ("el", "gato", "negro")  # a word that the sample lacks
    assert translator.word_by_word(source) == ("the", "cat", "negro")
    best = translator.decoder.best(("la", "casa", "roja", "es", "grande", "."))[0]
    assert best.words == ("the", "red", "house", "is", "big", ".")


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


def test_folders_that_cannot_be_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "source.txt").write_text("uno\n")
    assert studies(["translate", "--data", str(tmp_path)]) == 2
    assert "no translation" in capsys.readouterr().err


def test_catalogues_of_a_wheel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once what two catalogues say; no plurals, no fuzzy ones, no empty ones, values as words."""
    catalogue = (
        'msgid ""\nmsgstr "Language: es"\n\nmsgctxt "x"\nmsgid "Save %(n)s"\nmsgstr "Guardar %(n)s"'
        '\n\nmsgid "one"\nmsgid_plural "many"\nmsgstr[0] "uno"\nmsgstr[1] "varios"\n\n'
        'msgid "No"\nmsgstr ""\n'
    )
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
        for name in ("a/locale/es", "b/locale/es", "a/locale/fr"):
            wheel.writestr(f"{name}/LC_MESSAGES/django.po", catalogue)
    out = tmp_path / "out"
    assert catalogues.main([str(tmp_path / "x.whl"), str(out)]) == 0
    assert (out / "source.txt").read_text() == "Guardar VALUE\n"
    assert (out / "ref1.txt").read_text() == "Save VALUE\n"
    assert catalogues.main([str(tmp_path / "x.whl"), str(out), "--language", "de"]) == 2
    assert "no catalogue of 'de'" in capsys.readouterr().err
    assert catalogues.main([str(out / "source.txt"), str(out)]) == 2


def write_lists(folder: Path, sentences: int) -> list[str]:
    """Write lists of three in which the last is right wherever its `lm` is the highest."""
    lists, references = [], []
    for k in range(sentences):
        right = tuple(f"w{(k + place) % 11}" for place in range(6))
        texts = [(*right[:3], "x", *right[4:]), right[::-1], right]
        best = [Candidate(text, (float(k % 3 - rank), float(rank + k % 2)), -float(rank))
                for rank, text in enumerate(texts)]  # fmt: skip
        lists.append(best[:2] if k == 0 else best)
        references.append(" ".join(right))
    (folder / "ref.txt").write_text("\n".join([*references, ""]))
    lines = [
        f"{k} ||| {' '.join(each.words)} ||| tm= {tm} lm= {lm} ||| {each.score}\n"
        for k, best in enumerate(lists)
        for each in best
        for tm, lm in [each.features]
    ]
    (folder / "nbest.txt").write_text("".join(lines))
    return ["--nbest", str(folder / "nbest.txt"), "--references", str(folder / "ref.txt")]


def test_lists_from_elsewhere_are_reranked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reranker learns that the last candidate is right, which the decoder's first is not."""
    options = write_lists(tmp_path, 200)
    assert studies(["riezler", *options, "--json", str(tmp_path / "found.json")]) == 0
    assert "the 2 features of components alone" in capsys.readouterr().out
    reranking = json.loads((tmp_path / "found.json").read_text())["figures"]["reranking"]
    decoder, baseline, first = reranking["systems"][:3]
    assert [each["name"] for each in reranking["systems"]][:2] == ["decoder", "baseline"]
    assert decoder["features"] == 0
    assert decoder["other_choices"] == reranking["segments"] == 100
    assert decoder["scores"]["bleu"] < 60.0
    for each in (baseline, first):
        assert each["scores"]["bleu"] == pytest.approx(100.0)


def test_lists_that_cannot_be_reranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = write_lists(tmp_path, 20)
    for words, said in (
        (["riezler", *few], "lists of 20 sentences are too few"),
        (["riezler", *few[:2]], "go together"),
        (["riezler", *few[:3], few[1]], "59 lines"),
        (["riezler", *few, "--data", "."], "give one of them"),
        (["yeh", *few], "reranks nothing"),
    ):
        assert studies(words) == 2
        assert said in " ".join(capsys.readouterr().err.split())

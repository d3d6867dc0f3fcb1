from __future__ import annotations

import os
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.metrics.text import tokenizers
from tellapart.metrics.text.tokenizers import BY_SACREBLEU, TOKENIZERS, Tokenizer

LINES = st.text(
    st.sampled_from("ab Z019.,-'\"&;:$()[]{}/@<>!?%\u00a0\u3000\t«»€–…äÉ中文。２ıſ"), max_size=40
)

OURS = [name for name in TOKENIZERS if name not in BY_SACREBLEU]


def test_ascii_lowering_leaves_other_letters() -> None:
    assert Tokenizer("13a", "ascii").tokens("ÄPFEL Und") == ["Äpfel", "und"]
    assert Tokenizer("13a", "unicode").tokens("ÄPFEL Und") == ["äpfel", "und"]


@given(st.lists(LINES, max_size=5), st.sampled_from(OURS))
def test_numbers_stand_for_tokens(lines: list[str], name: str) -> None:
    """Equal tokens have equal numbers and different ones different numbers, in any line."""
    tokenizer = Tokenizer(name)
    sequences = tokenizer.encode(lines)
    tokens = [token for line in lines for token in Tokenizer(name).tokens(line)]
    assert sequences.lengths.tolist() == [len(Tokenizer(name).tokens(line)) for line in lines]
    pairs = set(zip(tokens, sequences.tokens.tolist(), strict=True))
    assert len(pairs) == len({token for token, _ in pairs}) == len({number for _, number in pairs})


@pytest.mark.parametrize("name", OURS)
def test_same_as_sacrebleu(name: str) -> None:
    """Chunk by chunk gives what the whole line gives."""
    from sacrebleu.metrics.bleu import _get_tokenizer

    peer = _get_tokenizer(name)()

    @given(LINES)
    def check(line: str) -> None:
        assert Tokenizer(name).tokens(line) == peer(line.rstrip()).split()

    check()


MARKUP = (
    "<skipped>", "&quot;", "&amp;", "&apos;", "&AMP;lt;", "-\n", "\n", "\ud800", "\x1c", "\x85",
)  # fmt: skip
ODD_LINES = st.lists(
    st.sampled_from((*MARKUP, *"aZ09.,-'&;!\u00a0\u2028 \u4e2d\u1e9e")), max_size=20
)


@given(
    st.lists(ODD_LINES.map("".join), max_size=4),
    st.sampled_from(["13a", "none"]),
    st.sampled_from(["no", "ascii", "unicode"]),
    st.booleans(),
)
def test_native_words_are_those_of_python(
    lines: list[str], name: str, lower: str, script: bool
) -> None:
    """Both engines number the same tokens alike, in the order in which they are met."""
    ours = Tokenizer(name, lower, script=script)
    with patch.dict(os.environ, TELLAPART_PATH="numpy"):
        other = Tokenizer(name, lower, script=script)
    found, expected = ours.encode(lines), other.encode(lines)
    assert found.tokens.tolist() == expected.tokens.tolist()
    assert found.starts.tolist() == expected.starts.tolist()
    assert [ours.number(token) for token in ("a", "0", "&")] == [
        other.number(token) for token in ("a", "0", "&")
    ]


def test_tokenizers_of_sacrebleu_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from sacreBLEU takes the same way as ours, whose answers are known."""
    line = "中文2017年。OK."
    ours = Tokenizer("zh", "unicode").tokens(line)
    monkeypatch.setattr(tokenizers, "BY_SACREBLEU", ("zh",))
    peers = Tokenizer("zh", "unicode")
    assert peers.tokens(line) == ours == ["中", "文", "2017", "年", "。", "ok", "."]
    assert peers.encode([line, "中"]).lengths.tolist() == [7, 1]
    assert tokenizers.tokenizer_signature("zh") == "zh"

"""The texts and labels of Inspect's logs: kept as they are, and compared where they matter."""

from __future__ import annotations

from log_files import eval_log, header, json_log, read_logs, sample
from table_files import Write

BIRCH = header("mockllm/birch")


def test_prompts_that_differ_are_told(write: Write) -> None:
    one = write("1.eval", eval_log([sample("a", 1), sample("b", 1)]))
    two = write("2.eval", eval_log([sample("a", 1), sample("b", 1, input="Say b!")], BIRCH))
    (notice,) = read_logs([one, two]).notices
    assert notice.code == "prompts-differ"
    assert notice.text == "The systems did not get the same prompts (1 of 2 items differ)."
    assert notice.affected == ("b",)


def test_metadata_that_differs_is_no_label(write: Write) -> None:
    one = write("1.eval", eval_log([sample("a", 1, metadata={"tries": 1, "topic": "sea"})]))
    two = write("2.eval", eval_log([sample("a", 1, metadata={"tries": 2, "topic": "sea"})], BIRCH))
    counts = read_logs([one, two])
    assert counts.labels == {"topic": ("sea",)}
    (notice,) = counts.notices
    assert notice.code == "labels-differ"
    assert "tries (as first seen in 2.eval" in notice.text


def test_long_free_text_is_no_label_unless_it_repeats(write: Write) -> None:
    rows = [
        sample(k, 1, metadata={"note": f"{k}" * 100, "passage": "long " * 50, "score": k})
        for k in range(1, 5)
    ]
    labels = read_logs([write("x.eval", eval_log(rows))]).labels
    assert list(labels) == ["passage", "metadata.score"]


def test_hostile_and_huge_texts_are_kept(write: Write) -> None:
    evil = "<script>alert('1')</script>\x00😀"
    huge = "word " * 20_000
    rows = [sample("a", 1, input=evil, target=huge, scores={"m": {"value": 1, "answer": huge}})]
    for path in (write("x.json", json_log(rows)), write("x.eval", eval_log(rows))):
        texts = read_logs([path]).texts
        assert texts is not None
        assert (texts.inputs, texts.golds, texts.outputs["alder"]) == ((evil,), (huge,), (huge,))


def test_half_characters_do_not_stop_a_report(write: Write) -> None:
    r"""An escaped half of a surrogate pair is valid JSON, but no text that can be written."""
    row = json_log([sample("a\ud83d", 1)])
    assert r"a\ud83d" in row
    assert read_logs([write("x.json", row)]).items == ("a?",)


def test_cut_texts_are_taken_from_the_whole_sample(write: Write) -> None:
    """Summaries cut texts; prompts that agree as far as summaries go do not differ."""
    long = "x" * 6000
    whole = sample("a", 1, input=long, output={"completion": "all of it"})
    cut = sample("a", 1, input=long[:5120] + "...\n(content truncated)")
    packed = write("x.eval", eval_log([cut], wholes=[whole]))
    counts = read_logs([packed, write("y.json", json_log([whole], BIRCH))])
    assert counts.texts is not None
    assert counts.texts.inputs == (long,)
    assert counts.texts.outputs["alder"] == ("all of it",)
    assert counts.notices == ()


def test_chats_attachments_and_choices_as_text(write: Write) -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Who?"}, {"type": "image"}]},
    ]
    row = sample("a", 1, input=chat, target=["Ann", "Anne"])
    attached = sample("b", 0, input="attachment://77", attachments={"77": "the whole question"})
    counts = read_logs([write("x.json", json_log([row, attached]))])
    assert counts.texts is not None
    assert counts.texts.inputs == ("Be brief.\nWho?\n(image)", "the whole question")
    assert counts.texts.golds == ("Ann\nAnne", "yes")

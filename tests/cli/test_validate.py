"""`tellapart validate`: the format is told by content, and alike problems are counted."""

from __future__ import annotations

from table_files import Capture, Write
from tellapart.cli import main


def test_problems_of_a_kind_are_counted(write: Write, capsys: Capture) -> None:
    lines = [f"w{k} {'PER' if k % 2 else 'LOC'}" for k in range(1, 601)]
    write("bad2.conll", "\n".join([*lines, "alone"]))
    write("bad1.conll", "x PER\n")
    assert main(["validate", "--as", "conll", "bad2.conll", "bad1.conll"]) == 2
    captured = capsys.readouterr()
    shown = captured.out.splitlines()
    assert captured.err == "602 errors, 0 warnings\n"
    assert [line.partition(": ")[0] for line in shown[:10]] == [
        f"bad2.conll:{k}" for k in range(1, 11)
    ]
    assert shown[10] == "bad2.conll: 590 more of this kind, the last in line 600"
    assert [line.partition(": ")[0] for line in shown[11:]] == ["bad2.conll:601", "bad1.conll:1"]


def test_stray_tags_are_listed(write: Write, capsys: Capture) -> None:
    write("gold.conll", "a B-PER\nb O\n\nc B-PER\n")
    write("a.conll", "a B-PER\nb O\n\nc I-PER\n")
    for words in (["a.conll"], ["a.conll", "--gold", "gold.conll"]):
        main(["validate", "--as", "conll", *words])
        said = capsys.readouterr()
        assert said.out.count("1 entity of a") == 1
        assert "1 warning" in said.err
    main(["validate", "--as", "conll", "gold.conll"])
    assert capsys.readouterr().err == "0 errors, 0 warnings\n"

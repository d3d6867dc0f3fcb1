"""Every option of the command line that names an output, with a small command that it goes with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from muc_files import attack
from tellapart.cli import all_parsers
from tellapart.formats.registry import formats
from tellapart.options import Writes, options_of

TABLE = "item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(12))
MANY = "item,old,new\n" + "".join(f"q{k},{k % 2},{int(k % 3 > 0)}\n" for k in range(60))
ONE = "item,score\n" + "".join(f"q{k},{k % 2}\n" for k in range(12))
JUDGED = "system,item,judge\n" + "".join(
    f"{name},q{k},{(k + n) % 2}\n" for n, name in enumerate(("old", "new")) for k in range(60)
)
MENTIONS = "#BeginOfDocument d\nx\td\tE1\t0,4\tdied\tLife_Die\tActual\n#EndOfDocument\n"
SALE = '{"doc": "d", "templates": [{"type": "sale", "buyer": "Ana"}]}\n'
THEIRS = '(("M1"\n  ("1"\n   (perp-ind-id\n    ("B" fail)))))\n'

INPUTS = {
    "t.csv": TABLE,
    "many.csv": MANY,
    "one.csv": ONE,
    "judged.csv": JUDGED,
    "key.txt": attack(perp_ind_id='"A"'),
    "GE.txt": attack(perp_ind_id='"B"'),
    "theirs.txt": THEIRS,
    "gold.tbf": MENTIONS,
    "own.tbf": MENTIONS,
    "gold.jsonl": SALE,
    "own.jsonl": SALE,
    "ref.txt": "a cat\na dog\n",
    "out.txt": "a cat\na hat\n",
}
"""The files that the commands read"""

COMMANDS = {
    "compare": ["t.csv", "--test", "sign"],
    "compare --baseline-dir": ["one.csv", "--accept"],
    "score": ["t.csv"],
    "calibrate": ["t.csv", "--pairs", "4", "--test", "sign"],
    "plan": ["many.csv", "--simulate", "0"],
    "plan --label-first": ["judged.csv", "--metric", "judge"],
    "watch": ["t.csv", "--once"],
    "adjudicate": ["--merge", "theirs.txt"],
    "campaign export": ["judged"],
    "campaign report": ["judged"],
    "campaign export --history": ["templates"],
    "score muc": ["--as", "muc", "--gold", "key.txt", "GE.txt"],
    "score nuggets": ["--as", "nuggets", "--gold", "gold.tbf", "own.tbf"],
    "score templates": ["--as", "templates", "--gold", "gold.jsonl", "own.jsonl", "--metric",
                        "muc"],
    "score text": ["--as", "text", "--gold", "ref.txt", "out.txt"],
}  # fmt: skip
"""By verb, and format or option where these need another: what is asked, without outputs"""


@dataclass(frozen=True)
class Writer:
    """An option that names an output, of a verb, and of a format if it has it."""

    verb: str
    option: str
    is_folder: bool
    form: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.verb, self.form, self.option)))

    def words(self, path: str) -> list[str]:
        """Give the command line that writes to a path; where there is no command, add one."""
        common = COMMANDS[" ".join(filter(None, (self.verb, self.form)))]
        asked = COMMANDS.get(f"{self.verb} {self.option}", common)
        return [*self.verb.split(), *asked, self.option, path]

    @property
    def old(self) -> str:
        """What may be there from an earlier call."""
        return "()\n" if (self.verb, self.option) == ("adjudicate", "--history") else "old\n"


@cache
def writers() -> tuple[Writer, ...]:
    """Return all of them, as the parser and the formats declare them."""
    return tuple(_declared())


def _declared() -> Iterator[Writer]:
    formed = {
        each.flag: form.name
        for form in formats()
        for each in options_of(form.options, "score")
        if each.option.writes
    }
    for verb, parser in all_parsers():
        for action in parser._actions:
            if isinstance(action, Writes):
                option = action.option_strings[0]
                is_folder = action.metavar in ("DIR", "PATH")
                yield Writer(verb, option, is_folder, formed.get(option, "") * (verb == "score"))


def write_inputs(folder: Path) -> None:
    """Write the files that the commands read."""
    for name, text in INPUTS.items():
        (folder / name).write_text(text)
    for name, content in _campaigns().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


@cache
def _campaigns() -> dict[str, bytes]:
    """Return the files of campaigns, by path; made once."""
    if find_spec("sqlalchemy") is None:
        return {}
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.settings import Settings

    with TemporaryDirectory() as folder:
        answers = Campaign.create(f"{folder}/judged", Settings("T", "items"))
        answers.submit("A", "a.csv", b"id,output\nq1,4\n")
        answers.submit("B", "b.csv", b"id,output\nq1,5\n")  # a board needs two
        Campaign.create(f"{folder}/templates", Settings("T", "muc", judging="fills"))
        found = [path for path in Path(folder).glob("*/*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}

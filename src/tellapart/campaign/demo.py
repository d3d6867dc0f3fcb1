"""A campaign to try things out: twelve invented messages, four invented systems, two judges.

The messages of the conferences are not ours to ship; so these were written for this purpose, in the
same format, with the mistakes that systems make. Ann has answered twenty questions, Bob those of
them that need a second opinion; they differ about one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Final

from tellapart.campaign.campaign import GOLD, TEXTS, Campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.settings import Settings

PEOPLE: Final = {
    "olga": "organiser",
    "ann": "judge",
    "bob": "judge",
    "team heron": "participant",
}
SYSTEMS: Final = ("Heron", "Ibis", "Kestrel", "Plover")


@dataclass(frozen=True, slots=True)
class Demo:
    """A campaign that is under way."""

    campaign: Campaign
    tokens: Mapping[str, str]
    """By name what is in each person's link"""


def demo_campaign(folder: str) -> Demo:
    """Make the campaign in a folder, with some questions decided and one in conflict.

    >>> import tempfile
    >>> from tellapart.campaign.judging import desk_of
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     demo = demo_campaign(folder)
    ...     print(*demo.campaign.systems(), *demo.tokens)
    ...     progress = desk_of(demo.campaign).progress("ann")
    Heron Ibis Kestrel Plover olga ann bob team heron
    >>> progress.yours, progress.conflicts, progress.decided
    (20, 1, 19)
    """
    settings = Settings(
        "Demo: twelve invented messages", form="muc", judging="fills", metric="f1", seed="demo2"
    )
    with as_file(files("tellapart") / "data" / "demo") as there:
        shared = [(GOLD, "key.txt"), (TEXTS, "texts.txt")]
        contents = [(role, name, (there / name).read_bytes()) for role, name in shared]
        campaign = Campaign.create(folder, settings, contents)
        for system in SYSTEMS:
            file = there / f"{system.lower()}.txt"
            campaign.submit(system, file.name, file.read_bytes())
        tokens = {name: campaign.add_person(name, role) for name, role in PEOPLE.items()}
        rows = rows_in(str(there / "decisions.json"), lambda: design_of(campaign))
        join(campaign, rows)
    return Demo(campaign, tokens)

"""Reading the submissions of a campaign into what people are asked about them, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.campaign.campaign import Campaign, Laid
from tellapart.campaign.desk import Desk
from tellapart.campaign.questions import Judging
from tellapart.campaign.settings import Settings
from tellapart.errors import UsageError
from tellapart.options import make_options

if TYPE_CHECKING:
    from tellapart.campaign.items import Outputs
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts

ITEM: Final = "item"
"""The option of every format that says what an item is"""


def load_judging(campaign: Campaign) -> Judging:
    """Return what the submissions of a campaign leave to people; nothing is decided yet."""
    with campaign.laid_out() as laid:
        if not laid.systems:
            raise UsageError(
                f"{campaign.folder}: there is no system in this campaign; add one with `tellapart "
                "campaign add`"
            )
        return judging_of(campaign.settings, laid)


def desk_of(campaign: Campaign, *, spread: bool = False) -> Desk:
    """Return a desk of a campaign: its questions, and what was answered."""
    return Desk(campaign.settings, campaign.log, lambda: load_judging(campaign), spread)


def judging_of(settings: Settings, laid: Laid) -> Judging:
    """Return what some files leave to people: all of a campaign's, or one that is looked at."""
    if settings.judging == "fills":
        from tellapart.campaign.fills import load_fills

        return load_fills(settings, laid, format_options(settings, laid))
    if settings.judging == "keys":
        from tellapart.campaign.keys import load_keys

        return load_keys(settings, laid, format_options(settings, laid))
    from tellapart.campaign.items import Ratings

    return Ratings(settings, read_outputs(settings, laid))


def read_outputs(settings: Settings, laid: Laid) -> Outputs:
    """Return what systems wrote, with inputs, gold answers and labels.

    Files that organisers gave are read together, and these are theirs. A participant's is read
    alone: nothing that it says of them is compared with these, or shown.
    """
    from tellapart.campaign.items import Outputs
    from tellapart.counts import ItemTexts

    ours = {name: path for name, path in laid.systems.items() if name in laid.trusted}
    others = {name: path for name, path in laid.systems.items() if name not in ours}
    read = {name: _read(settings, laid, {name: path}) for name, path in others.items()}
    if ours:
        first = _read(settings, laid, ours)
        read |= dict.fromkeys(ours, first)
    else:
        first = next(iter(read.values()))
        golds = first.texts.golds if first.texts is not None and laid.gold else ()
        first = replace(first, texts=ItemTexts(golds=golds), labels={})
    return Outputs.joined({name: read[name] for name in laid.systems}, first)


def _read(settings: Settings, laid: Laid, paths: Mapping[str, Path]) -> Counts:
    from tellapart.counts import Counts
    from tellapart.formats.reading import read
    from tellapart.formats.registry import TABLES, format_of
    from tellapart.formats.tables.reader import read_answers

    systems = [f"{name}={path}" for name, path in paths.items()]
    options, item = reading_options(settings, laid), settings.options.get(ITEM)
    if TABLES in format_of(settings.form).names:
        return read_answers(systems, item=item)  # tables of answers need no scores
    found = read(systems, list(laid.gold), form=settings.form, item=item, missing="own", **options)
    assert isinstance(found, Counts)  # of files, not of a folder of Parquet
    return found


def format_options(settings: Settings, laid: Laid) -> Any:
    """Return the options of the format as a record, as its checks and templates take them."""
    from tellapart.formats.registry import format_of

    form = format_of(settings.form)
    return make_options(form.options, reading_options(settings, laid), form.name)


def reading_options(settings: Settings, laid: Laid) -> dict[str, Any]:
    """Return the options of the format as its reader takes them, files among them."""
    given = {name: value for name, value in settings.options.items() if name != ITEM}
    return given | {name: str(path) for name, path in laid.options.items()}


def compared(settings: Settings, counts: Counts, *, intervals: bool = True) -> Comparison:
    """Return the comparison by the metric of a campaign: exact, as bounds of what is open are."""
    from tellapart.result import compare

    metric, alpha = settings.verdict_metric, settings.alpha
    asked = partial(compare, counts, metrics=metric, alpha=alpha, intervals=intervals)
    try:
        return asked(test="exact").record
    except UsageError:  # so many items that it has no end: bounds say nothing of them, either
        return asked().record

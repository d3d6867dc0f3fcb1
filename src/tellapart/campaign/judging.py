"""Reading the submissions of a campaign into what people are asked about them."""

from __future__ import annotations

from tellapart.campaign.campaign import Campaign
from tellapart.campaign.questions import Judging
from tellapart.errors import UsageError


def load_judging(campaign: Campaign) -> Judging:
    """Return what the submissions of a campaign leave to people; nothing is decided yet."""
    from tellapart.campaign.items import Ratings
    from tellapart.formats.reading import read

    settings = campaign.settings
    with campaign.laid_out() as laid:
        if not laid.systems:
            raise UsageError(
                f"{campaign.folder}: there is no system in this campaign; add one with `tellapart "
                "campaign add`"
            )
        systems = [f"{name}={path}" for name, path in laid.systems.items()]
        counts = read(systems, list(laid.gold), form=settings.form, **settings.options)
    return Ratings(settings, counts)

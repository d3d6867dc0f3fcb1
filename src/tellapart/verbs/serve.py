"""Serves the pages of a campaign, on which people judge, submit and see the board.

They use links of their own (`tellapart campaign people`). Only this machine reaches them
without --host. Ctrl-C ends it; decisions are kept.

Examples:
  tellapart serve --demo
  tellapart serve answers/ --port 9000
  tellapart serve answers/ --proxy https://judge.example.org
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from shlex import quote
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tellapart.console import remark, say, show
from tellapart.errors import UsageError
from tellapart.options import Number
from tellapart.verbs.campaign import extra_needed
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign


PORT: Final = Number(whole=True, least=0, most=65_535)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("folder", metavar="DIR", nargs="?", help="the campaign")
    add("--demo", action="store_true", help="serve an invented one, which is not kept")
    add("--host", default="127.0.0.1", metavar="ADDRESS",
        help="where to listen; 0.0.0.0: everywhere (default: 127.0.0.1)")  # fmt: skip
    add("--port", type=PORT, default=8000, metavar="N", help="0: any free one (default: 8000)")
    add("--proxy", type=address, metavar="URL", help="the address at which a proxy here is reached")


def run(args: argparse.Namespace) -> int:
    """Open the campaign, say where it is, and serve it."""
    if args.demo == (args.folder is not None):
        raise UsageError("name the folder of a campaign, or give --demo for one to try things out")
    with extra_needed():
        from tellapart.campaign.campaign import Campaign
        from tellapart.campaign.demo import demo_campaign
        from tellapart.campaign.web import serving  # noqa: F401 (what it needs is there)
    if not args.demo:
        return _serve(args, Campaign.open(args.folder))
    with tempfile.TemporaryDirectory() as folder:
        demo = demo_campaign(folder)
        return _serve(args, demo.campaign, demo.tokens)


def _serve(
    args: argparse.Namespace, campaign: Campaign, tokens: Mapping[str, str] | None = None
) -> int:
    """Serve a campaign; `tokens` are those of a demo, by name."""
    from tellapart.campaign.web import serving
    from tellapart.campaign.web.app import LOOPBACK, make_app

    listening, here = serving.listen(args.host, args.port), serving.is_loopback(args.host)
    address = args.proxy or serving.address_of(listening)
    https = address.startswith("https:")
    known = (*LOOPBACK, args.host, str(urlsplit(address).hostname))
    app = make_app(campaign, hosts=known if here else (), https=https)
    if not here and not https:
        say("warning: others on the network can read what is sent over http; use --proxy https:…")
    serving.log_requests(campaign.folder)
    if campaign.systems():
        remark(f"reading the files of {several(len(campaign.systems()), 'system')} ...")
    app.state.site.start()
    show(f"{campaign.settings.title}: {address}/\n")
    links = campaign.first_organiser() if tokens is None else tokens
    for name, token in links.items():
        show(f"{name}: {address}/enter/{token}\n")
    if tokens is None:
        about = "keep the link: it is shown once" if links else "an organiser has a link"
        another = f"tellapart campaign people {quote(args.folder)} --add NAME --role organiser"
        remark(f"{about}; for another: {another}")
    kept = "what was decided is kept" if tokens is None else "nothing of the demo is kept"
    try:
        serving.end_by_signals()  # before anybody is told how to end it
        show(f"Ctrl-C ends it; {kept}.\n")
        sys.stdout.flush()
        serving.serve(app, listening, proxied=args.proxy is not None)
    finally:
        app.state.site.stop()
        campaign.database.close()
        say(f"ended; {kept}")
    return 0


def address(url: str) -> str:
    """Return the address of a proxy, without what may stand behind the host."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise UsageError(f"--proxy: {url!r} is no address; write https://judge.example.org")
    return f"{parts.scheme}://{parts.netloc}"

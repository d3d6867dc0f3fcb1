"""Draws the picture of the report that the README shows, from the real page in a real browser.

    python tools/draw_report.py

It needs chromium and the packages of `pip install '.[test]'`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tellapart.cli import main

PICTURE = Path(__file__).parents[1] / "docs" / "img" / "report.png"


def draw(folder: Path) -> None:
    """Draw the report of the built-in data, as `tellapart demo` leaves it."""
    os.chdir(folder)
    if main(["demo", "--quiet"]):
        raise SystemExit("the demo failed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 840}, color_scheme="light")
        page.goto((folder / "demo.html").as_uri())
        page.screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.name}: {PICTURE.stat().st_size // 1024} kB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        draw(Path(scratch))

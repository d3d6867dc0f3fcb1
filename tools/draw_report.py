"""Draws the pictures of the report that the pages show, from the real page in a real browser.

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

IMAGES = Path(__file__).parents[1] / "docs" / "img"
PICTURES = {"report.png": ("light", 1200, 960), "report-phone.png": ("light", 390, 780)}
"""By file: colours, width and height of the window"""


def draw(folder: Path) -> None:
    """Draw the report of the built-in data, as `tellapart demo` leaves it."""
    os.chdir(folder)
    if main(["demo", "--quiet"]):
        raise SystemExit("the demo failed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (colours, width, height) in PICTURES.items():
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=colours
            )
            page.goto((folder / "demo.html").as_uri())
            page.screenshot(path=IMAGES / name)
            print(f"{name}: {(IMAGES / name).stat().st_size // 1024} kB")
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        draw(Path(scratch))

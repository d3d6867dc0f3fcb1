"""How tests look at a page: in a real browser, noting every error and request."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass
class Visit:
    """A page, and what happened while it was open."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def visit(browser: Browser, path: Path, fragment: str = "", **options: Any) -> Visit:
    """Open a report from disk, and note every error and request."""
    script = options.get("java_script_enabled", True)
    page = browser.new_context(**options).new_page()
    seen = Visit(page)
    page.on("console", lambda message: seen.errors.append(message.text)
            if message.type in ("error", "warning") else None)  # fmt: skip
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.goto(path.as_uri() + fragment)
    if script:
        page.wait_for_selector("html[data-ready]")
    return seen

"""Run all benchmarks, or those named: `python -m benchmarks shuffles exact`."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "shuffles",
    "pairs",
    "exact",
    "boards",
    "growth",
    "large",
    "logs",
    "campaign",
    "reading",
    "templates",
    "translation",
    "startup",
    "sequential",
    "validity",
)


def main() -> None:
    wanted = sys.argv[1:] or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}")
    for name in wanted:
        importlib.import_module(f"benchmarks.{name}").run()


if __name__ == "__main__":
    main()

"""Run some sections only: `python -m benchmarks.validity ratios runs`."""

import sys

from benchmarks.validity import SECTIONS, run

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(f"there is no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    run(wanted)

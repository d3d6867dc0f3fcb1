"""Published studies, done again: what comes out, what does not, and what the exact test adds."""

import os

# Before numpy is loaded: the matrices here are small, and threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

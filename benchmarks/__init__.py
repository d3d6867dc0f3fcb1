"""Speed and memory, each beside a named peer in the same run: `make bench`."""

import os

# Before numpy is loaded: one thread for us, one thread for the peers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

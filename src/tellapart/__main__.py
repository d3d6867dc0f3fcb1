"""Lets `python -m tellapart` do what `tellapart` does."""

from tellapart.cli import entry

entry()

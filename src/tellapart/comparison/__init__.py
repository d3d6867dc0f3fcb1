"""Null distributions become a verdict: options, record, slices, and the data behind figures."""

"""Span JSONL: a text a line with its labelled spans, as annotation tools export them."""

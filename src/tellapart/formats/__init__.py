"""Formats: files of systems and gold answers become counts.

`contract` says what a format is, `registry` knows all of them and finds the one of a file, and
`reading` is `tellapart.read`. `records` turns bytes into records, `align` pairs items. Each format
has a place of its own: `tables`, `logs`, `preferences`, `texts`, `retrieval`, `annotation` and
`templates`.
"""

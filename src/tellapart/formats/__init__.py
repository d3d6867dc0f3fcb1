"""Formats: files of systems and gold answers become counts.

`registry` says what a format is and knows all of them; `guessing` finds the one of a file, and
`reading` is `tellapart.read`. Each format has a package of its own: `tables`, `logs`, `text`,
`relations`, `tags`, `spans`, `trec`, `coref`, `nuggets` and `muc`.
"""

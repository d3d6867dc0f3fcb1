"""Reports: the record of a comparison as words, tables, figures and pages.

`registry` knows the writers that `--format` names. `verdict` is the finding in words, made of
`sentences`; `method` says how it was found. `terminal` is the report as text, `tables` has TSV,
Markdown and LaTeX, `html` the page and `figures` its pictures. `differences`,
`plan` and `calibration` write the results of other verbs. `numbers`, `wording` and
`terminal_text` are what all of them share.
"""

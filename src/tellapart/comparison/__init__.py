"""Comparisons of systems: from counts to the one record that every report is made of.

`compare` runs the tests, `pairs` puts their results together, `record` is what they become, and
`notices` are its warnings. `ranking` orders systems and pairs. `slices` and `selections`
compare on parts of the items; `details`, `items`, `scatter`,
`null_histograms` and `power` are the data behind figures and the HTML page.
"""

"""Fuzzing: the samples of all formats, damaged in many ways.

A case damages one file of a sample (`damage.py`), and is reproduced by the sample's name and one
whole number. It asks for three things (`cases.py`): no traceback, no hang, and no record that is
dropped without a word. In the folder of the tests:

    python -m fuzz                  all samples, 20,000 cases
    python -m fuzz trec             the samples of one format
    python -m fuzz trec 4711        one case of each of them, with what was said
"""

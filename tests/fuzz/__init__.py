"""Fuzzing: the samples of all formats, damaged in many ways.

A case damages one file of a sample (`damage.py`), and is reproduced by the sample's name and one
whole number. It asks for three things (`test_fuzz.py`): no traceback, no hang, and no record that
is dropped without a word. `make fuzz CASES=100000` runs so many.
"""

"""Fuzzing: small sound files, damaged in a thousand ways, and what the program may say of them.

A target is a set of sound files and the calls that read them (`targets.py`). A case damages one
of the files (`damage.py`), and is reproduced by the target's name and one whole number. The rule
(`rule.py`) is: no traceback, no hang, and whatever is accepted either leaves the record as it was,
or is a sound file that says something else, or is named in a warning.

In the folder of the tests:

    python -m fuzz                  all targets, 50,000 cases
    python -m fuzz trec             one target
    python -m fuzz trec 4711        one case, with all that the program said
"""

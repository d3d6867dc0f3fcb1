"""Three extraction systems of 1991, small and from scratch: rules, perceptrons and case memory.

The paper describes them in its section on systems that match patterns. Each reads messages and
gives templates; `python -m studies.muc3.extract` trains them, scores them beside the systems of
1992, and says which of them can be told apart.
"""

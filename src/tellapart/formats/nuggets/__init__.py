"""Event nugget scoring: TBF files to the figures of the TAC KBP evaluations, and to counts."""

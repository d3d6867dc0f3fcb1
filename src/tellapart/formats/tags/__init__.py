"""Tag files: one token a line with its tag, as CoNLL's shared tasks have them."""

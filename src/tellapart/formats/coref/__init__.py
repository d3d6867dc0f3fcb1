"""Coreference metrics: MUC, B³, CEAF and BLANC, for any clusters of mentions."""

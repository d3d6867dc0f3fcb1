"""Translation and text metrics: BLEU, NIST, chrF, TER and F over relations, as counts that add."""

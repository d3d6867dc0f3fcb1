"""The proposal of Hirschman (1991) to measure how well a system converges, carried out."""

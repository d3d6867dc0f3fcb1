"""Before a comparison: how many items it takes, and whether a test keeps its level on the data."""

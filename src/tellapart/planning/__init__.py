"""The same engine asked backwards: how many items it takes, and whether a test keeps its level."""

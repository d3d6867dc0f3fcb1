"""From null distributions to p-values, intervals, groups and warnings."""

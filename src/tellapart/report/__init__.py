"""Reports: what was found, in words and tables. No statistics are computed here."""

"""The HTML report of a comparison: one file that opens from disk, prints, and needs no script."""

"""A comparison as one HTML file: opens from disk, prints, and reads without script."""

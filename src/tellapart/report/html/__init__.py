"""The report as one HTML page that needs no other file, and as a notebook shows it."""

"""From files to counts."""

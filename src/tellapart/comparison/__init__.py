"""Comparisons of systems: from counts to the one record that every report is made of."""

"""Answers that are known of real files, which a clone need not have: then all of these skip."""

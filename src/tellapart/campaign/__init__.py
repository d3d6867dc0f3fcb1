"""Campaigns: a folder with a database, in which several people decide about the same questions."""

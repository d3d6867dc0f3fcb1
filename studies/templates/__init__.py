"""Thirty years of templates: systems of 1992 and of 2021 to 2023 on the messages of MUC-4."""

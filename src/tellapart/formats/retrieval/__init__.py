"""Retrieval: runs with judgements, and scores of single queries."""

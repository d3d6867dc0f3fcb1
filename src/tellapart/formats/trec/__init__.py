"""Retrieval: ranked documents and relevance judgements, query by query."""

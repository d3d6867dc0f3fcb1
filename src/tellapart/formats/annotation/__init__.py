"""Annotated documents: tags, spans, relations, event nuggets and coreference."""

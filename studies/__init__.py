"""Published studies, done again: what comes out, what does not, and what the exact test adds."""

"""A phrase-based translation system, small and whole, as section 2 of the paper reranks one."""

"""Templates: what systems extract from documents, as files of 1992 or JSON, against gold ones."""

"""Templates as JSON: what systems extract from documents, held against gold templates."""

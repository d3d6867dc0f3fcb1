"""Tables of counts or ready scores: CSV, TSV, JSONL, Parquet."""

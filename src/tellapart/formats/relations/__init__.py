"""Relations of parses, or any sets of items, per segment."""

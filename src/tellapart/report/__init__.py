"""From a comparison to what people read."""

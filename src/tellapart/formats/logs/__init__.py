"""Logs of LLM evaluations: Inspect's `.eval` and `.json`, lm-eval's `samples_*.jsonl`."""

"""Preferences: judgments of two systems side by side, as tables and as judges write them."""

"""Yeh (2000): two methods of finding modifier relations, and the tests that tell them apart."""

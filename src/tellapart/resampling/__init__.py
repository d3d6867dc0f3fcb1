"""From counts to null distributions: shuffles, bootstrap, enumeration and the exact lattice."""

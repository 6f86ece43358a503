"""How papers are found."""

"""Today's paper: which one, why this one, and what became of it."""

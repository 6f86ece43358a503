"""Where messages go, and the proof that they went."""

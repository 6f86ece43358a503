"""What is remembered."""

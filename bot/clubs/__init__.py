"""Who: clubs, channels, members and their accounts, settings."""

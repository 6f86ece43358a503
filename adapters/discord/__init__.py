"""Discord: the adapter for servers there and for private messages with the bot."""

"""What the bot says: blocks and forms, pages, and words in every language."""

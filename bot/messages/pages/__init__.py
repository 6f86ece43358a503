"""Functions that turn values into messages and forms, a file a group of pages."""

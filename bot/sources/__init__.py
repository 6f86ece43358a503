"""Other ways in: one file a format, `read_x(bytes) -> Listing`, and detect, which knows them all."""

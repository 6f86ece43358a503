"""What a paper is, from a line of a listing to the catalogue."""

"""The starter catalogue: four listing pages, byte for byte as they were published."""

from __future__ import annotations

from importlib import resources


def starter_pages() -> list[tuple[str, bytes]]:
    """The pages as (file name, content), in the order of names; `parse_listing` reads all of them."""
    pages = (page for page in resources.files(__name__).iterdir() if page.name.endswith(".txt"))
    return [(page.name, page.read_bytes()) for page in sorted(pages, key=lambda page: page.name)]

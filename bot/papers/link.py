"""A paper made of a link somebody wrote: nothing is fetched, only what the address itself says is taken."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from bot.papers.model import Paper
from bot.papers.same import arxiv_id_in, doi_in

_KEPT = "/:?#[]@!$&'()*+,;=%~-._"
MAX_LINK = 500


def clean_link(text: str) -> str | None:
    """An http or https address ready to be linked, blanks encoded; None for anything else.

    ``arXiv:2401.00001`` and a DOI become the address of their resolver.
    """
    text = text.strip().strip("<>")
    if len(text) > MAX_LINK:
        return None
    if not text.lower().startswith(("http://", "https://")):
        if (arxiv_id := arxiv_id_in(text)) is not None:
            return f"https://arxiv.org/abs/{arxiv_id}"
        if (doi := doi_in(text)) is not None:
            return f"https://doi.org/{quote(doi, safe=_KEPT)}"
        return None
    address = quote(text, safe=_KEPT)
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return address if host and "." in host else None


def paper_of_link(link: str, title: str, authors: str = "") -> Paper | None:
    """The paper a member describes beside a link; None when the link is no address. `authors` by commas."""
    address = clean_link(link)
    if address is None:
        return None
    names = tuple(name for name in (" ".join(part.split()) for part in authors.split(",")) if name)
    return Paper(
        authors=names[:100],
        authors_truncated=False,
        area=None,
        subarea=None,
        abstract="",
        title=title,
        url=address,
        arxiv_id=arxiv_id_in(link),
        doi=doi_in(link),
        sources=(address,),
    )

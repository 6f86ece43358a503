"""A paper made of a link somebody wrote: nothing is fetched, only what the address itself says is taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from bot.papers.model import Paper
from bot.papers.same import arxiv_id_in, doi_in

_KEPT = "/:?#[]@!$&'()*+,;=%~-._"
MAX_LINK = 500
"""Characters of an address, as it is written and once it is ready to be linked."""
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")
_NO_SCHEME = re.compile(r"[^\s/:@?#]+\.[^\W\d_]{2,}(?::[0-9]{1,5})?/\S*")


def clean_link(text: str) -> str | None:
    """An http or https address ready to be linked, percent-encoded; None for anything else.

    ``x.example/1`` is taken as https, ``arXiv:2401.00001`` and a DOI become the address of their resolver. A
    name and password in an address are left out, since the address is shown to everybody.
    """
    text = _bare(text)
    if len(text) > MAX_LINK:
        return None
    if not text.lower().startswith(("http://", "https://")):
        if (arxiv_id := arxiv_id_in(text)) is not None:
            return f"https://arxiv.org/abs/{arxiv_id}"
        if (doi := doi_in(text)) is not None:
            return f"https://doi.org/{quote(doi, safe=_KEPT)}"
        if not _NO_SCHEME.fullmatch(text):
            return None
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").encode("idna").decode()
        port = "" if parts.port is None else f":{parts.port}"
        address = quote(parts._replace(netloc=host + port).geturl(), safe=_KEPT)
    except ValueError:  # no host or port, or signs that no address can hold
        return None
    return address if _HOST.fullmatch(host) and len(address) <= MAX_LINK else None


def link_meant(links: Sequence[str]) -> str:
    """Of the links somebody wrote the one that names a paper by arXiv or DOI, else the first."""
    return next((link for link in links if arxiv_id_in(link) or doi_in(link)), links[0])


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
        arxiv_id=arxiv_id_in(_bare(link)),
        doi=doi_in(_bare(link)),
        sources=(address,),
    )


def _bare(text: str) -> str:
    """Without the brackets around it, and without the label that Slack puts behind a bar within them."""
    text = text.strip()
    if text.startswith("<") and text.endswith(">"):
        return text[1:-1].partition("|")[0].strip()
    return text.strip("<>")

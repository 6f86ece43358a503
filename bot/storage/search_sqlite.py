"""How SQLite's FTS5 answers a query, within what one club can see.

Ranking costs FTS5 about 1 µs a hit and there is no way around it, so it happens once, in a subquery that
knows nothing of the paper table; what restricts (shelf, topic) is inside MATCH. The weights are set where the
index was made and asked for as `rank`: written out as bm25(…) in ORDER BY they cost twice as much.
"""

from __future__ import annotations

from difflib import get_close_matches

from bot.papers.model import Paper
from bot.papers.topics import NONE
from bot.search.fold import OWN_SHELF, Wanted, area_token, fold_plain, shelf_token, topic_token, topic_words
from bot.search.query import Query, Term
from bot.storage.database import Row, Tx
from bot.storage.papers import COLUMNS, SEEN, STANDS, paper_from

_SHORT = 4
"""Letters that may begin too many words to look all of them up."""
_SCANNED = 500
"""Papers looked at one by one instead."""
_HAS_WORD = "' ' || t.title || ' ' || t.authors || ' ' LIKE :"
_COLUMN = {"title": "title : ", "author": "authors : ", "any": ""}
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def _row(wanted: Wanted) -> str:
    """Tokens side by side. They hold letters and digits alone, so quotes are all the care they need."""
    row = f'"{" ".join(wanted.row)}"{" *" if wanted.open else ""}'
    return f'({row} OR "{wanted.joined}")' if wanted.joined else row


def _token(token: str) -> str:
    return f'tokens : "{token}"'


def _term(tx: Tx, term: Term) -> str:
    if term.where == "topic":
        return _topic(tx, term.text)
    if term.where == "id" or term.wanted is None:
        return _token(term.text)
    return _COLUMN[term.where] + _row(term.wanted)


def _topic(tx: Tx, text: str) -> str:
    """A whole area or subarea, or all topics with these words in them; 'Area ·' is the area alone."""
    if fold_plain(text) == NONE:
        return _token(area_token(""))
    if text.rstrip().endswith("·"):
        return _token(area_token(text))
    whole = _token(topic_token(text))
    if tx.rows("SELECT 1 FROM paper_index WHERE paper_index MATCH :match LIMIT 1", match=whole):
        return whole
    return f"({' AND '.join(map(_token, dict.fromkeys(topic_words(text))))})"


def _seen(club: int | None, match: str) -> str:
    """Leave out other clubs' shelves. Shared papers carry no mark, so that this costs them nothing."""
    others = _token(OWN_SHELF)
    if club is not None:
        others = f"({others} NOT {_token(shelf_token(club))})"
    return f"({match}) NOT {others}"


def _match(tx: Tx, club: int | None, query: Query) -> str:
    return _seen(club, " AND ".join(_term(tx, term) for term in query.terms))


def _count(tx: Tx, match: str) -> int:
    return int(tx.rows("SELECT COUNT(*) FROM paper_index WHERE paper_index MATCH :match", match=match)[0][0])


def count(tx: Tx, club: int | None, query: Query) -> int:
    """How many papers a query finds."""
    return _count(tx, _match(tx, club, query)) if query.terms else 0


def find_papers(
    tx: Tx, club: int | None, query: Query, limit: int, offset: int = 0
) -> tuple[int, list[Paper]]:
    """The number of hits, and `limit` of them from `offset` on: best first, or newest first if all are alike.

    An `offset` at or beyond the end gives no papers.
    """
    if not query.terms:
        return 0, []
    match = _match(tx, club, query)
    if query.ranked:
        return _best(tx, match, limit, offset)
    papers = _newest(tx, match, limit, offset)
    if 0 < len(papers) < limit or (offset == 0 and not papers):
        return offset + len(papers), papers
    return _count(tx, match), papers


def _best(tx: Tx, match: str, limit: int, offset: int = 0) -> tuple[int, list[Paper]]:
    """Hits are ranked and counted in one walk. Set down first, they are ordered twice as fast as FTS5 does."""
    rows = tx.rows(
        "WITH hit AS MATERIALIZED"
        " (SELECT rowid AS id, rank AS score FROM paper_index WHERE paper_index MATCH :match)"
        f" SELECT {COLUMNS}, (SELECT COUNT(*) FROM hit) AS hits"
        " FROM (SELECT id, score FROM hit ORDER BY score, id LIMIT :limit OFFSET :offset) f"
        " JOIN paper p ON p.id = f.id ORDER BY f.score, f.id",
        match=match,
        limit=limit,
        offset=offset,
    )
    if not rows:
        return (_count(tx, match) if offset else 0), []
    return int(rows[0]["hits"]), [paper_from(row) for row in rows]


def _newest(tx: Tx, match: str, limit: int, offset: int = 0) -> list[Paper]:
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM (SELECT rowid AS id FROM paper_index WHERE paper_index MATCH :match"
        " ORDER BY rowid DESC LIMIT :limit OFFSET :offset) f JOIN paper p ON p.id = f.id ORDER BY f.id DESC",
        match=match,
        limit=limit,
        offset=offset,
    )
    return [paper_from(row) for row in rows]


def suggest_papers(tx: Tx, club: int | None, beginning: Query, limit: int = 10) -> list[Paper]:
    """The newest papers with these words in title or authors; not ranked."""
    if beginning.terms:
        wanted = [term.wanted for term in beginning.terms if term.wanted]
        if all(len(one.row) == 1 for one in wanted) and len(wanted[-1].row[0]) <= _SHORT and wanted[-1].open:
            recent = _recent(tx, club, wanted, limit)
            if len(recent) == limit or len(wanted) > 1:
                return recent
        words = " AND ".join(map(_row, wanted))
        return _newest(tx, _seen(club, f"{{title authors}} : ({words})"), limit)
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM paper p WHERE {SEEN} AND {STANDS} ORDER BY p.id DESC LIMIT :limit",
        club=club,
        limit=limit,
    )
    return [paper_from(row) for row in rows]


def numbered_papers(tx: Tx, club: int | None, number: int, limit: int = 10) -> list[Paper]:
    """The papers whose number begins with these figures: 4, then 40 to 49, then 400 to 499 …"""
    found: list[Row] = []
    span = 1
    last = int(tx.rows("SELECT COALESCE(MAX(id), 0) FROM paper")[0][0])
    while number * span <= last and len(found) < limit:
        found += tx.rows(
            f"SELECT {COLUMNS} FROM paper p WHERE p.id BETWEEN :first AND :last AND {SEEN} AND {STANDS}"
            " ORDER BY p.id LIMIT :limit",
            first=number * span,
            last=number * span + span - 1,
            club=club,
            limit=limit - len(found),
        )
        span *= 10
    return [paper_from(row) for row in found]


def _recent(tx: Tx, club: int | None, wanted: list[Wanted], limit: int) -> list[Paper]:
    """The same among the newest papers alone, those with all words but the last where there are more.

    A few letters begin so many words that the index would bring together a good part of itself, but then some
    of the newest papers have them; and where they have not, there is little to bring together.
    """
    source, params = "SELECT paper_id FROM paper_text", {}
    if len(wanted) > 1:
        source = "SELECT rowid AS paper_id FROM paper_index WHERE paper_index MATCH :match"
        params["match"] = f"{{title authors}} : ({' AND '.join(map(_row, wanted[:-1]))})"
    words = {f"w{n}": f"% {one.row[0]}{'' if one.open else ' '}%" for n, one in enumerate(wanted)}
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM (SELECT t.paper_id AS id FROM"
        f" ({source} ORDER BY paper_id DESC LIMIT :scanned) s JOIN paper_text t ON t.paper_id = s.paper_id"
        f" WHERE {' AND '.join(_HAS_WORD + name for name in words)}"
        " AND (t.tokens NOT LIKE :others OR t.tokens LIKE :own) LIMIT :limit) f"
        " JOIN paper p ON p.id = f.id ORDER BY p.id DESC",
        scanned=_SCANNED,
        others=f"{OWN_SHELF} %",
        own=f"{OWN_SHELF} {shelf_token(club or 0)} %",
        limit=limit,
        **params,
        **words,
    )
    return [paper_from(row) for row in rows]


# Near papers

_COMMON = 1_000
"""A word in more papers than this says little about one; counting stops there."""
_TELLING = 12
"""Words of a paper that its neighbours are looked up by."""


def _papers_with(tx: Tx, token: str) -> int:
    """The number of papers with a token, counted no further than to one beyond _COMMON."""
    rows = tx.rows(
        "SELECT COUNT(*) FROM (SELECT 1 FROM paper_index WHERE paper_index MATCH :match LIMIT :most) AS f",
        match=f'"{token}"',
        most=_COMMON + 1,
    )
    return int(rows[0][0])


def similar_papers(tx: Tx, club: int | None, paper_id: int, limit: int = 5) -> list[Paper]:
    """The papers of the club's catalogue that share a paper's rarest words, nearest first."""
    rows = tx.rows("SELECT title, abstract FROM paper_text WHERE paper_id = :id", id=paper_id)
    if not rows:
        return []
    title, abstract = rows[0]["title"].split(), rows[0]["abstract"].split()
    found: dict[str, int] = {}
    for word in (*title, *abstract):
        if len(word) > 1:
            found[word] = found.get(word, 0) + 1
    spread = {word: papers for word in found if 1 < (papers := _papers_with(tx, word)) <= _COMMON}
    names = frozenset(title)
    weighed = sorted(
        spread, key=lambda word: (found[word] ** 0.5 * (1 + (word in names))) / spread[word], reverse=True
    )
    if not weighed:
        return []
    match = _seen(club, " OR ".join(f'"{word}"' for word in weighed[:_TELLING]))
    _, near = _best(tx, match, limit + 1)
    return [paper for paper in near if paper.id != paper_id][:limit]


# Did you mean


def nearest_word(tx: Tx, club: int | None, word: str) -> tuple[str, int] | None:
    """The word of the club's catalogue most like one that finds nothing, and its number of papers.

    All words one letter away are tried (left out, put in, changed, or two swapped), then those with the same
    beginning; the one in the most papers wins.
    """
    token = fold_plain(word)
    if not 3 <= len(token) <= 40 or " " in token or not token.isascii():
        return None
    return _most_used(tx, club, _one_away(token)) or _most_used(tx, club, _same_beginning(tx, token))


def _most_used(tx: Tx, club: int | None, words: list[str]) -> tuple[str, int] | None:
    known = [
        word
        for word in words
        if tx.rows("SELECT 1 FROM paper_index WHERE paper_index MATCH :match LIMIT 1", match=f'"{word}"')
    ]
    counted = [(_count(tx, _seen(club, f'"{word}"')), word) for word in known[:50]]
    papers, best = max(counted, default=(0, ""))
    return (best, papers) if papers else None


def _one_away(word: str) -> list[str]:
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    words = [left + right[1:] for left, right in parts if right]
    words += [left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1]
    words += [left + letter + right[1:] for left, right in parts if right for letter in _LETTERS]
    words += [left + letter + right for left, right in parts for letter in _LETTERS]
    return [other for other in dict.fromkeys(words) if other != word]


def _same_beginning(tx: Tx, word: str) -> list[str]:
    if len(word) < 5:
        return []
    rows = tx.rows(
        "SELECT term FROM paper_word WHERE term >= :first AND term < :last LIMIT 2000",
        first=word[:3],
        last=word[:3] + "\U0010ffff",
    )
    return get_close_matches(word, (row[0] for row in rows), n=3, cutoff=0.8)

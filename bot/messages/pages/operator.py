"""What the terminal says beside its reports: where things are, what cannot be done, how to go on."""

from __future__ import annotations

from collections.abc import Sequence

from bot.messages.cut import cut
from bot.messages.pages.lines import one_line
from bot.messages.words import N_, Words
from bot.papers.model import Paper
from bot.papers.plain import plain_text
from bot.settings import DISCORD_TOKEN, SLACK_BOT_TOKEN


def no_store_line(words: Words, path: str) -> str:
    """Nothing was imported yet."""
    return words.line(
        "There is no database at {path} yet. Bring papers in with: paperclub import FILE", path=path
    )


def no_file_line(words: Words, name: str, reason: str) -> str:
    """A source that cannot be read; nothing was imported."""
    return words.line("{name} cannot be read: {reason}. Nothing was imported.", name=name, reason=reason)


def nothing_to_run_line(words: Words) -> str:
    """No platform has its token."""
    return words.line(
        "There is no token for a platform, so there is nothing to run. "
        "Set {one} or {other}, or try: paperclub run --preview",
        one=DISCORD_TOKEN,
        other=SLACK_BOT_TOKEN,
    )


def connected_line(words: Words, platform: str, name: str, servers: int) -> str:
    """A platform can be used: as whom, and in how many servers."""
    return words.count_line(
        "{platform}: connected as {name}, in {n} server",
        "{platform}: connected as {name}, in {n} servers",
        servers,
        platform=platform,
        name=one_line(name),
    )


def in_workspace_line(words: Words, platform: str, name: str, address: str = "") -> str:
    """A platform that holds one workspace can be used: which one, and where it calls us, if it does."""
    if not address:
        return words.line(
            "{platform}: connected to {name} over Socket Mode", platform=platform, name=one_line(name)
        )
    return words.line(
        "{platform}: connected to {name} over HTTP at {address}",
        platform=platform,
        name=one_line(name),
        address=address,
    )


def half_set_line(words: Words, platform: str, setting: str, one: str, other: str) -> str:
    """A platform that was set up halfway."""
    return words.line(
        "{platform} is off: {setting} is set, but neither {one} nor {other}",
        platform=platform,
        setting=setting,
        one=one,
        other=other,
    )


def not_set_line(words: Words, platform: str, setting: str, page: str) -> str:
    """A platform that could be used."""
    return words.line(
        "{platform}: no {setting} yet, see {page}", platform=platform, setting=setting, page=page
    )


def token_refused_line(words: Words, platform: str, setting: str, why: str = "token") -> str:
    """A token that is wrong, or not valid any more, and where its platform shows it; or why else (see
    errors.TokenRefused) it is no use."""
    if why != "token":
        return _refused_line(words, platform, why)
    return words.line(_REFUSED.get(platform, _REFUSED["Discord"]), platform=platform, setting=setting)


_REFUSED = {
    "Discord": N_("{platform} refuses the token in {setting}. Copy it anew from the developer portal."),
    "Slack": N_(
        "{platform} refuses the token in {setting}. Copy it anew from your app at api.slack.com/apps."
    ),
}


def switched_off_line(words: Words, platform: str, setting: str, why: str = "token") -> str:
    """A token that was good until now."""
    if why != "token":
        return words.line(
            "{what} {platform} is switched off until Paperclub is started again; nothing is lost.",
            what=_refused_line(words, platform, why),
            platform=platform,
        )
    return words.line(
        "{platform} refuses the token in {setting} since now and is switched off. "
        "Put in a new token and start Paperclub again; nothing is lost.",
        platform=platform,
        setting=setting,
    )


def _refused_line(words: Words, platform: str, why: str) -> str:
    """Something about the bot itself that whoever runs it can mend, and how."""
    match why:
        case "intents":
            return words.line(
                "{platform} does not let this bot hear what happens in its servers. Look in the developer portal "
                "under Bot for a notice about intents, or use the token of a new application.",
                platform=platform,
            )
        case "sharding":
            return words.line(
                "This bot is in too many servers for one connection, and {platform} wants several. "
                "Take it out of some, or use the token of a second application for the others.",
                platform=platform,
            )
        case _:
            return words.line(
                "{platform} no longer takes what this version of Paperclub speaks. Update Paperclub.",
                platform=platform,
            )


def token_needed_line(words: Words, setting: str, page: str) -> str:
    """A link that only the platform can complete."""
    return words.line(
        "There is no token in {setting} yet, so there is no bot to invite. See {page}.",
        setting=setting,
        page=page,
    )


def unreachable_line(words: Words, platform: str, reason: str) -> str:
    """A platform that gives no answer."""
    return words.line("{platform} cannot be reached: {reason}", platform=platform, reason=one_line(reason))


def invite_lines(words: Words, link: str, rights: Sequence[tuple[str, str]]) -> list[str]:
    """The link that brings the bot into a server, and what each right it asks for is needed for."""
    return [
        words.line("Open this link in a browser, choose the server, and confirm:"),
        link,
        "",
        words.line("It asks for these rights and no others:"),
        *(words.line("{name}: {purpose}", name=name, purpose=purpose) for name, purpose in rights),
    ]


def fault_of_ours_line(words: Words, what: str) -> str:
    """Something nobody foresaw."""
    return words.line(
        "Something went wrong on our side ({what}). With PAPERCLUB_LOG=debug the log says where.", what=what
    )


def serving_line(words: Words, address: str) -> str:
    """The preview can be opened."""
    return words.line("The preview is at {address} (Ctrl-C ends it).", address=address)


def no_club_line(words: Words) -> str:
    """A question about a club where there is none."""
    return words.line("There is no club in this database yet. A club is set up in chat with /club setup.")


def nothing_due_line(words: Words) -> str:
    """An empty plan."""
    return words.line("Nothing is due in this time.")


def bad_instant_line(words: Words, text: str) -> str:
    """Something that is no instant."""
    return words.line(
        "“{text}” is not a date or time. Write it like 2026-12-31 or 2026-12-31T09:00.", text=text
    )


def unknown_format_line(words: Words, name: str, known: list[str]) -> str:
    """A format nobody reads."""
    return words.line(
        "“{name}” is not a format I can read. There are: {known}.", name=name, known=", ".join(known)
    )


def nothing_read_line(words: Words, names: list[str]) -> str:
    """Sources that gave no paper."""
    return words.line("No paper could be read from {names}.", names=words.all_of(names))


def unreadable_line(words: Words, name: str, reason: str) -> str:
    """A file that cannot be read."""
    return words.line("{name} cannot be read: {reason}.", name=name, reason=reason)


def shown_line(words: Words, shown: int, total: int) -> str:
    """How many of all hits are listed."""
    if shown == total:
        return words.count_line("{n} paper found.", "{n} papers found.", total)
    return words.line("The first {shown} of {total} papers.", shown=shown, total=total)


def no_query_line(words: Words) -> str:
    """A search for nothing."""
    return words.line("There is nothing to search for. See: paperclub search --help")


def bad_number_line(words: Words, text: str, last: int) -> str:
    """An option that needs a number; without a full stop, since the way to help follows."""
    return words.line("“{text}” is not a number from 1 to {last}", text=cut(one_line(text), 20), last=last)


def recounted_line(words: Words, agrees: bool) -> str:
    """Whether a tally sheet's recount comes to what was published."""
    if agrees:
        return words.line("The recount gives the published result.")
    return words.line("The recount gives another result than the published one.")


def zone_needed_line(words: Words) -> str:
    """A wall time without a place."""
    return words.line("A time of day needs a zone. Give one like --zone Europe/Berlin.")


def nothing_recorded_line(words: Words) -> str:
    """A day nothing is known about."""
    return words.line("Nothing was planned for this day, and nothing is recorded.")


def damaged_line(words: Words) -> str:
    """An audit found something."""
    return words.line("The votes of this database are damaged.")


def kind_line(words: Words, kind: str) -> str:
    """What is due, in a word."""
    known = {
        "daily": words.line("daily paper"),
        "open": words.line("vote opens"),
        "close": words.line("vote closes"),
        "meeting": words.line("meeting"),
    }
    return known.get(kind, kind)


def paper_lines_plain(words: Words, paper: Paper) -> list[str]:
    """One paper for the terminal: what it is called, whose it is, and its abstract."""
    headline = paper.headline.text if paper.headline else ""
    names = words.all_of(list(paper.authors)) if paper.authors else words.line("Unknown authors")
    if paper.authors_truncated:
        names = words.line("{names} and others", names=names)
    note = words.line("The listing gives no title; the headline is taken from the abstract.")
    return [
        f"{paper.public_id}  {paper.title or headline}",
        names,
        paper.topic or words.line("Without a topic"),
        *([paper.url] if paper.url else []),
        "",
        plain_text(paper.abstract) or words.line("No abstract given."),
        *([] if paper.title else ["", note]),
    ]

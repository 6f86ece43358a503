"""What a vote keeps to, in words: how to fill a ballot, who sees it, what wins, what breaks a tie."""

from __future__ import annotations

from bot.clubs.model import SQUARE_ROOT, Settings
from bot.messages.words import N_, Words
from bot.rounds.model import DEPTH, Round

RANKED = ("schulze", "irv")
"""Methods whose ballots are rankings."""

_QUESTIONS = {
    "approval": N_("Which of these would you read?"),
    "plurality": N_("Which one of these would you read?"),
    "schulze": N_("Which of these would you read first?"),
}
_FILLED = {
    "approval": N_("Tick as many papers as you like."),
    "plurality": N_("Choose one paper."),
    "schulze": N_("Rank up to five papers."),
}
_WINS = {
    "approval": N_("Most ticks win."),
    "phragmen": N_("Fair turns: the less you have paid for earlier winners, the more your ticks weigh."),
    "plurality": N_("Most votes win."),
    "schulze": N_("Papers are compared two by two; the one that beats all others wins."),
    "irv": N_(
        "The paper with the fewest first choices drops out, again and again, until one has more than half."
    ),
}
_SECRECY = {
    "secret": N_("Secret ballot: until closing, everybody sees the turnout only; after closing, the totals."),
    "open": N_("Open at close: after closing, everybody sees who voted for what."),
}
_TIES = {
    "age": N_("Of equals, the one nominated first wins, then the sealed draw decides."),
    "draw": N_("Of equals, the sealed draw decides."),
    "runoff": N_("Of equals, a second vote decides where there is time, else the one nominated first wins."),
    "organiser": N_("Of equals, an organiser chooses and says why, else the one nominated first wins."),
}


def question(words: Words, vote: Round) -> str:
    """What a vote asks."""
    return words.line(_of(_QUESTIONS, vote.method))


def rule_sentences(words: Words, vote: Round) -> list[str]:
    """All that was fixed when the vote opened, a sentence each."""
    rules = vote.rules
    filled = words.line(_of(_FILLED, vote.method))
    if vote.method in RANKED and len(vote.candidates) <= DEPTH:
        filled = words.line("Rank the papers you would read.")
    return [
        filled,
        words.line(_SECRECY[rules.secrecy]),
        words.line(_of(_WINS, vote.method)),
        words.line(_TIES["age" if rules.ties == "runoff" and rules.runoff_of else rules.ties]),
        words.count_line("At least {n} must vote.", "At least {n} must vote.", rules.quorum)
        if rules.quorum
        else "",
        words.line("Closes early once all active members have voted.") if rules.close_early else "",
        words.line("Only members linked on both platforms vote: /paper link.") if rules.link_required else "",
        words.line("Only members with the role the club named vote on Discord.") if rules.voting_role else "",
    ]


def method_names(words: Words) -> dict[str, tuple[str, str]]:
    """Every way of voting a club can choose: its name and what it is for."""
    return {
        "approval": (words.line("Tick any number"), words.line("Most ticks win; suits most clubs")),
        "phragmen": (words.line("Fair turns"), words.line("The same ticks; who has won less weighs more")),
        "plurality": (words.line("One vote each"), words.line("Most votes win; best for two papers")),
        "schulze": (
            words.line("Ranking, head to head"),
            words.line("Up to five choices; papers are compared two by two"),
        ),
        "irv": (
            words.line("Ranking, rounds of elimination"),
            words.line("Up to five choices; the last drops out each round"),
        ),
    }


def tie_names(words: Words) -> dict[str, tuple[str, str]]:
    """What can break a tie first."""
    return {
        "age": (words.line("The oldest nomination"), words.line("Then the sealed draw")),
        "draw": (
            words.line("The sealed draw"),
            words.line("Sealed when the vote opens; anyone can check it"),
        ),
        "runoff": (
            words.line("A second vote"),
            words.line("Where it ends before the meeting, else the oldest nomination"),
        ),
        "organiser": (
            words.line("An organiser"),
            words.line("By name and with a reason, until the meeting, else the oldest nomination"),
        ),
    }


def secrecy_names(words: Words) -> dict[str, tuple[str, str]]:
    """Who sees ballots after closing."""
    return {
        "secret": (words.line("Secret"), words.line("After closing, everybody sees the totals")),
        "open": (words.line("Open at close"), words.line("After closing, everybody sees who voted for what")),
    }


def counting_line(words: Words, settings: Settings) -> str:
    """How a club counts, in a line; what is as usual is left out after the first three."""
    methods, ties, secrecy = method_names(words), tie_names(words), secrecy_names(words)
    parts = [
        methods.get(settings.method, (settings.method, ""))[0],
        secrecy.get(settings.secrecy, ("", ""))[0],
    ]
    parts.append(words.line("ties: {rule}", rule=_small(ties.get(settings.ties, ("", ""))[0])))
    if settings.quorum == SQUARE_ROOT:
        parts.append(words.line("at least 1.5 × the root of the active members must vote"))
    elif settings.quorum:
        parts.append(words.count_line("at least {n} must vote", "at least {n} must vote", settings.quorum))
    if settings.close_early:
        parts.append(words.line("closes once all active members have voted"))
    return " · ".join(filter(None, parts))


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _of(table: dict[str, str], method: str) -> str:
    """The sentence of a method, or of those whose ballots look the same."""
    return table.get(method) or table["schulze" if method in RANKED else "approval"]

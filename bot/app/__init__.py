"""ReadingGroup, the one face of the core that adapters see: it routes every request to its desk."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.app import (
    clock,
    configuring,
    home,
    linking,
    mine,
    nominating,
    organising,
    reading,
    results,
    suggesting,
    undoing,
    voting,
    week,
)
from bot.app.choosing import Asked, ask_which, named, take_choice
from bot.app.request import (
    DEFAULT_LANGUAGE,
    DEFAULT_ZONE,
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_organiser,
    read_request,
    whole,
)
from bot.app.rooms import Rooms
from bot.app.standing import check_standing
from bot.app.week import WeekView
from bot.clubs import lifecycle
from bot.clubs import service as clubs
from bot.clubs.model import Asker, Club
from bot.commands import Action, find_action, find_command, nearest_commands
from bot.errors import BadInput, Conflict, NotFound, UserError
from bot.messages.model import Answer, Form, Message, Reader, Suggestion
from bot.messages.pages.faults import failed_page, fault_page
from bot.messages.pages.forms import mend_page
from bot.messages.pages.greeting import greeting_page
from bot.messages.words import best_language
from bot.papers.model import ImportReport
from bot.rounds.model import Round
from bot.sources.detect import read_source
from bot.storage import drafts, papers, servers
from bot.storage.database import Tx

log = logging.getLogger(__name__)

Values = Mapping[str, "str | list[str]"]

MOST_ID = 100
"""No id of ours is longer, the value chosen in a menu included."""
MOST_TYPED = 300
"""Characters of an argument that autocomplete looks at: what a command takes at most."""


class ReadingGroup:
    """Commands, presses and submits in, answers out; and the clock that makes things happen by themselves.

    Every method answers: a person's mistake with one helpful private sentence, a fault of ours with a number
    that stands in the log too. `now` is aware UTC.
    """

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        desks = (reading, nominating, voting, results, organising, undoing, configuring, home, linking, mine)
        self._commands: dict[str, Handler] = {
            path: handler for desk in desks for path, handler in desk.commands(rooms).items()
        }
        self._presses: dict[str, PressHandler] = {
            name: handler for desk in desks for name, handler in desk.presses(rooms).items()
        }
        self._presses |= {"open": self._open, "reopen": self._reopen}
        self._presses |= {"in": self._in, "in-form": self._in}
        self._submits: dict[str, SubmitHandler] = {
            name: handler for desk in desks for name, handler in desk.submits(rooms).items()
        }

    # ---- asked by people ----

    async def command(self, asker: Asker, path: str, args: Mapping[str, str], now: datetime) -> Answer:
        """Answer a command by its path ('paper search') and its arguments by name."""
        return await self._answered(asker, now, Asked("command", path, args))

    async def press(self, asker: Asker, action_id: str, now: datetime) -> Answer:
        """Answer a button, or a menu's choice (its id, a colon, the value). Ids give no rights."""
        return await self._answered(asker, now, Asked("press", action_id, {}))

    async def submit(self, asker: Asker, form_id: str, values: Values, now: datetime) -> Answer:
        """Take a form's values: a form again with its faults, or the answer."""
        return await self._answered(asker, now, Asked("submit", form_id, values))

    async def keep_form(self, asker: Asker, form: Form, now: datetime) -> Message:
        """Where a form cannot follow a form: keep this one, and say what to mend beside a button that reopens it.

        Raises StoreError: nothing was kept.
        """

        def keep(tx: Tx) -> tuple[int, Reader]:
            request = read_request(tx, asker, now, form.id)
            return drafts.put_form(tx, request.club_id, asker.account, form, now), request.reader

        draft, reader = await self.rooms.database.write(keep)
        return mend_page(reader, form, str(draft))

    async def suggest(
        self, asker: Asker, path: str, param: str, text: str, now: datetime
    ) -> list[Suggestion]:
        """Autocomplete for one argument; empty when nothing fits or anything fails."""
        try:
            request = await self.rooms.database.read(lambda tx: read_request(tx, asker, now))
            return await suggesting.suggest(self.rooms, request, path, param, whole(text)[:MOST_TYPED])
        except Exception:
            log.exception("a suggestion failed")
            return []

    async def home(self, asker: Asker, now: datetime) -> Message:
        """The asker's own page: today's paper, their ballot, their papers, what is due. Never raises."""
        request: Request | None = None
        try:
            request = await self.rooms.database.read(lambda tx: read_request(tx, asker, now))
            request = await check_standing(self.rooms, request, Asked("press", "home", {}))
            return await home.draw(self.rooms, request)
        except Exception:
            number = "E-" + secrets.token_hex(2).upper()
            log.exception("%s: a page of somebody's own could not be drawn", number)
            return failed_page(_reader(asker, now, request), number)

    async def week(self, asker: Asker, now: datetime) -> WeekView:
        """The club's week at a glance; without steps where there is no club."""
        request = await self.rooms.database.read(lambda tx: read_request(tx, asker, now))
        return await week.view(self.rooms, request) if request.club else week.nothing(request)

    # ---- told by platforms ----

    async def server_joined(
        self, platform: str, server_id: str, locale: str | None, now: datetime
    ) -> Message | None:
        """The bot was taken into a server or workspace: what was removed with it within thirty days comes back.

        The greeting, in the language of its `locale`, until it stands, which `server_greeted` tells; at most
        three times in a server's life, a minute apart; else None.
        """

        def join(tx: Tx) -> tuple[list[Round], bool, bool]:
            votes = lifecycle.server_joined(tx, platform, server_id, now)
            new = servers.may_greet(tx, platform, server_id, now)
            return votes, new, new and papers.count(tx, None) > 0

        votes, new, stocked = await self.rooms.database.write(join)
        self._returned(votes)
        language = best_language(locale, DEFAULT_LANGUAGE)
        reader = Reader(language, DEFAULT_ZONE, now)
        return greeting_page(reader, platform, papers=stocked) if new else None

    async def server_greeted(self, platform: str, server_id: str, now: datetime) -> None:
        """The greeting of a server went out."""
        await self.rooms.database.write(lambda tx: servers.greet_server(tx, platform, server_id, now))

    async def channel_gone(self, platform: str, server_id: str, channel: str, now: datetime) -> None:
        """A channel or thread was deleted: if a club stood there, its organisers are told at once."""
        if await self.rooms.database.write(
            lambda tx: lifecycle.channel_gone(tx, platform, server_id, channel, now)
        ):
            self.rooms.wake()

    async def server_left(self, platform: str, server_id: str, now: datetime) -> None:
        """The bot was taken out of a server: its channels rest, and so does a club that has no other."""
        await self.rooms.database.write(lambda tx: lifecycle.server_left(tx, platform, server_id, now))

    async def servers_seen(self, platform: str, ids: Sequence[str], now: datetime) -> tuple[str, ...]:
        """All servers the bot is in, told at every connect: those on record and not in `ids` were left
        meanwhile, those that are back were joined again.

        The ids never greeted; all are on record from now on. To greet one, call `server_joined` with it.
        """
        new, votes = await self.rooms.database.write(
            lambda tx: lifecycle.servers_seen(tx, platform, tuple(ids), now)
        )
        self._returned(votes)
        return new

    def _returned(self, votes: Sequence[Round]) -> None:
        """Draw the open votes of clubs that came back; what is due next may have changed."""
        for vote in votes:
            self.rooms.refresher.request(vote.id)
        self.rooms.wake()

    # ---- done by the clock ----

    async def tick(self, now: datetime) -> None:
        """Do everything that is due: slots, openings, closings, deliveries."""
        await clock.tick(self.rooms, now)

    async def next_event(self, now: datetime) -> datetime | None:
        """The next instant at which something is due by itself."""
        return await clock.next_due(self.rooms, now)

    async def wake_up(self, now: datetime, *, alone: bool = True) -> None:
        """Once at start, before any platform connects: how long were we away, what hangs in the air."""
        await clock.wake_up(self.rooms, now, alone=alone)

    async def redraw_open(self) -> None:
        """Ask for a fresh poll of every open vote: once a platform can be reached that could not be before."""
        await clock.redraw_open(self.rooms)

    async def settle_down(self, seconds: float = 3.0) -> None:
        """Once at the end: the last redraws stand, what was not begun to be sent is given back.

        What has not ended after so many `seconds` is not waited for.
        """
        await asyncio.gather(self.rooms.refresher.close(seconds), self.rooms.deliveries.stop(seconds))

    # ---- asked by the operator ----

    async def import_pages(
        self,
        pages: Sequence[tuple[str, bytes]],
        now: datetime,
        *,
        club: int | None = None,
        format: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[tuple[str, ImportReport]]:
        """Import files, each by itself; a report for each, in order."""
        reports = []
        for name, data in pages:
            listing = await asyncio.to_thread(read_source, data, name, format)
            report = await self.rooms.papers.add(listing, club, now, name, progress=progress)
            reports.append((name, report))
        return reports

    async def find_club(self, name: str | None) -> Club | None:
        """A club by its number or name; without either the only one. Raises NotFound, BadInput."""
        return await self.rooms.database.read(lambda tx: clubs.find_by_name(tx, name))

    # ---- inside ----

    async def _run(self, request: Request, path: str, args: Values) -> Answer:
        command = find_command(path)
        if command is None:
            words = whole(path)[:MOST_TYPED].split()
            raise NotFound("error.no_command", command=f"/{' '.join(words)}", nearest=nearest_commands(words))
        if command.setup:
            request.needs_club()
        if command.who == "organiser":
            await needs_organiser(self.rooms.database, request)
        given = {name: whole(value).strip() for name, value in args.items() if isinstance(value, str)}
        for param in command.params:
            if param.required and not given.get(param.name):
                raise BadInput("error.missing", field=param.name, command=command)
        return await self._commands[path](request, given)

    async def _press(self, request: Request, action_id: str) -> Answer:
        action, rest = _known(action_id)
        if action.name not in self._presses:
            raise NotFound("error.unknown_button")
        if action.who == "organiser":
            await needs_organiser(self.rooms.database, request)
        return await self._presses[action.name](request, rest)

    async def _submit(self, request: Request, form_id: str, values: Values) -> Answer:
        action, rest = _known(form_id)
        if action.name not in self._submits:
            raise NotFound("error.unknown_button")
        given = {name: whole(v) if isinstance(v, str) else [*map(whole, v)] for name, v in values.items()}
        return await self._submits[action.name](request, rest, given)

    async def _in(self, request: Request, rest: str) -> Answer:
        """Run what was asked before in the club that is chosen now; a form cannot follow but as a button."""
        asked = await take_choice(self.rooms, request, rest)
        answer = await self._answered(request.asker, request.now, asked)
        if asked.opens:
            return answer
        if answer.form is not None:
            return Answer("redraw", await self.keep_form(request.asker, answer.form, request.now))
        return replace(answer, kind="redraw")

    async def _open(self, request: Request, rest: str) -> Answer:
        """The form of a command, without its arguments. Raises NotFound('error.unknown_button')."""
        command = find_command(rest)
        if command is None or command.answers != "form":
            raise NotFound("error.unknown_button")
        return await self._run(request, rest, {})

    async def _reopen(self, request: Request, rest: str) -> Answer:
        account = request.asker.account
        form = await self.rooms.database.read(lambda tx: drafts.find_form(tx, rest, account))
        if form is None:
            raise NotFound("error.no_draft")
        return Answer("form", form=form)

    async def _answered(self, asker: Asker, now: datetime, asked: Asked) -> Answer:
        asker = replace(asker, name=whole(asker.name))
        request: Request | None = None
        pressed = "" if asked.kind == "command" else asked.name
        try:
            request = await self.rooms.database.read(lambda tx: read_request(tx, asker, now, pressed))
            try:
                request = await check_standing(self.rooms, request, asked)
                answer = await self._done(request, asked)
            except UserError as error:
                if error.key == "error.which_club":
                    return await ask_which(self.rooms, request, asked)
                if asked.kind != "command" and error.key in ("setup.missing", "error.no_round"):
                    error = await self._deleted(asker, now) or error
                answer = Answer("private", fault_page(request.reader, error))
            about = request.club if request.chosen and not asked.apart else None
            return answer if about is None else named(answer, about)
        except Exception:
            number = "E-" + secrets.token_hex(2).upper()
            log.exception("%s: a request failed", number)
            return Answer("private", failed_page(_reader(asker, now, request), number))

    async def _deleted(self, asker: Asker, now: datetime) -> UserError | None:
        """What to say of a button that stands in the channel of a deleted club; None where none was deleted."""
        ended = await self.rooms.database.read(lambda tx: lifecycle.find_ended(tx, asker.place, now))
        if ended is None:
            return None
        return Conflict("club.deleted", club=ended.name, date=ended.deleted_at + lifecycle.KEPT)

    async def _done(self, request: Request, asked: Asked) -> Answer:
        match asked.kind:
            case "command":
                return await self._run(request, asked.name, asked.values)
            case "press":
                return await self._press(request, asked.name)
            case "submit":
                return await self._submit(request, asked.name, asked.values)


def _known(action_id: str) -> tuple[Action, str]:
    """The action of an id and what follows its name. Raises NotFound('error.unknown_button')."""
    action = find_action(action_id) if len(action_id) <= MOST_ID else None
    rest = whole(action_id).partition(":")[2]
    if action is None or (action.needs and not rest.strip()):
        raise NotFound("error.unknown_button")
    return action, rest


def _reader(asker: Asker, now: datetime, request: Request | None) -> Reader:
    """Who reads a fault, also when not even the club could be read."""
    if request is not None:
        return request.reader
    return Reader(best_language(asker.locale, DEFAULT_LANGUAGE), DEFAULT_ZONE, now, asker.name, asker.admin)

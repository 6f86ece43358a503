"""The link that brings the bot into a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from urllib.parse import urlencode

import aiohttp
import discord
from discord.http import Route

from bot.errors import Refused, TokenRefused
from bot.settings import DISCORD_TOKEN, DiscordSettings

_PAGE = "https://discord.com/oauth2/authorize"
_PATIENCE = 10.0
_GUILD_INSTALL = "0"

discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no word about voice beside the link


async def invite_link(settings: DiscordSettings, rights: Iterable[str]) -> str:
    """The address of the page on which an organiser adds the bot with exactly these rights.

    Raises:
        TokenRefused: Discord does not know the token.
        Refused: Discord gives no answer; the reason is in words.
    """
    asked = discord.Permissions(**dict.fromkeys(rights, True))
    query = {
        "client_id": await _application_id(settings),
        "scope": "bot applications.commands",
        "permissions": asked.value,
        "integration_type": _GUILD_INSTALL,
    }
    return f"{_PAGE}?{urlencode(query)}"


async def _application_id(settings: DiscordSettings) -> int:
    """As the API tells it: it need not be the bot's own id, which the token begins with."""
    Route.BASE = settings.api_base
    client = discord.Client(intents=discord.Intents(guilds=True))
    try:
        async with asyncio.timeout(_PATIENCE):
            await client.login(settings.token)
        return client.application_id or 0
    except discord.LoginFailure as error:
        raise TokenRefused("Discord", DISCORD_TOKEN) from error
    except TimeoutError as error:
        raise Refused(f"no answer within {_PATIENCE:.0f} s") from error
    except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
        raise Refused(str(error)) from error
    finally:
        await client.close()

"""Strict local stand-ins for the Discord and Slack platforms.

The two servers listen on 127.0.0.1 only.  They speak enough of the real wire
protocols for the unmodified ``discord.py`` and ``slack-bolt`` client libraries
to run against them, check every payload against the documented limits, and let
a test play the human users, read back what a channel shows and switch faults
on and off.

    from tests.lab.chatlab.fakediscord import FakeDiscord
    from tests.lab.chatlab.fakeslack import FakeSlack

As processes of their own: ``python -m tests.lab.chatlab discord`` (see cli.py).

The limits follow the platforms' documentation; nothing here was ever compared
with the real services.
"""

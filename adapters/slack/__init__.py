"""Slack: the adapter for one workspace, its App Home and private messages with the bot."""

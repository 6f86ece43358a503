"""Readable text from the LaTeX, Markdown and HTML that abstracts are written in."""

from bot.papers.plain.text import emphasised, plain_text

__all__ = ["emphasised", "plain_text"]

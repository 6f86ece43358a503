"""The Chinese catalogue says everything the sources say, and says it in Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po

from bot.commands import ACTIONS, COMMANDS
from bot.messages.words import LANGUAGES

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "bot/commands.py", *sorted((ROOT / "bot/messages").rglob("*.py"))]
KEYWORDS = {
    "say": None, "line": None, "sentences": None, "labelled": None, "N_": None,
    "count": (1, 2), "count_line": (1, 2), "count_sentences": (1, 2),
}  # fmt: skip
PLACE = re.compile(r"\{(\w+)\}")
HAN = r"[\u3400-\u9fff]"
SPEAKERS = {"words", "word", "self"}

Id = str | tuple[str, str]


def extracted() -> dict[Id, str]:
    """Every sentence of the sources with a place it stands at."""
    found: dict[Id, str] = {}
    for source in SOURCES:
        for line, message, _, _ in extract_from_file("python", source, keywords=KEYWORDS):
            key: Id = message if isinstance(message, str) else (message[0], message[1])
            found.setdefault(key, f"{source.name}:{line}")
    return found


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (ROOT / "bot/messages/words/zh.po").open("rb") as file:
        return read_po(file, locale="zh")


def entries(catalogue: Catalog) -> Iterator[tuple[Id, list[str]]]:
    for message in catalogue:
        if message.id:
            string = message.string
            yield message.id, [string] if isinstance(string, str) else list(string)


def test_every_sentence_is_translated(catalogue: Catalog) -> None:
    translated = {key for key, strings in entries(catalogue) if all(strings)}
    missing = {key: place for key, place in extracted().items() if key not in translated}
    assert not missing


def test_nothing_is_translated_that_is_said_no_more(catalogue: Catalog) -> None:
    assert not {key for key, _ in entries(catalogue)} - set(extracted())
    assert not catalogue.obsolete


def test_no_translation_is_a_guess(catalogue: Catalog) -> None:
    assert not [message.id for message in catalogue if message.id and message.fuzzy]


def test_no_translation_is_a_copy(catalogue: Catalog) -> None:
    copied = [
        key
        for key, strings in entries(catalogue)
        if set(strings) & {key, *((key,) if isinstance(key, str) else key)}
    ]
    assert not copied


def test_every_translation_is_chinese(catalogue: Catalog) -> None:
    signs = re.compile(f"{HAN}|[，。：、？“”（）]|^{{\\w+}}(?: /)? {{\\w+}}$")
    assert not [key for key, strings in entries(catalogue) if not all(signs.search(s) for s in strings)]


TOTAL_FOR_REST = {"{names} and {rest} more"}
"""Chinese counts all authors where English counts the rest."""
NO_NUMBER_NEEDED = {"Search the one paper: {command}", "All {n} shown."}


def test_a_translation_names_the_same_values(catalogue: Catalog) -> None:
    wrong = {}
    for key, strings in entries(catalogue):
        wanted = set(PLACE.findall(key if isinstance(key, str) else key[1]))
        for string in strings:
            if set(PLACE.findall(string)) != wanted and not {key, key[0]} & (
                TOTAL_FOR_REST | NO_NUMBER_NEEDED
            ):
                wrong[key] = string
    assert not wrong


def test_chinese_is_set_as_chinese(catalogue: Catalog) -> None:
    glued = re.compile(f"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}")
    half_width = re.compile(f"{HAN}[,;:!?()]|[,;:!?(]{HAN}|[“（] | [”），。]")
    faulty = {
        string: key
        for key, strings in entries(catalogue)
        for string in strings
        if glued.search(string) or half_width.search(string)
    }
    assert not faulty


def test_english_is_set_as_english() -> None:
    """Typographic quotes, no exclamation marks, and the words of the house."""
    faulty = re.compile(r"['\"!]|\b(?:poll|candidate list|submission|users?)\b", re.IGNORECASE)
    assert not {
        key: place
        for key, place in extracted().items()
        if faulty.search(" ".join((key,) if isinstance(key, str) else key))
    }


def test_every_language_has_its_catalogue() -> None:
    files = {path.stem for path in (ROOT / "bot/messages/words").glob("*.po")}
    assert files == set(LANGUAGES) - {"en"}
    assert not list((ROOT / "bot").rglob("*.mo"))


def test_sentences_are_never_built_with_formats() -> None:
    """An f-string or `+` inside a call for words would be said but never translated."""
    built = []
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in KEYWORDS
            ):
                continue
            speaker = node.func.value
            if (
                isinstance(speaker, ast.Name)
                and speaker.id in SPEAKERS
                and isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
            ):
                built.append(f"{source.name}:{node.lineno}")
    assert not built


def test_commands_and_their_arguments_are_told_in_both_languages(catalogue: Catalog) -> None:
    known = {key for key, _ in entries(catalogue)}
    abouts = [command.about for command in COMMANDS] + [p.about for c in COMMANDS for p in c.params]
    assert not set(abouts) - known
    assert ACTIONS

"""The walls of the house, said in words."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from bot import settings
from bot.commands import ACTIONS, COMMANDS

ROOT = Path(__file__).parent.parent
CORE = sorted((ROOT / "bot").rglob("*.py"))
ADAPTERS = sorted((ROOT / "adapters").rglob("*.py"))
OUTSIDE = {
    "discord",
    "slack_bolt",
    "slack_sdk",
    "nicegui",
    "starlette",
    "fastapi",
    "aiohttp",
    "httpx",
    "uvicorn",
    "adapters",
}


@cache
def parsed(path: Path) -> ast.Module:
    """Each file is read once for all tests."""
    return ast.parse(path.read_text("utf-8"))


def imports_of(path: Path) -> set[str]:
    """Full dotted names imported anywhere in a file."""
    names = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def calls_in(path: Path) -> set[str]:
    """Every called attribute chain of a file, such as ``datetime.now``."""
    return {
        ast.unparse(node.func)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_core_knows_no_platform_no_web_and_no_adapter(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imports_of(path)} & OUTSIDE


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_platform_knows_another(path: Path) -> None:
    platforms = {"discord", "slack", "preview"}
    own = path.relative_to(ROOT / "adapters").parts[0]
    if own not in platforms:
        return
    others = {f"adapters.{name}" for name in platforms - {own}}
    assert not {name for name in imports_of(path) if any(name.startswith(other) for other in others)}


@pytest.mark.parametrize(
    ("library", "home"),
    [
        ("apscheduler", "bot/schedule/clockwork.py"),
        ("aiosqlite", "bot/storage/sqlite.py"),
        ("nicegui", "adapters/preview/"),
        ("slack_bolt", "adapters/slack/"),
        ("slack_sdk", "adapters/slack/"),
        ("dotenv", "adapters/cli.py"),
    ],
)
def test_a_library_has_one_home(library: str, home: str) -> None:
    users = [
        str(path.relative_to(ROOT))
        for path in CORE + ADAPTERS
        if library in {name.partition(".")[0] for name in imports_of(path)}
    ]
    assert users, f"nothing uses {library}"
    assert all(user.startswith(home) for user in users), users


def test_services_and_pure_files_know_no_desk() -> None:
    for path in CORE:
        if "app" not in path.relative_to(ROOT / "bot").parts:
            assert not [
                name for name in imports_of(path) if name == "bot.app" or name.startswith("bot.app.")
            ], path


def test_the_core_asks_no_clock_of_its_own() -> None:
    clocks = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time"}
    for path in CORE:
        if path.relative_to(ROOT).as_posix() != "bot/schedule/clockwork.py":  # the clock that is handed in
            assert not calls_in(path) & clocks, path


def test_only_settings_reads_the_environment() -> None:
    for path in CORE + ADAPTERS:
        if path.relative_to(ROOT).as_posix() not in ("bot/settings.py",):
            text = path.read_text("utf-8")
            assert "os.environ" not in text and "os.getenv" not in text, path


def test_settings_the_example_and_the_docs_name_the_same_settings() -> None:
    example = set(re.findall(r"^#?([A-Z][A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.M))
    docs = set(
        re.findall(r"`((?:PAPERCLUB|DISCORD|SLACK)_[A-Z_]+)`", (ROOT / "docs/settings.md").read_text("utf-8"))
    )
    assert example == set(settings.NAMES) == docs


def test_every_command_stands_in_the_docs() -> None:
    docs = (ROOT / "docs/commands.md").read_text("utf-8")
    assert [command.path for command in COMMANDS if f"`/{command.path}" not in docs] == []


def test_help_fits_its_limits() -> None:
    assert len(COMMANDS) <= 30
    for command in COMMANDS:
        assert len(f"/{command.path} {command.example}".strip()) + len(command.about) <= 80, command.path
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


def test_locks_pin_hashes_and_name_no_address() -> None:
    for lock in (ROOT / "deploy/requirements.lock", ROOT / "tests/requirements.lock"):
        text = lock.read_text("utf-8")
        assert "://" not in text and "--index-url" not in text
        for block in re.split(r"\n(?=\S)", text.strip()):
            assert "==" in block and "--hash=sha256:" in block, block.splitlines()[0]


def test_the_package_says_one_version_everywhere() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    assert version and f"## {version[1]}" in (ROOT / "CHANGELOG.md").read_text("utf-8")

"""The terminal as such: usage, settings, the store it opens, pipes and locales."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.cli import main
from bot.settings import NAMES
from bot.starter import starter_pages
from bot.storage.sqlite_file import APPLICATION_ID
from tests.lab.ports import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory and an empty data folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C")
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that what an .env file sets is undone afterwards
        monkeypatch.delenv(name)


def paperclub(*argv: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    """A process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "adapters", *argv],
        input=stdin,
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )


def a_page() -> str:
    """A starter page in the working directory."""
    name, data = starter_pages()[0]
    Path(name).write_bytes(data)
    return name


# ---- usage ----


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["dance"],
        ["import"],
        ["search"],
        ["search", "--"],
        ["search", "--unknown", "x"],
        ["search", "x", "--limit"],
        ["search", "x", "--limit", "none"],
        ["search", "x", "--lim", "3"],
        ["show"],
        ["show", "p1", "p2"],
        ["show", "p1", "--as", "fax"],
        ["plain", "file"],
        ["tally", "x", "--seats", "-1"],
        ["tally", "x", "--method", "dice"],
        ["run", "--port", "0"],
        ["run", "--preview", "--port", "65536"],
        ["preview", "--port", "http"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_sentence_and_status_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1


@pytest.mark.parametrize("argv", [["--help"], ["search", "--help"], ["search", "x", "-h"], ["run", "-h"]])
def test_help_goes_to_standard_output(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    assert capsys.readouterr().out.startswith("usage: paperclub")


def test_every_command_and_option_stands_in_the_docs() -> None:
    from adapters.cli import parser

    docs = (ROOT / "docs/terminal.md").read_text("utf-8")
    verbs = parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    assert verbs
    for verb, each in verbs.items():  # type: ignore[union-attr]
        assert f"## {verb}" in docs, verb
        for action in each._actions:
            for option in action.option_strings:
                assert option in ("-h", "--help") or f"`{option}" in docs, (verb, option)


# ---- settings ----


def test_the_environment_names_the_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAPERCLUB_DATABASE_URL", "sqlite:///mine.db")
    assert main(["import", a_page()]) == 0
    assert (tmp_path / "mine.db").exists() and not (tmp_path / "data").exists()


def test_an_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAPERCLUB_DATABASE_URL", "sqlite:///mine.db")
    assert main(["import", a_page(), "--database", "other.db"]) == 0
    assert (tmp_path / "other.db").exists() and not (tmp_path / "mine.db").exists()


def test_settings_are_read_from_env_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"PAPERCLUB_DATABASE_URL=sqlite:///{tmp_path}/deep/er.db\n")
    assert main(["import", a_page()]) == 0
    assert (tmp_path / "deep/er.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"PAPERCLUB_LOG=loud", "loud"),
        (b"PAPERCLUB_PREVIEW_PORT=99999", "99999"),
        (b"PAPERCLUB_DATABASE_URL=postgres://x/y", "postgres://x/y"),
        (b"PAPERCLUB_LOG=\xff\xfe", ".env"),
        (b"PAPERCLUB_LOG=info\nno setting at all\n", "Line 2 of"),
        (b'SLACK_BOT_TOKEN="xoxb-1\nPAPERCLUB_LOG=info\n', "Line 1 of"),
    ],
)
def test_a_setting_that_cannot_be_used_is_said(
    text: bytes, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_bytes(text)
    assert main(["search", "x"]) == 1
    said = capsys.readouterr()
    assert word in said.err and said.err.count("\n") == 1 and said.out == ""


def test_the_terminal_speaks_the_language_of_its_locale(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(["search", "x"]) == 1
    assert "paperclub import" in (said := capsys.readouterr().err) and "数据库" in said


# ---- the store ----


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()


def _text(path: Path) -> None:
    path.write_text("Dear diary, " * 50)


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 9999")
        connection.execute("CREATE TABLE t (x)")
    connection.close()


def _read_only(path: Path) -> None:
    main(["import", a_page(), "--database", str(path)])
    path.chmod(0o444)


def _cut_off(path: Path) -> None:
    main(["import", a_page(), "--database", str(path)])
    path.write_bytes(path.read_bytes()[:20_000])


def _corrupt(path: Path) -> None:
    main(["import", a_page(), "--database", str(path)])
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))


@pytest.mark.parametrize("make", [_foreign, _text, _newer, _read_only, _cut_off, _corrupt])
@pytest.mark.parametrize(
    "argv", [["search", "deep"], ["show", "p1"], ["import", "page"], ["preview"], ["why"]]
)
def test_a_file_we_cannot_use_is_refused_and_left_as_it_is(
    make: object,
    argv: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAPERCLUB_PREVIEW_PORT", str(free_port()))
    path = tmp_path / "store.db"
    make(path)  # type: ignore[operator]
    Path("page").write_bytes(starter_pages()[1][1])
    before = path.read_bytes()
    capsys.readouterr()
    assert main([*argv, "--database", str(path)]) == 1
    said = capsys.readouterr()
    assert path.read_bytes() == before
    assert "store.db" in said.err and said.err.count("\n") == 1 and said.out == ""
    assert "Nothing was changed" in said.err


@pytest.mark.parametrize("argv", [["search", "x"], ["show", "p1"], ["plan"], ["why"]])
def test_reading_makes_no_database(
    argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.db").touch()
    assert main(argv) == main([*argv, "--database", "empty.db"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["empty.db"]
    assert (tmp_path / "empty.db").stat().st_size == 0
    assert "paperclub import" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    assert main(["import", a_page()]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_what_nobody_foresaw_is_one_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("boo")

    monkeypatch.setattr("adapters.operate.search", fails)
    assert main(["search", "x"]) == 1
    assert "ZeroDivisionError: boo" in (said := capsys.readouterr().err) and said.count("\n") == 1


# ---- processes ----


def test_plain_starts_without_the_heavy_libraries() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "adapters", "plain"],
        input=b"x",
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.stderr.decode().splitlines()}
    assert ran.stdout == b"x\n"
    assert not loaded & {
        "nicegui",
        "discord",
        "slack_bolt",
        "aiosqlite",
        "apscheduler",
        "babel",
        "rich",
        "asyncio",
    }


def test_json_is_utf_8_in_any_locale() -> None:
    ran = paperclub("import", "--dry-run", "--json", a_page(), PYTHONIOENCODING="latin-1", LC_ALL="C")
    assert ran.returncode == 0 and ran.stderr == b""
    assert len(json.loads(ran.stdout.decode("utf-8"))["papers"]) == 20


def test_a_reader_who_had_enough_is_no_failure() -> None:
    command = f'"{sys.executable}" -m adapters import --dry-run --json "{a_page()}"'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        ["bash", "-c", f"{command} | head -c 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        timeout=120,
        env=env,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"{", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_said_once() -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "adapters", "plain"],
            input=b"x",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert ran.returncode == 1 and ran.stderr.count(b"\n") == 1

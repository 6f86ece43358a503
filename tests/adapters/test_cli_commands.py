"""Every command of the terminal: what it prints where, and its exit status."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adapters.cli import main
from bot.clubs import service as clubs
from bot.clubs.model import Account, Asker, Place
from bot.papers.link import paper_of_link
from bot.papers.service import PaperService
from bot.rounds.log import commitment_of
from bot.starter import starter_pages
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.fakediscord.validate import check_message
from tests.lab.chatlab.fakeslack.blockkit import check_message_blocks

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
PAPER_KEYS = [
    "id",
    "title",
    "headline",
    "authors",
    "authors_truncated",
    "area",
    "subarea",
    "abstract",
    "abstract_plain",
    "url",
    "year",
    "venue",
    "arxiv_id",
    "doi",
    "sources",
]
LISTING = """论文检索

Theory · Game Theory

Ada Example, Ben Example, 等

We show that games are \\textbf{fair}. Every player agrees.

Cleo Example

A second paper has no topic, and 30--35\\% of it is short.
"""


class Ran(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in an empty folder, with an empty data folder and these bytes on standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C")
    for name in ("PAPERCLUB_DATABASE_URL", "PAPERCLUB_LOG", "PAPERCLUB_PREVIEW_PORT"):
        monkeypatch.setenv(name, "")  # so that what an .env file sets is undone afterwards
        monkeypatch.delenv(name)

    def call(*argv: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(stdin)))
        status = main(argv)
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return call


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small listing."""
    path = tmp_path / "page.txt"
    path.write_text(LISTING, "utf-8")
    return path


@pytest.fixture(scope="module")
def starter_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the starter catalogue, closed."""
    folder = tmp_path_factory.mktemp("starter")
    for name, data in starter_pages():
        (folder / name).write_bytes(data)
    names = [str(folder / name) for name, _ in starter_pages()]
    assert main(["import", *names, "--database", str(folder / "starter.db")]) == 0
    return folder / "starter.db"


@pytest.fixture
def stocked(run: Run, tmp_path: Path, starter_store: Path) -> Path:
    """The starter catalogue in the default place."""
    path = tmp_path / "data/paperclub/paperclub.db"
    path.parent.mkdir(parents=True)
    shutil.copy(starter_store, path)
    return path


def one_sentence(ran: Ran, status: int = 1) -> str:
    """What a command that failed said: nothing but a line on standard error."""
    assert (ran.status, ran.out) == (status, "")
    assert ran.err.endswith("\n") and ran.err.count("\n") == 1 and "Traceback" not in ran.err
    return ran.err.strip()


# ---- import ----


def test_an_import_says_what_it_did_and_a_second_one_changes_nothing(run: Run, page: Path) -> None:
    first = run("import", "page.txt")
    assert first == Ran(0, "page.txt: 2 papers added, 0 changed, 0 merged, 0 unchanged, 0 problems\n", "")
    assert run("import", "--json", "page.txt").json["unchanged"] == 2


def test_papers_in_json_have_exactly_the_documented_keys(run: Run, page: Path) -> None:
    papers = run("import", "page.txt", "--json").json["papers"]
    assert [list(paper) for paper in papers] == [PAPER_KEYS] * 2
    first, second = papers
    assert (first["id"], second["id"]) == ("p1", "p2")
    assert first["authors"] == ["Ada Example", "Ben Example"] and first["authors_truncated"] is True
    assert (first["area"], first["subarea"]) == ("Theory", "Game Theory")
    assert (second["area"], second["subarea"], second["title"]) == (None, None, None)
    assert first["abstract"].startswith("We show that games are \\textbf{fair}.")
    assert first["abstract_plain"].startswith("We show that games are fair.")
    assert "30–35%" in second["abstract_plain"]
    assert 0 < len(second["headline"]) <= 100


def test_a_dry_run_reads_everything_and_makes_no_database(
    run: Run, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLUB_DATABASE_URL", "sqlite:///never.db")
    ran = run("import", "--dry-run", "--json", "page.txt", "-", stdin=LISTING.encode())
    assert ran.status == 0 and ran.err == ""
    assert (ran.json["added"], ran.json["merged"], len(ran.json["papers"])) == (2, 2, 4)
    assert {paper["id"] for paper in ran.json["papers"]} == {None}
    assert [path.name for path in tmp_path.iterdir()] == ["page.txt"]


def test_a_dry_run_tells_the_numbers_of_a_real_import(run: Run, tmp_path: Path) -> None:
    for name, data in starter_pages():
        (tmp_path / name).write_bytes(data)
    names = [name for name, _ in starter_pages()]
    dry, real = run("import", "--dry-run", "--json", *names).json, run("import", "--json", *names).json
    numbers = ("added", "changed", "merged", "unchanged")
    assert [dry[key] for key in numbers] == [real[key] for key in numbers]
    assert [paper["abstract"] for paper in dry["papers"]] != []
    assert len(dry["papers"]) == len(real["papers"]) == 80
    assert len({paper["id"] for paper in real["papers"]}) == 79


@pytest.mark.parametrize("bad", ["missing.txt", "."])
def test_where_one_source_cannot_be_read_nothing_is_imported(
    run: Run, page: Path, tmp_path: Path, bad: str
) -> None:
    assert "Nothing was imported" in one_sentence(run("import", "page.txt", bad, "--json"))
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "there is no paper in it"),
        (b"\xef\xbb\xbf \n", "there is no paper in it"),
        (b"\x7fELF\0\xff\xfe" * 9, "this is not text in UTF-8"),
        (b"hello", "this is no format I can read"),
    ],
)
def test_a_source_without_papers_is_told_with_place_and_reason(
    run: Run, data: bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "odd").write_bytes(data)
    ran = run("import", "odd", "--json")
    assert ran.status == 1 and "No paper could be read from odd." in ran.err
    assert ran.json["refused"] == [{"where": "odd:1", "reason": reason}]


def test_problems_carry_their_line_and_the_other_entries_arrive(run: Run) -> None:
    ran = run("import", "-", "--json", stdin=(LISTING + "\nNobody Else\n").encode())
    assert ran.status == 0
    assert ran.json["refused"] == [{"where": "-:13", "reason": "no abstract follows these authors"}]
    assert ran.json["added"] == 2


def test_a_file_whose_name_is_no_text_is_imported(run: Run, tmp_path: Path) -> None:
    name = b"p\xffge.txt".decode("utf-8", "surrogateescape")
    (tmp_path / name).write_text(LISTING, "utf-8")
    ran = run("import", name, "--json")
    assert ran.status == 0 and ran.json["papers"][0]["sources"][-1] == "p\ufffdge.txt"


def test_an_unknown_format_is_wrong_usage(run: Run, page: Path) -> None:
    assert "listing" in one_sentence(run("import", "--format", "scroll", "page.txt"), 2)


# ---- search ----


def test_search_gives_hits_with_marks(run: Run, stocked: Path) -> None:
    found = run("search", "simsek", "--json").json
    assert (found["query"], found["total"]) == ("simsek", 1)
    (hit,) = found["hits"]
    ((author, start, end),) = hit["marks"]["authors"]
    assert hit["paper"]["authors"][author][start:end] == "Şimşek"
    assert set(hit) == {"paper", "marks"} and set(hit["marks"]) == {"title", "authors", "abstract"}


@pytest.mark.parametrize("query", ["+++", "", "zzzzqqqq", "-", "\udcff\udcfe"])
def test_a_search_without_hits_is_an_answer_and_a_hint(run: Run, stocked: Path, query: str) -> None:
    ran = run("search", "--json", query)
    assert ran.status == 0 and ran.json == {"query": query, "total": 0, "hits": []}
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "query"),
    [
        (["-hello"], "-hello"),
        (["-j", "--limit", "2"], "-j"),
        (["deep", "--limit", "2", "2"], "deep 2"),
        (["--limit=2", "--", "--limit", "--json"], "--limit --json"),
        (["--", "a", "--", "b"], "a -- b"),
        (["--club is a word here"], "--club is a word here"),
        (["search", "search"], "search search"),
    ],
)
def test_a_query_may_begin_with_a_dash(run: Run, stocked: Path, argv: Sequence[str], query: str) -> None:
    assert run("search", "--json", *argv).json["query"] == query


def test_the_database_may_be_named_before_the_command(run: Run, stocked: Path) -> None:
    assert run("--database", str(stocked), "search", "--json", "-x").status == 0
    assert run("--database=none.db", "search", "x").status == 1


def test_the_database_may_be_named_by_its_address(run: Run, stocked: Path) -> None:
    assert run("--database", f"sqlite:///{stocked}", "search", "--json", "-x").status == 0
    assert run("search", "--database", f"sqlite:///{stocked}", "x").status == 0
    refused = run("import", "--database", "postgresql://host/club", "none.txt")
    assert refused.status == 1 and "“postgresql://host/club” is not a database address." in refused.err
    assert not list(Path().glob("*:"))


def test_limit_and_total_differ(run: Run, stocked: Path) -> None:
    found = run("search", "--limit", "2", "models", "--json").json
    assert len(found["hits"]) == 2 < found["total"]
    assert f"The first 2 of {found['total']} papers." in run("search", "--limit", "2", "models").out


def test_a_query_of_two_thousand_characters_is_refused_in_a_sentence(run: Run, stocked: Path) -> None:
    assert "300 characters" in one_sentence(run("search", "x" * 2000))


def test_a_club_that_does_not_exist_is_said(run: Run, stocked: Path) -> None:
    assert "no such club" in one_sentence(run("search", "x", "--club", "Nobody"))


# ---- show ----


def test_show_prints_a_paper_and_where_its_headline_comes_from(run: Run, stocked: Path) -> None:
    ran = run("show", "P17")
    assert ran.status == 0 and ran.out.startswith("p17  ") and "headline is taken" in ran.out
    assert run("show", "17", "--json").json["id"] == "p17"


@pytest.mark.parametrize("wanted", ["p1700", "p0", "xx", "", "p" + "9" * 400, "１７x"])
def test_an_unknown_paper_is_said_in_one_sentence(run: Run, stocked: Path, wanted: str) -> None:
    assert "p79" in one_sentence(run("show", wanted))


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_card_for_discord_is_told_as_discord_takes_it(
    run: Run, stocked: Path, more: tuple[str, ...]
) -> None:
    card = run("show", "p17", "--as", "discord", *more).json
    check_message(card, settable_flags=1 << 15)
    assert "nominate:p17" in str(card) and card["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_card_for_slack_is_told_as_slack_takes_it(run: Run, stocked: Path, more: tuple[str, ...]) -> None:
    card = run("show", "p17", "--as", "slack", *more).json
    check_message_blocks(card["blocks"])
    assert "nominate:p17" in str(card) and card["text"].startswith("p17 · ") and "metadata" not in card


@pytest.mark.parametrize("platform", ["discord", "slack"])
def test_an_unknown_paper_has_no_card(run: Run, stocked: Path, platform: str) -> None:
    assert "p79" in one_sentence(run("show", "p1700", "--as", platform))


async def _own_paper(path: Path) -> None:
    database = await open_sqlite(path)
    asker = Asker(Account("preview", "w", "u1"), Place("preview", "w", "c1"), "Member 1", admin=True)
    club = await database.write(
        lambda tx: clubs.setup(tx, asker, NOW, name="Night shift", zone="Europe/Berlin")
    )
    paper = paper_of_link("https://example.org/a.pdf", "A paper of one club")
    assert paper is not None
    await PaperService(database).put_own(club.id, paper, NOW)
    await database.close()


def test_the_operator_sees_papers_on_every_shelf(run: Run, stocked: Path) -> None:
    asyncio.run(_own_paper(stocked))
    assert run("show", "p80", "--json").json["title"] == "A paper of one club"
    assert run("search", "one club", "--json").json["total"] == 0
    assert run("search", "one club", "--club", "night shift", "--json").json["total"] == 1


# ---- plain ----


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (b"We need $O(d)$ and 30--35\\%.", "We need O(d) and 30–35%.\n"),
        (b"\xef\xbb\xbf**D**ifferentiable", "Differentiable\n"),
        (b"broken \xff\xfe bytes", "broken \ufffd\ufffd bytes\n"),
        ("论文 \\textbf{检索}".encode(), "论文 检索\n"),
        (b"", "\n"),
    ],
)
def test_plain_makes_any_bytes_readable(run: Run, source: bytes, shown: str) -> None:
    assert run("plain", stdin=source) == Ran(0, shown, "")


def test_plain_needs_no_standard_input_to_be_open(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["plain"]) == 0


# ---- tally ----

ELECTION = {
    "method": "av",
    "seats": 1,
    "candidates": [{"id": "A", "name": "First"}, {"id": "B", "name": "Second"}],
    "ballots": [{"count": 3, "approvals": ["B"]}, {"approvals": ["A", "B"]}, {"approvals": []}],
}


def election(folder: Path, **changed: object) -> str:
    """An election file with some parts changed."""
    (folder / "vote.json").write_text(json.dumps({**ELECTION, **changed}), "utf-8")
    return "vote.json"


def test_a_recount_tells_the_winner_and_explains_it(run: Run, tmp_path: Path) -> None:
    told = run("tally", election(tmp_path), "--json").json
    assert list(told) == ["method", "winners", "tied", "decided", "outcome", "steps", "explanation"]
    assert (told["method"], told["winners"], told["tied"]) == ("approval", ["B"], [])
    assert (told["decided"], told["outcome"]) == (["B"], "decided")
    assert run("tally", "vote.json").out.splitlines() == told["explanation"]
    assert any("Second" in sentence for sentence in told["explanation"])


def test_nothing_that_is_imported_or_counted_steers_the_terminal(run: Run, tmp_path: Path) -> None:
    steers = "\x1b]0;me\x07\x9b2J\r"
    names = [{"id": "A", "name": f"First{steers}"}, {"id": "B", "name": f"Second{steers}"}]
    told = run("tally", election(tmp_path, candidates=names)).out
    told += run("import", "--dry-run", "-", stdin=f"no {steers} listing".encode()).out
    told += run("tally", f"none{steers}").err
    assert "Second" in told and "listing" in told and "none" in told
    told += (document := run("tally", "vote.json", "--json")).out
    assert any(f"Second{steers}" in sentence for sentence in document.json["explanation"])
    assert not set(told) & set("\x1b\x07\x9b\r")


def test_a_tie_without_dates_is_left_undecided(run: Run, tmp_path: Path) -> None:
    told = run(
        "tally", election(tmp_path, ballots=[{"approvals": ["A"]}, {"approvals": ["B"]}]), "--json"
    ).json
    assert (told["winners"], told["tied"], told["decided"], told["outcome"]) == (
        [],
        [["A", "B"]],
        None,
        "tie",
    )


def test_method_and_seats_can_be_given(run: Run, tmp_path: Path) -> None:
    name = election(tmp_path, method="irv")
    assert run("tally", name, "--method", "approval", "--seats", "2", "--json").json["winners"] == ["B", "A"]


@pytest.mark.parametrize(
    ("method", "ballot"),
    [
        ("plurality", {"approvals": ["B"]}),
        ("phragmen", {"approvals": ["B"], "paid": "3/5"}),
        ("schulze", {"ranking": [["B"], ["A"]]}),
        ("irv", {"ranking": ["B", "A"]}),
        ("star", {"scores": {"B": 5, "A": 4}}),
        ("debian-cssd", {"ranking": [["B"]]}),
    ],
)
def test_every_method_counts_a_file(run: Run, tmp_path: Path, method: str, ballot: dict[str, object]) -> None:
    told = run("tally", election(tmp_path, method=method, ballots=[ballot, ballot]), "--json").json
    assert (told["winners"], told["decided"], told["outcome"]) == (["B"], ["B"], "decided")


@pytest.mark.parametrize(("method", "ballot"), [("plurality", 2), ("schulze", 1), ("irv", 1), ("star", 1)])
def test_ballots_that_do_not_fit_a_method_are_said(
    run: Run, tmp_path: Path, method: str, ballot: int
) -> None:
    assert f"Ballot {ballot} " in one_sentence(run("tally", election(tmp_path), "--method", method, "--json"))


def test_a_default_option_a_quorum_and_majorities_can_be_given(run: Run, tmp_path: Path) -> None:
    ballots = [{"count": 3, "ranking": ["A", "B"]}, {"count": 2, "ranking": ["B", "A"]}]
    name = election(tmp_path, method="schulze", ballots=ballots)
    assert run("tally", name, "--json").json["winners"] == ["A"]
    for given in (["--majority", "A=2"], ["--quorum", "3.5"]):
        assert run("tally", name, "--default-option", "B", *given, "--json").json["winners"] == ["B"]
    assert run("tally", name, "--default-option", "B", "--quorum", "3", "--json").json["winners"] == ["A"]
    assert "C" in one_sentence(run("tally", name, "--default-option", "C"))


@pytest.mark.parametrize("given", [["--majority", "A"], ["--majority", "A=x"], ["--quorum", "many"]])
def test_a_rule_that_is_no_number_is_wrong_usage(run: Run, tmp_path: Path, given: list[str]) -> None:
    assert run("tally", election(tmp_path), *given).status == 2


def test_an_election_can_come_on_standard_input(run: Run) -> None:
    assert run("tally", "-", stdin=json.dumps(ELECTION).encode()).status == 0


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"candidates": 3}'])
def test_a_file_that_is_no_election_is_refused_in_a_sentence(run: Run, data: bytes) -> None:
    one_sentence(run("tally", "-", stdin=data))


def test_a_missing_election_is_said(run: Run) -> None:
    assert "none.json" in one_sentence(run("tally", "none.json"))


def sheet(folder: Path, winner: str, **changed: object) -> str:
    """A tally sheet that says this paper won."""
    secret = "5e" * 16
    document = {
        "paperclub": "tally sheet",
        "version": 1,
        "method": "approval",
        "candidates": [{"id": "p1", "name": "First"}, {"id": "p2", "name": "Second"}],
        "ballots": [{"receipt": "a", "approvals": ["p2"]}, {"receipt": "b", "approvals": []}],
        "ties": {
            "rule": "draw",
            "round": "12",
            "secret": secret,
            "commitment": commitment_of(secret),
            "head": "",
        },
        "published result": {"outcome": "decided", "winner": winner, "tie_rule": ""},
    }
    (folder / "sheet.json").write_text(json.dumps(document | changed), "utf-8")
    return "sheet.json"


def test_a_tally_sheet_is_held_against_what_was_published(run: Run, tmp_path: Path) -> None:
    ran = run("tally", sheet(tmp_path, "p2"))
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "The recount gives the published result."
    assert run("tally", "sheet.json", "--json").json["agrees"] is True
    assert "agrees" not in run("tally", "sheet.json", "--seats", "2", "--json").json


def test_another_result_than_the_published_one_is_said_and_fails(run: Run, tmp_path: Path) -> None:
    ran = run("tally", sheet(tmp_path, "p1"), "--json")
    assert ran.status == 1
    assert json.loads(ran.out)["agrees"] is False
    assert ran.err.strip() == "The recount gives another result than the published one."


def test_a_secret_that_was_not_sealed_is_refused(run: Run, tmp_path: Path) -> None:
    ties = {"rule": "age", "round": "12", "secret": "1" * 32, "commitment": "2" * 64, "head": ""}
    assert "sealed" in one_sentence(run("tally", sheet(tmp_path, "p2", ties=ties)))


# ---- plan ----


def planned(run: Run, options: str) -> Ran:
    """A plan by options in one line."""
    return run("plan", *options.split())


def test_a_daily_time_needs_no_database(run: Run, tmp_path: Path) -> None:
    ran = planned(run, "--daily 02:30 --zone Europe/Berlin --from 2026-03-28 --days 2 --json")
    assert [(due["scheduled"], due["local"], due["utc"]) for due in ran.json] == [
        ("2026-03-28T02:30:00", "2026-03-28T02:30:00", "2026-03-28T01:30:00Z"),
        ("2026-03-29T02:30:00", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
    ]
    assert {(due["kind"], due["zone"]) for due in ran.json} == {("daily", "Europe/Berlin")}
    assert list(ran.json[0]) == ["kind", "scheduled", "local", "zone", "utc"]
    assert list(tmp_path.iterdir()) == []


def test_weekdays_are_kept(run: Run) -> None:
    ran = planned(run, "--daily 09:00 --weekdays mon,tue --zone UTC --from 2026-11-02T00:00Z --json")
    assert [due["utc"] for due in ran.json] == ["2026-11-02T09:00:00Z", "2026-11-03T09:00:00Z"]


def test_an_empty_plan_is_an_empty_list_and_a_hint(run: Run) -> None:
    ran = planned(run, "--daily 09:00 --zone UTC --from 2026-11-02T10:00Z --days 1 --weekdays mon")
    assert (ran.status, ran.out, ran.err.count("\n")) == (0, "", 1)


@pytest.mark.parametrize(
    "argv",
    [
        "--daily 09:00",
        "--daily 24:00 --zone UTC",
        "--daily=-1 --zone UTC",
        "--daily 09:00 --zone Berlin",
        "--daily 09:00 --zone UTC --weekdays fun",
        "--daily 09:00 --zone UTC --from yesterday",
        "--daily 09:00 --zone UTC --from 9999-12-31",
        "--daily 09:00 --zone UTC --from 0001-01-01",
        "--daily 09:00 --zone UTC --days 0",
        "--daily 09:00 --zone UTC --days ¹",
    ],
)
def test_a_plan_that_can_never_be_is_wrong_usage(run: Run, argv: str) -> None:
    one_sentence(planned(run, argv), 2)


def test_a_club_is_planned_by_its_settings(run: Run, stocked: Path) -> None:
    asyncio.run(_own_paper(stocked))
    due = run("plan", "--from", "2026-11-02T00:00", "--json").json
    assert [one["kind"] for one in due].count("daily") == 5
    assert [(one["kind"], one["local"]) for one in due if one["kind"] != "daily"] == [
        ("meeting", "2026-11-02T16:00:00"),
        ("open", "2026-11-05T09:00:00"),
        ("close", "2026-11-06T17:00:00"),
    ]
    assert run("plan", "--club", "Night Shift").status == 0


def test_a_plan_without_a_club_says_how_one_comes_about(run: Run, stocked: Path) -> None:
    assert "/club setup" in one_sentence(run("plan"))


# ---- the rest ----


def test_why_tells_of_a_day_before_the_club(run: Run, stocked: Path) -> None:
    asyncio.run(_own_paper(stocked))
    assert "The club was set up later." in run("why", "2026-11-01").out
    assert "No paper is scheduled on this day of the week." in run("why", "2026-11-07").out


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "0001-01-01", "9999-12-31"])
def test_a_day_that_is_none_is_wrong_usage(run: Run, stocked: Path, day: str) -> None:
    one_sentence(run("why", day), 2)


def test_without_tokens_and_preview_there_is_nothing_to_run(run: Run) -> None:
    assert "run --preview" in one_sentence(run("run"))

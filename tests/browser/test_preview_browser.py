"""The preview in a real browser: a whole week, a restart in between, keyboard, widths, strangers."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Browser, Locator, Page, expect

if TYPE_CHECKING:
    from conftest import Server

pytestmark = pytest.mark.browser
BUSY = 30_000
"""Milliseconds: a slow machine is no fault of ours."""
expect.set_options(timeout=BUSY)

EVIL = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


async def opened(browser: Browser, address: str, **context: object) -> Page:
    page = await browser.new_page(**context)  # type: ignore[arg-type]
    page.set_default_timeout(BUSY)
    await page.goto(address)
    await expect(page.locator("article").first).to_be_visible()
    return page


async def act_as(page: Page, number: int) -> None:
    await page.locator(f"#who-member-{number}").check()
    await expect(page.get_by_role("status")).to_have_text(f"You act as Member {number}")


async def say(page: Page, text: str) -> None:
    await page.locator("#say").fill(text)
    await page.locator("#say").press("Enter")
    await expect(page.locator("#say")).to_have_value("")


def last(page: Page) -> Locator:
    return page.locator("article").last


def dialog(page: Page) -> Locator:
    """The form that was opened last, whatever came below it meanwhile."""
    return page.locator("article:has(form[data-form])").last


def posts(page: Page) -> Locator:
    return page.locator("article .eyebrow", has_text="Today’s paper")


def button(within: Locator | Page, name: str) -> Locator:
    return within.get_by_role("button", name=name)


async def test_a_whole_week_with_a_restart_in_between(browser: Browser, server: Server) -> None:
    page = await opened(browser, server.address, viewport={"width": 1280, "height": 1060})
    foreign: list[str] = []
    page.on("request", lambda asked: foreign.append(asked.url) if str(server.port) not in asked.url else None)

    # the first visit: a posted paper and three things to try
    await expect(page.locator("article").first).to_contain_text("Today’s paper")
    await expect(last(page)).to_contain_text("Three things to try")
    todays = await page.locator("article .id").first.inner_text()  # the draw is not the same every time
    await button(last(page), "Nominate").click()
    await expect(last(page)).to_contain_text("Nominated:")

    # a member searches, reads and nominates
    await act_as(page, 2)
    await expect(page.locator("article")).to_have_count(1)
    await say(page, "/paper search sinkhorn")
    await expect(last(page)).to_contain_text("3 papers for “sinkhorn”")
    await expect(last(page)).to_contain_text("Only Member 2 sees this")
    await button(last(page), "Read p44").click()
    await button(last(page), "Nominate").click()
    await expect(last(page)).to_contain_text(re.compile("Nominated: FlashSinkhorn|nominated already"))
    await act_as(page, 3)
    fresh = "p6" if todays == "p5" else "p5"
    await say(page, f"/paper nominate {fresh} {EVIL}")
    await expect(last(page)).to_contain_text("Nominated:")

    # the vote opens, and what the clock passed stands in order
    await button(page.get_by_role("complementary"), "Jump to next event").click()
    poll = page.locator("article", has_text="Which of these would you read?")
    await expect(poll).to_be_focused()
    await expect(poll).to_contain_text(EVIL)
    await expect(posts(page)).to_have_count(4)

    # a secret ballot
    await button(poll, "Vote / change my vote").click()
    await dialog(page).get_by_role("checkbox", name="FlashSinkhorn").check()
    await button(dialog(page), "Count my ballot").click()
    await expect(last(page)).to_contain_text("Counted.")
    await expect(poll).to_contain_text("1 has voted")

    # a restart loses nothing: the open page comes back by itself, and old buttons work
    await page.evaluate("window.beforeTheRestart = true")
    server.end()
    server.start()
    await page.wait_for_function("!window.beforeTheRestart")
    await expect(last(page)).to_contain_text("Counted.")
    await expect(page.locator("#who-member-3")).to_be_checked()
    await button(last(page), "Change my vote").click()
    await expect(dialog(page).get_by_role("checkbox", name="FlashSinkhorn")).to_be_checked()
    await button(dialog(page), "Cancel").click()
    await expect(last(page)).to_contain_text("Counted.")

    # another member, in a tab of their own, sees nothing of it
    other = await opened(browser, f"{server.address}?as=4")
    await expect(other.get_by_text("Counted.")).to_have_count(0)
    await button(other.locator("article", has_text="Which of these"), "Vote / change my vote").click()
    await dialog(other).get_by_role("checkbox", name="FlashSinkhorn").check()
    await button(dialog(other), "Count my ballot").click()
    await expect(last(other)).to_contain_text("Counted.")
    await expect(poll).to_contain_text("2 have voted")

    # the result stands, in every open tab
    await button(page.get_by_role("complementary"), "Jump to next event").click()
    for each in (page, other):
        result = each.locator("article", has_text="Winner")
        await expect(result).to_contain_text("FlashSinkhorn")
        await expect(result).to_contain_text("2 members voted")
    await button(page.locator("article", has_text="Counted."), "Change my vote").click()
    await expect(last(page)).to_contain_text("This vote closed on")
    assert foreign == []
    assert await page.title() == "Paperclub"


async def test_a_ranked_week_ends_in_a_circle_and_its_sheet_is_recounted_elsewhere(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    page = await opened(browser, server.address)
    await say(page, "/club settings")
    await button(last(page), "Change the counting").click()
    await page.get_by_label("Way of voting").select_option("schulze")
    await button(dialog(page), "Save settings").click()
    await expect(last(page)).to_contain_text("Saved.")
    for paper in ("p44", "p5", "p7"):
        await say(page, f"/paper nominate {paper}")
        await expect(last(page)).to_contain_text("Nominated:")
    await say(page, "/club open vote")
    poll = page.locator("article", has_text="Which of these would you read first?")
    for member, ranking in enumerate(
        (("p44", "p5", "p7"), ("p7", "p44", "p5"), ("p7", "p44", "p5"), ("p5",), ("p5",)), 1
    ):
        if member > 1:
            await act_as(page, member)
            await expect(page.get_by_text("Counted.")).to_have_count(0)  # the stream is this member's now
        await button(poll, "Vote / change my vote").click()
        for place, paper in enumerate(ranking):
            await dialog(page).get_by_role("combobox").nth(place).select_option(paper)
        await button(dialog(page), "Count my ballot").click()
        await expect(page.get_by_text("Counted. First paper")).to_be_visible()

    await act_as(page, 1)
    await say(page, "/club close vote Everybody has voted")
    result = page.locator("article", has_text="Winner")
    await expect(result).to_contain_text("FlashSinkhorn")
    await expect(result).to_contain_text("over FlashSinkhorn at 2 : 1, was set aside")
    await button(result, "How this was counted").click()
    table = page.get_by_role("table")
    await expect(table.get_by_role("row")).to_have_count(4)
    await expect(table.get_by_role("row").nth(1)).to_contain_text(
        re.compile(r"FlashSinkhorn.*3 : 2.*won.*1 : 2.*lost", re.S)
    )

    sheet = tmp_path / "sheet.json"
    async with page.expect_download() as download:
        await page.locator("article", has_text="All ballots of this vote").get_by_role("link").click()
    await (await download.value).save_as(sheet)
    recount = [sys.executable, "-m", "adapters", "tally", str(sheet)]
    told = await asyncio.to_thread(subprocess.run, recount, capture_output=True, text=True, check=True)
    assert "The recount gives the published result." in told.stdout
    sheet.write_text(sheet.read_text().replace('[["p5"]]', '[["p7"]]'))
    told = await asyncio.to_thread(subprocess.run, recount, capture_output=True, text=True, check=False)
    assert told.returncode != 0
    assert "The recount gives the published result." not in told.stdout


async def test_the_composer_is_driven_by_the_keyboard(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address)
    await page.locator("body").press("/")
    box, options = page.locator("#say"), page.get_by_role("option")
    await expect(box).to_be_focused()
    await expect(box).to_have_value("/")
    await expect(options.first).to_have_attribute("aria-selected", "true")
    await page.keyboard.type("paper s")
    await expect(page.get_by_role("listbox")).to_have_attribute("data-for", "/paper s")
    await expect(options).to_contain_text(["/paper search", "/paper show", "/paper similar", "/paper saved"])
    await page.keyboard.press("ArrowDown")
    await expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Tab")
    await expect(box).to_have_value("/paper show ")
    await box.fill("")
    await page.keyboard.type("/paper nominati")
    await page.keyboard.press("Tab")  # sooner than the list comes
    await expect(box).to_have_value("/paper nominations")
    await box.fill("/paper show sinkhorn")
    await expect(page.get_by_role("listbox")).to_have_attribute("data-for", "/paper show sinkhorn")
    await page.keyboard.press("Escape")
    await expect(options.first).to_be_hidden()
    await page.keyboard.press("Enter")
    await expect(last(page)).to_contain_text("answering /paper show sinkhorn")
    await expect(box).to_be_focused()


async def test_what_people_write_is_shown_as_written_in_every_tab(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address)
    other = await opened(browser, f"{shared.address}?as=2")
    for line in (EVIL, f"/paper search {EVIL}", f"/{EVIL}", f"/paper show {EVIL}"):
        await say(page, line)
        await expect(last(page)).to_contain_text("script")
    await expect(last(other)).to_contain_text(EVIL)
    for each in (page, other):
        assert await each.title() == "Paperclub"
        assert await each.locator("article script, article img").count() == 0


async def test_an_unknown_command_leads_to_the_right_one(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address)
    await say(page, "/paper serach sinkhorn")
    await expect(last(page)).to_contain_text("There is no command /paper serach sinkhorn.")
    await button(last(page), "/paper search").click()
    await expect(page.locator("#say")).to_have_value("/paper search ")


async def test_a_faulty_form_keeps_what_was_typed_also_over_a_reload(
    browser: Browser, server: Server
) -> None:
    page = await opened(browser, server.address)
    await say(page, "/club settings")
    await button(last(page), "Change the daily paper").click()
    time = last(page).get_by_label("Time", exact=True)
    await time.fill("25:99")
    await button(dialog(page), "Save settings").click()
    await expect(time).to_be_focused()
    await expect(time).to_have_attribute("aria-invalid", "true")
    await expect(last(page)).to_contain_text("1 field to mend")
    await time.fill("10:30")
    await time.blur()
    await page.wait_for_timeout(300)
    await page.reload()
    await expect(time).to_have_value("10:30")
    await button(dialog(page), "Save settings").click()
    await expect(last(page)).to_contain_text("Saved.")
    await expect(page.get_by_role("complementary")).to_contain_text("10:30")


async def test_start_over_forgets_what_was_said(browser: Browser, server: Server) -> None:
    page = await opened(browser, server.address)
    await say(page, "Nobody will remember this")
    await button(page.get_by_role("complementary"), "+ 1 day").click()
    await expect(posts(page)).to_have_count(2)
    other = await opened(browser, f"{server.address}?as=2")
    await page.get_by_role("navigation").get_by_text("Start over").first.click()
    await button(page.get_by_role("navigation"), "Start over").click()
    for each in (page, other):
        await expect(each.get_by_text("Nobody will remember this")).to_have_count(0)
        await expect(posts(each)).to_have_count(1)
    await expect(page.get_by_text("Three things to try")).to_be_visible()


async def test_the_page_speaks_chinese_to_whom_asks_for_it(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address)
    await button(page.get_by_role("navigation"), "简体中文").click()
    await expect(page.get_by_placeholder("输入 / 查看命令")).to_be_visible()
    await page.locator("#say").fill("/paper search sinkhorn")
    await page.locator("#say").press("Enter")
    await expect(last(page)).to_contain_text("“sinkhorn”：3 篇论文")
    await expect(last(page)).to_contain_text("仅 Member 1 可见")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 1060), (900, 844), (390, 844)])
async def test_nothing_sticks_out_at_any_width(
    browser: Browser, shared: Server, tmp_path: Path, width: int, height: int, scheme: str
) -> None:
    size = {"width": width, "height": height}
    page = await opened(browser, shared.address, viewport=size, color_scheme=scheme)
    for command in ("/paper search sinkhorn", "/paper help", "/paper topics", "/club settings"):
        await say(page, command)
    await button(last(page), "Change the weekly vote").click()
    await expect(last(page).get_by_role("button", name="Save settings")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(250, 248, 243)", "dark": "rgb(23, 25, 27)"}[scheme]
    picture = await page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert len(picture) > 20_000


async def test_a_phone_opens_channels_and_members(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address, viewport={"width": 390, "height": 844})
    await page.locator("#open-me").click()
    await page.locator("#who-small-member-3").check()
    await expect(page.locator("#open-me")).to_contain_text("Member 3")
    await page.locator("#open-rooms").click()
    await page.locator("#panel-rooms").get_by_role("link", name="talk").click()
    await expect(page.locator("#open-rooms")).to_contain_text("talk")
    await say(page, "Hello")
    await expect(last(page)).to_contain_text("Member 3")


async def test_a_page_of_another_origin_is_refused_on_the_socket(browser: Browser, shared: Server) -> None:
    socket = f"ws://127.0.0.1:{shared.port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    script = """address => new Promise(done => {
        const socket = new WebSocket(address);
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
    })"""
    ours = await opened(browser, shared.address)
    assert await ours.evaluate(script, socket) == "open"
    stranger = await browser.new_page()
    await stranger.goto("data:text/html,elsewhere")
    assert await stranger.evaluate(script, socket) == "refused"


async def test_every_control_can_be_reached_and_has_a_name(browser: Browser, server: Server) -> None:
    page = await opened(browser, server.address)
    seen: set[str] = set()
    for _ in range(40):
        await page.keyboard.press("Tab")
        seen.add(
            await page.evaluate(
                "(() => { const e = document.activeElement; "
                "return e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || ''; })()"
            )
        )
    for name in (
        "talk",
        "Read more",
        "Nominate",
        "Save",
        "Similar",
        "Put in the box",
        "Jump to next event",
        "+ 1 day",
        "Send",
    ):
        assert any(name in each for each in seen), (name, seen)
    unnamed = (
        "[...document.querySelectorAll('button, input, summary, a')].filter(e => "
        "!(e.textContent || e.getAttribute('aria-label') || e.labels?.length)).length"
    )
    assert await page.evaluate(unnamed) == 0
    await expect(page.get_by_role("main")).to_have_count(1)


async def test_the_first_visit_is_in_the_visitors_language(browser: Browser, server: Server) -> None:
    page = await opened(browser, server.address, locale="zh-CN")
    await expect(last(page)).to_contain_text("先试这三件事")
    await expect(last(page)).to_contain_text("你可以扮演五位成员中的任何一位。")
    await button(page.get_by_role("navigation"), "English").click()
    await expect(last(page)).to_contain_text("Three things to try")
    await button(last(page), "Put in the box").click()
    await expect(page.locator("#say")).to_have_value("/paper search sinkhorn")


async def test_a_form_has_the_focus_and_gives_it_back(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address)
    await say(page, "/club settings")
    settings = last(page)
    await button(settings, "Change the daily paper").press("Enter")
    form = page.get_by_role("article", name="Daily paper")
    await expect(form).to_be_focused()
    await button(form, "Cancel").press("Enter")
    await expect(form).to_have_count(0)
    await expect(page.get_by_role("article", name="Club settings").last).to_be_focused()


async def test_a_number_that_is_typed_suggests_all_papers_that_begin_so(
    browser: Browser, shared: Server
) -> None:
    page = await opened(browser, shared.address)
    await page.locator("#say").fill("/paper show p4")
    options = page.get_by_role("option")
    await expect(options).to_contain_text(["p4", "p40", "p41", "p42", "p43", "p44", "p45", "p46"])
    await page.locator("#say").fill("/paper show p44")
    await expect(options).to_have_count(1)
    await expect(options).to_contain_text("FlashSinkhorn")
    await page.keyboard.press("Tab")  # nothing to take: the focus goes on
    await expect(button(page, "Send")).to_be_focused()


async def test_a_button_pressed_twice_or_without_connection_is_answered_once(
    browser: Browser, shared: Server
) -> None:
    page = await opened(browser, f"{shared.address}?as=5")
    lines = page.locator("article")
    similar, before = button(lines.first, "Similar"), await lines.count()
    await similar.dblclick()
    await expect(lines).to_have_count(before + 1)
    await expect(similar).to_be_enabled()  # the answer is there; that it ends the press comes a moment later
    await page.context.set_offline(True)
    await page.evaluate("socket.io.engine.close()")
    await similar.click()
    await expect(page.get_by_text("No connection to Paperclub. Trying again.")).to_be_visible()
    await similar.click(force=True)
    await page.context.set_offline(False)
    await expect(page.get_by_text("No connection to Paperclub.")).to_be_hidden()
    await expect(lines).to_have_count(before + 2)
    await expect(similar).to_be_enabled()


async def test_the_page_holds_still_while_something_is_pressed(browser: Browser, shared: Server) -> None:
    page = await opened(browser, shared.address, viewport={"width": 1280, "height": 500})
    for _ in range(3):
        await say(page, "/help")
        await expect(last(page)).to_contain_text("answering /help")
    await button(page.locator("article").first, "Nominate").hover()
    before = await page.evaluate("scrollY")
    await page.mouse.down()
    await page.evaluate("preview.end(), new Promise((ended) => setTimeout(ended, 200))")
    assert await page.evaluate("scrollY") == before
    await page.mouse.up()
    await expect(last(page)).to_contain_text("Nominated:")
    await page.wait_for_function(f"scrollY > {before}")

    # nor does what comes and goes above the box move what is below a pointer
    height = await page.evaluate("document.documentElement.scrollHeight")
    await page.locator("#say").fill("/paper")
    await expect(page.get_by_role("listbox")).to_be_visible()
    await page.evaluate("document.querySelector('#news').hidden = false")
    await expect(page.get_by_role("button", name="New messages")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollHeight") == height


async def test_no_word_is_too_long_for_a_phone(browser: Browser, server: Server) -> None:
    page = await opened(browser, server.address, viewport={"width": 390, "height": 844})
    long = "https://example.org/" + "unbroken" * 30
    for line in (
        long,
        f"/paper nominate p5 {long}",
        f"/paper search {long}",
        f"/{long}",
        "/paper nominations",
    ):
        await say(page, line)
        assert await page.evaluate("document.documentElement.scrollWidth") == 390

"""The page in a browser: what a person types, moves, chooses and sees, in English and in Chinese.

They need Chromium and are skipped without it; with FOFE_REQUIRE_BROWSER=1 they fail instead.
`SCREENSHOTS=en,zh pytest tests/serve/test_page.py` draws the pictures of docs/ with these two models.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from fofe.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROOT = Path(__file__).resolve().parents[2]
HANGING = 3600
"""Seconds after which the page counts as hanging; a slow machine takes far less."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ENGLISH = "Anna Berg met the mayor of Bergen. The University of Leeds hired Omar Haddad in 2014."
PEOPLE, PLACES = ("王小明", "李娜", "陈伟", "张敏"), ("北京", "上海", "大阪", "利马")


@pytest.fixture(scope="session")
def chinese_path(tiny_config: Path) -> Path:
    """A small Chinese model."""
    pytest.importorskip("torch")
    folder = tiny_config.parent / "chinese"
    folder.mkdir()
    for part in ("train", "dev"):
        with (folder / f"{part}.jsonl").open("w", encoding="utf-8") as stream:
            for number in range(40):
                person, place = PEOPLE[number % 4], PLACES[number // 4 % 4]
                text = f"{person}昨天去了{place}。"
                mentions = [[0, len(person), "PER"], [len(person) + 4, len(text) - 1, "GPE"]]
                stream.write(json.dumps({"text": text, "entities": mentions}) + "\n")
    config = tiny_config.read_text("utf-8").replace("[model]\n", '[model]\nlanguage = "zh"\n')
    (folder / "zh.toml").write_text(config, "utf-8")
    assert main(["train", str(folder / "zh.toml"), "-o", str(folder / "run")]) == 0
    return folder / "run" / "model"


@pytest.fixture(scope="module")
def retuned_path(conditioned_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model conditioned on two corpora, with a decoding of its own for one of them."""
    folder = tmp_path_factory.mktemp("page") / "conditioned"
    shutil.copytree(conditioned_path, folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["decodings"]["names"].update(threshold=0.63, strategy="longest-first", nested=False)
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


@pytest.fixture(scope="module")
def site(
    tiny_path: Path, chinese_path: Path, retuned_path: Path, running: Callable[..., Any]
) -> Iterator[str]:
    models = {"english": tiny_path, "chinese": chinese_path, "conditioned": retuned_path}
    arguments = (argument for name, path in models.items() for argument in ("--model", f"{name}={path}"))
    with running(*arguments) as (address, _):
        yield address


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    chromium = shutil.which("chromium")
    if not os.environ.get("FOFE_REQUIRE_BROWSER"):
        pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
        if chromium is None:
            pytest.skip("the page is tested in chromium, which is not installed")
    assert chromium, "chromium is not installed, and FOFE_REQUIRE_BROWSER is set"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        context = started.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=chromium,
            headless=True,
            args=FLAGS,
            viewport={"width": 1200, "height": 900},
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(1000 * HANGING)
        yield context
        context.close()


@pytest.fixture
def page(browser: BrowserContext, site: str) -> Iterator[Page]:
    """The opened page; nothing may come from elsewhere and nothing may go wrong in it."""
    opened = browser.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened.goto(site)
    settle(opened)
    yield opened
    opened.close()
    assert not wrong
    assert all(url.startswith((site, "blob:", "data:")) for url in asked)


def type_in(page: Page, text: str) -> None:
    """Put a text in the field and wait until the page shows it."""
    page.fill("#text", text)
    settle(page)
    assert page.evaluate("() => document.getElementById('found').textContent") == text


def settle(page: Page) -> None:
    """Wait until the page shows what it was asked for."""
    page.wait_for_selector("main[aria-busy='false']")


def marked(page: Page) -> list[tuple[str, str]]:
    """The text and the label of every mention that is drawn."""
    found = page.evaluate(
        "() => [...document.querySelectorAll('#found mark')].map(m => [m.textContent, m.dataset.label])"
    )
    return [(text, label.split(" ")[0]) for text, label in found]


def lattice(page: Page) -> dict[str, str]:
    """What became of each fragment in the lattice, by its words; the last of equal ones counts."""
    labels = page.eval_on_selector_all("#lattice .cell", "all => all.map(c => c.getAttribute('aria-label'))")
    return {label.rsplit(": ", 1)[0]: label.rsplit(", ", 1)[1] for label in labels}


def move_threshold(page: Page, value: float) -> None:
    page.evaluate(
        "value => { const range = document.getElementById('threshold'); range.value = value;"
        " range.dispatchEvent(new Event('input', {bubbles: true})); }",
        value,
    )
    settle(page)


def test_mentions_and_lattice_of_a_pasted_text(page: Page) -> None:
    type_in(page, ENGLISH)
    assert marked(page)[:3] == [("Anna Berg", "PER"), ("mayor", "PER"), ("Bergen", "GPE")]
    assert page.text_content("#status") == f"{len(marked(page))} mentions found."
    fragments = lattice(page)
    assert fragments["Anna Berg"] == "mention"
    assert fragments["met the"] == "more likely none"
    assert page.locator("#rows tr").count() == len(marked(page))
    page.click("#next")
    settle(page)
    assert page.text_content("#which") == "(sentence 2 of 2)"
    assert lattice(page)["University of Leeds"] == "mention"


def test_nested_mentions_are_stacked(page: Page) -> None:
    type_in(page, ENGLISH)
    outer = page.locator("#found mark", has_text="University of Leeds").first
    inner = outer.locator("mark")
    assert inner.text_content() == "Leeds"
    below, above = outer.bounding_box(), inner.bounding_box()
    assert below is not None
    assert above is not None
    assert below["y"] + below["height"] > above["y"] + above["height"] + 3
    page.uncheck("#nested")
    page.select_option("#strategy", "longest-first")
    settle(page)
    assert page.locator("#found mark mark").count() == 0


def test_threshold_and_strategy_change_what_is_drawn(page: Page) -> None:
    type_in(page, ENGLISH)
    before = marked(page)
    move_threshold(page, 1)
    assert marked(page) == []
    assert page.text_content("#threshold-value") == "1.00"
    assert "below the threshold" in lattice(page).values()
    move_threshold(page, 0.5)
    assert marked(page) == before
    page.uncheck("#nested")
    page.select_option("#strategy", "longest-first")
    page.click("#next")
    settle(page)
    assert ("University of Leeds", "ORG") in marked(page)
    assert ("Leeds", "GPE") not in marked(page)
    assert lattice(page)["Leeds"] == "lost to another"
    page.hover("#lattice .cell.lost[aria-label^='Leeds:']")
    assert "It lost to “University of Leeds”." in (page.text_content("#detail") or "")
    page.check("#nested")
    settle(page)
    assert lattice(page)["Leeds"] == "mention"


def decoding(page: Page) -> tuple[str, str, bool]:
    return page.input_value("#threshold"), page.input_value("#strategy"), page.is_checked("#nested")


def test_a_scheme_can_be_chosen_where_the_model_has_some(page: Page) -> None:
    type_in(page, ENGLISH)
    assert not page.get_by_label("Scheme").is_visible()
    page.select_option("#model", "conditioned")
    settle(page)
    scheme = page.get_by_label("Scheme")
    assert scheme.locator("option").all_text_contents() == [
        "no corpus in particular",
        "everything",
        "names",
    ]
    tuned = decoding(page)
    scheme.select_option("everything")
    settle(page)
    assert ("mayor", "PER") in marked(page)
    scheme.select_option("names")
    settle(page)
    assert ("mayor", "PER") not in marked(page)
    assert ("Anna Berg", "PER") in marked(page)
    assert lattice(page)["mayor"] != "mention"
    assert decoding(page) == ("0.63", "longest-first", False)
    scheme.select_option("no corpus in particular")
    settle(page)
    assert decoding(page) == tuned
    scheme.select_option("names")
    page.select_option("#model", "english")
    settle(page)
    assert not scheme.is_visible()
    assert ("mayor", "PER") in marked(page)


def test_pointing_at_a_fragment_lights_its_words(page: Page) -> None:
    type_in(page, ENGLISH)
    page.hover("#lattice [aria-label^='Anna Berg:']")
    lit = page.eval_on_selector_all("#found .lit", "all => all.map(t => t.textContent)")
    assert lit == ["Anna", "Berg"]
    assert "Anna Berg It is a mention." in (page.text_content("#detail") or "")
    page.hover("#found mark >> text=mayor")
    assert page.get_attribute("#lattice .cell.lit", "aria-label").startswith("mayor:")  # type: ignore[union-attr]


def test_keys_move_in_the_lattice(page: Page) -> None:
    type_in(page, "Anna Berg met the mayor of Bergen.")
    settle(page)
    page.focus("#lattice [tabindex='0']")
    focused = "() => document.activeElement.getAttribute('aria-label').split(':')[0]"
    steps = [("", "Anna Berg"), ("ArrowUp", "Anna Berg met"), ("ArrowRight", "Berg met the")]
    for key, words in [*steps, ("ArrowDown", "Berg met"), ("ArrowLeft", "Anna Berg"), ("ArrowDown", "Anna")]:
        if key:
            page.keyboard.press(key)
        assert page.evaluate(focused) == words
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == "Anna"


def test_chinese_and_emoji_are_marked_and_selected_by_character(page: Page) -> None:
    page.select_option("#language", "zh")
    assert page.input_value("#model") == "chinese"
    text = "🙂👍🏽王小明昨天去了北京。"
    type_in(page, text)
    assert ("北京", "GPE") in marked(page)
    start = text.index("北京")
    page.evaluate(
        """([from, to]) => {
            const walker = document.createTreeWalker(document.getElementById("found"), NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            let position = 0;
            while (walker.nextNode()) {
                const node = walker.currentNode, end = position + node.length;
                if (position <= from && from < end) range.setStart(node, from - position);
                if (position < to && to <= end) range.setEnd(node, to - position);
                position = end;
            }
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }""",
        [utf16(text[:start]), utf16(text[: start + 2])],
    )
    assert page.evaluate("() => getSelection().toString()") == "北京"
    lit = page.locator("#lattice .cell.lit")
    lit.wait_for()
    assert (lit.get_attribute("aria-label") or "").startswith("北京: GPE")
    assert (
        page.eval_on_selector_all("#found .token.lit", "all => all.map(t => t.textContent).join('')")
        == "北京"
    )


def test_the_model_follows_the_language_of_the_text(page: Page) -> None:
    page.select_option("#language", "auto")
    type_in(page, "王小明昨天去了北京。李娜昨天去了上海。")
    assert page.input_value("#model") == "chinese"
    assert ("北京", "GPE") in marked(page)
    type_in(page, ENGLISH)
    assert page.input_value("#model") == "english"
    assert ("Bergen", "GPE") in marked(page)


def test_a_text_without_mentions_says_so_and_stays_on_reload(page: Page) -> None:
    type_in(page, "It rained.")
    move_threshold(page, 1)
    assert page.text_content("#count") == "(no mentions)"
    assert page.text_content("#status") == "no mentions found."
    page.reload()
    settle(page)
    assert page.input_value("#text") == "It rained."


def test_a_single_model_is_not_chosen(
    tiny_path: Path, running: Callable[..., Any], browser: BrowserContext
) -> None:
    with running("--model", str(tiny_path)) as (address, _):
        page = browser.new_page()
        page.goto(address)
        settle(page)
        assert not page.is_visible("#language")
        assert not page.is_visible("#model")
        page.close()


def test_the_api_is_described(page: Page, site: str) -> None:
    page.goto(f"{site}docs")
    settle(page)
    tag = page.locator("section", has=page.get_by_role("heading", name="POST /v1/tag", exact=True))
    assert "Find mentions in a text or in several." in (tag.text_content() or "")
    assert "threshold" in tag.locator("code").all_text_contents()
    assert page.get_by_role("heading", name="TagAnswer", exact=True).is_visible()


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("name", "start"),
    [("JSON", '{"text": "Omar'), ("BRAT", "T1\tPER 0 11\tOmar"), ("HTML", "<!DOCTYPE html>")],
)
def test_copying(page: Page, name: str, start: str) -> None:
    type_in(page, "Omar Haddad left.")
    page.click(f"button:text-is('{name}')")
    page.wait_for_function(
        "name => document.getElementById('status').textContent === `Copied as ${name}.`", arg=name
    )
    assert page.evaluate("() => navigator.clipboard.readText()").startswith(start)


def test_a_dropped_file_is_read(page: Page) -> None:
    page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["Omar Haddad left."], "a.txt"));
            const drop = new DragEvent("drop", {dataTransfer, bubbles: true});
            document.getElementById("text").dispatchEvent(drop);
        }"""
    )
    page.wait_for_function("() => document.getElementById('found').textContent === 'Omar Haddad left.'")
    assert marked(page) == [("Omar Haddad", "PER")]


def test_every_control_has_a_name_and_a_phone_is_wide_enough(page: Page) -> None:
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea")].filter(control =>
            !control.labels?.length && !control.getAttribute("aria-label") && !control.textContent.trim()
        ).map(control => control.outerHTML)"""
    )
    assert nameless == []
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1200, "height": 900})


def test_dark_and_light(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("#theme")
    assert page.get_attribute("#theme", "aria-label") == "Colours: light"
    assert page.evaluate(colour) != dark
    page.click("#theme")
    assert page.evaluate(colour) == dark
    page.click("#theme")


def test_a_token_is_asked_for(tiny_path: Path, running: Callable[..., Any], browser: BrowserContext) -> None:
    with running("--model", str(tiny_path), FOFE_TOKEN="sesame") as (address, _):
        page = browser.new_page()
        page.goto(address)
        page.fill("#token", "sesame")
        page.click("#locked button")
        page.wait_for_selector("#lattice .cell")
        assert not page.is_visible("#locked")
        page.close()


def test_pictures_show_mentions_in_light_and_dark(
    browser: BrowserContext, running: Callable[..., Any], tiny_path: Path, chinese_path: Path, tmp_path: Path
) -> None:
    models = (f"en={tiny_path}", f"zh={chinese_path}")
    folder = tmp_path
    if "SCREENSHOTS" in os.environ:
        first, second = os.environ["SCREENSHOTS"].split(",")
        models = (first, second)
        folder = ROOT / "docs" / "images"
    light, dark = folder / "page-light.png", folder / "page-dark.png"
    with running(*(argument for model in models for argument in ("--model", model))) as (address, _):
        page = browser.new_page()
        page.goto(address)
        settle(page)
        page.hover("#lattice .cell.mention >> nth=-1")
        page.screenshot(path=light, full_page=True)
        english = label_colours(page)
        page.emulate_media(color_scheme="dark")
        page.select_option("#language", "zh")
        type_in(page, "王小明昨天去了北京。李娜昨天去了上海。🙂")
        page.screenshot(path=dark, full_page=True)
        chinese = label_colours(page)
        page.close()
    assert len(english) > 1
    assert len(chinese) > 1
    in_light, in_dark = pixels(browser, light, english), pixels(browser, dark, chinese)
    for found in (in_light, in_dark):
        assert found["width"] == 1200
        assert found["height"] >= 900
        for colour, number in found["colours"].items():
            assert number > 100, f"no label in {colour}"
    assert in_light["brightness"] > 0.8
    assert in_dark["brightness"] < 0.3


def test_pages_of_an_allowed_origin_may_ask_and_others_may_not(
    browser: BrowserContext, tiny_path: Path, tmp_path: Path, running: Callable[..., Any]
) -> None:
    (tmp_path / "index.html").write_text("<title>another site</title>", "utf-8")
    ask = """async (address) => {
        const request = {method: "POST", headers: {"Content-Type": "application/json"},
                         body: JSON.stringify({text: "Anna Berg left."})};
        try {
            const answer = await (await fetch(address + "v1/tag", request)).json();
            return answer.documents[0].mentions[0].text;
        } catch (error) { return "refused"; }
    }"""
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{other.server_port}"
        model, page = ("--model", str(tiny_path)), browser.new_page()
        page.goto(origin)
        with running(*model, "--allow-origin", origin) as (open_to_it, _), running(*model) as (closed, _):
            assert page.evaluate(ask, open_to_it) == "Anna Berg"
            assert page.evaluate(ask, closed) == "refused"
        page.close()
        other.shutdown()


def label_colours(page: Page) -> set[str]:
    """The background colours of the labels under the mentions, as `rgb(1, 2, 3)`."""
    return set(
        page.eval_on_selector_all(
            "#found mark[data-label]",
            "all => all.map(mark => getComputedStyle(mark, '::after').backgroundColor)",
        )
    )


def pixels(browser: BrowserContext, picture: Path, colours: set[str]) -> dict[str, Any]:
    """The size of a picture, its mean brightness from 0 to 1, and the number of pixels of some colours."""
    page = browser.new_page()
    found: dict[str, Any] = page.evaluate(
        """async ([source, wanted]) => {
            const image = new Image();
            image.src = source;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const data = context.getImageData(0, 0, image.width, image.height).data;
            const numbers = new Map(wanted.map(colour => [colour.match(/\\d+/g).join(), 0]));
            let sum = 0;
            for (let at = 0; at < data.length; at += 4) {
                sum += data[at] + data[at + 1] + data[at + 2];
                const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
                if (numbers.has(colour)) numbers.set(colour, numbers.get(colour) + 1);
            }
            const {width, height} = image, brightness = sum / (3 * width * height) / 255;
            return {width, height, colours: Object.fromEntries(numbers), brightness};
        }""",
        [f"data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}", sorted(colours)],
    )
    page.close()
    return found

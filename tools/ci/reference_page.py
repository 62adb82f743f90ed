"""Checks the API reference page at 1,280 pixels: what comes first, that nothing is cut off, and that links lead somewhere."""

import json
import re
import urllib.request
from collections.abc import Callable

from playwright.sync_api import Locator, Page

SEND = "messages/POST/v1/chat/messages"
# Code, tables and lists of paths that are wider than their box. Their ends could only be seen by scrolling.
CUT = """() => {
    const inside = 'pre, pre *, table, table *, .scalar-code-block *, [role=tablist], .endpoints, .markdown-summary';
    const isCut = (element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
    const isShown = (element) => !element.closest('.sr-only, .screenreader-only, button');
    return [...document.querySelectorAll('#reference :is(' + inside + ')')]
        .filter((element) => isCut(element) && isShown(element) && getComputedStyle(element).display !== 'inline')
        .map((element) => element.innerText.slice(0, 60));
}"""


def read_document(base_url: str) -> dict:
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=30) as answer:
        return json.load(answer)


def operations_of(document: dict) -> dict[str, dict]:
    """Returns the operations by the address that the page gives them: tag, method and path."""
    methods = ("get", "post", "put", "patch", "delete")
    slug = lambda tag: tag.lower().replace(" ", "-")  # noqa: E731
    return {
        f"{slug(operation['tags'][0])}/{method.upper()}{path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in methods
    }


def open_at(page: Page, base_url: str, place: str) -> Locator:
    """Opens the page at a tag or an operation, and returns its section."""
    page.goto("about:blank")
    page.goto(f"{base_url}/api_reference#tag/{place}")
    section = page.locator(f'[id$="tag/{place}"]').first
    section.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    return section


def check_links(page: Page, base_url: str, document: dict, operations: dict[str, dict], expect: Callable) -> None:
    """Checks that the introduction and the page of error codes link to tags and operations that exist."""
    page.goto(f"{base_url}/api_reference/error-codes")
    hrefs = page.eval_on_selector_all("main a", "links => links.map((link) => link.getAttribute('href'))")
    shown = {name for name, operation in operations.items() if not operation.get("x-internal")}
    places = {href.split("#tag/")[1] for href in hrefs if "#tag/" in href}
    expect(SEND in places and places <= shown, f"the page of error codes links to {places - shown}")
    tags = {name.split("/")[0] for name in shown}
    places = set(re.findall(r"\(#tag/([^)]+)\)", document["info"]["description"]))
    expect(places and places <= shown | tags, f"the introduction links to {places - shown - tags}")


def check_layout(page: Page, base_url: str, expect: Callable) -> None:
    document = read_document(base_url)
    operations = operations_of(document)
    check_links(page, base_url, document, operations, expect)

    page.goto("about:blank")
    page.goto(f"{base_url}/api_reference")
    page.get_by_role("heading", name="Quick start").wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    expect(page.evaluate(CUT) == [], f"the introduction cuts off {page.evaluate(CUT)}")
    listed = page.eval_on_selector_all("aside a", "links => links.map((link) => link.getAttribute('href'))")
    listed = [href.split("#tag/")[1] for href in listed if re.search(r"#tag/[^/]+/[A-Z]", href)]
    expect(listed[:1] == [SEND], f"the first operations are {listed[:3]}")

    section = open_at(page, base_url, SEND)
    expect(page.evaluate(CUT) == [], f"the operation cuts off {page.evaluate(CUT)}")
    headings = [text.split("\n")[0].strip() for text in section.get_by_role("heading", level=4).all_inner_texts()]
    places = [next((n for n, text in enumerate(headings) if text.startswith(name)), -1) for name in ("Body", "Responses")]
    expect(0 <= places[0] < places[1], f"the order of the operation's parts is {headings}")
    code = section.get_by_text("conversation_window_expired", exact=True)
    expect(not any(found.is_visible() for found in code.all()), "the operation lists all error codes")

    for tag in ("numbers", "reference"):
        section = open_at(page, base_url, tag)
        expect(page.evaluate(CUT) == [], f"{tag} cuts off {page.evaluate(CUT)}")
        hrefs = section.locator("a.endpoint").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
        places = {href.split("#tag/")[1] for href in hrefs}
        public = {name for name, operation in operations.items() if name.startswith(f"{tag}/") and not operation.get("x-internal")}
        expect(places == public, f"{tag} shows {sorted(places)}")

"""Tests the pages in headless Chromium. Runs in the virtual environment of the browser tools.

Usage: python -m tools.ci.pages BASE_URL   (screenshots go to target/pages)
"""

import json
import sys
import urllib.request

from playwright.sync_api import Browser, Page, sync_playwright

from tools.ci.browser import find_browser
from tools.stack.project import ROOT

SCREENSHOTS = ROOT / "target" / "pages"
# Switch off the browser's own network requests, which fail noisily without internet.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS = {"desk-light": ((1280, 900), "light"), "phone-dark": ((390, 844), "dark"), "phone-light": ((390, 844), "light")}


BACKGROUND = """(() => {
    for (const element of [document.body, document.documentElement]) {
        const colour = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number);
        if (colour.length < 4 || colour[3] > 0) return colour[0];
    }
    return -1;
})()"""
FOCUS = """(() => {
    const element = document.activeElement;
    return element.tagName + (element.getAttribute('href') ?? element.innerText ?? '');
})()"""


class Faults(list):
    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.append(what)


def watch(page: Page, base_url: str, faults: Faults) -> None:
    """Records console errors, failed requests, and requests to other hosts."""
    origin = "/".join(base_url.split("/")[:3])
    page.on(
        "console", lambda message: faults.expect(message.type not in ("error", "warning"), f"console: {message.text}")
    )
    page.on("pageerror", lambda error: faults.append(f"page: {error}"))
    page.on(
        "request",
        lambda request: faults.expect(request.url.startswith((origin, "data:", "blob:")), f"requests {request.url}"),
    )
    page.on("response", lambda response: faults.expect(response.status < 400, f"{response.status} for {response.url}"))


def fits(page: Page) -> bool:
    """Whether the page fits the screen without horizontal scrolling."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def background(page: Page) -> int:
    """Returns the brightness of the background, 0 to 255."""
    return page.evaluate(BACKGROUND)


def tab_stops(page: Page, presses: int) -> set[str]:
    """Returns the elements that the Tab key focuses."""
    stops = set()
    for _ in range(presses):
        page.keyboard.press("Tab")
        stops.add(page.evaluate(FOCUS))
    return stops


def check_errors(page: Page, base_url: str, view: str, scheme: str, faults: Faults) -> None:
    with urllib.request.urlopen(f"{base_url}/v1/errors", timeout=30) as answer:
        codes = [entry["code"] for entry in json.load(answer)["data"]]
    faults.expect(len(codes) == 44, f"{len(codes)} codes")
    for code in codes:
        # A new page for each code, because a fragment link on the same page only scrolls.
        page.goto("about:blank")
        page.goto(f"{base_url}/api_reference/error-codes#{code}")
        top = page.evaluate("document.querySelector(':target')?.getBoundingClientRect().top ?? -1")
        shown = page.evaluate("document.querySelector(':target h2')?.innerText ?? ''")
        faults.expect(
            0 <= top < page.viewport_size["height"] and shown == code, f"{view}: #{code} leads to {shown!r} at {top}"
        )
    faults.expect(fits(page), f"{view}: the error page is wider than the screen")
    faults.expect((background(page) < 128) == (scheme == "dark"), f"{view}: the error page is not {scheme}")
    page.goto(f"{base_url}/api_reference/error-codes")
    faults.expect(len(tab_stops(page, 10)) == 10, f"{view}: the Tab key is stuck on the error page")
    page.screenshot(path=SCREENSHOTS / f"errors-{view}.png")


def check_reference(page: Page, base_url: str, view: str, scheme: str, faults: Faults) -> None:
    page.goto(f"{base_url}/api_reference")
    page.get_by_role("heading", name="Messaging API", exact=True).wait_for(timeout=60_000)
    page.get_by_role("heading", name="First upload").wait_for(timeout=30_000)
    page.wait_for_timeout(1500)
    faults.expect(fits(page), f"{view}: the reference is wider than the screen")
    faults.expect((background(page) < 128) == (scheme == "dark"), f"{view}: the reference is not {scheme}")
    faults.expect(base_url in page.inner_text("body"), f"{view}: the reference does not show the API's URL")
    page.screenshot(path=SCREENSHOTS / f"reference-{view}.png")
    page.goto(f"{base_url}/api_reference#tag/media/POST/v1/media")
    page.get_by_role("heading", name="Upload media").first.wait_for(timeout=30_000)
    page.wait_for_timeout(1000)
    page.screenshot(path=SCREENSHOTS / f"operation-{view}.png")
    faults.expect(len(tab_stops(page, 8)) >= 6, f"{view}: the Tab key is stuck in the reference")
    if view.startswith("desk"):
        page.keyboard.press("Control+k")
        page.keyboard.type("Rotate the signing")
        page.get_by_role("option", name="Rotate the signing secret").first.wait_for(timeout=10_000)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Rotate the signing secret").first.wait_for(timeout=10_000)


def check(browser: Browser, base_url: str) -> Faults:
    faults = Faults()
    for view, ((width, height), scheme) in VIEWS.items():
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        watch(page, base_url, faults)
        check_errors(page, base_url, view, scheme, faults)
        check_reference(page, base_url, view, scheme, faults)
        context.close()
    return faults


def main() -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        faults = check(browser, sys.argv[1].rstrip("/"))
        browser.close()
    if faults:
        sys.exit("\n".join(dict.fromkeys(faults)))


if __name__ == "__main__":
    main()

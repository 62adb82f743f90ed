"""Tests the pages in headless Chromium. Runs in the virtual environment of the browser tools.

Usage: ADMIN_KEY=... python -m tools.ci.pages BASE_URL DOCS_PORT   (screenshots go to target/pages)

A stand-in for a CDN publishes the pages, but not the API, on DOCS_PORT. The stack's `DocsUrl` must name that port.
"""

import json
import os
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Browser, Page, sync_playwright

from tools.ci.browser import find_browser
from tools.ci.onboarding_page import check_onboarding
from tools.ci.sign_in_page import check_sign_in
from tools.ci.reference_page import check_layout
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


# The paths that the CDN publishes (docs/public-pages.md).
PUBLISHED = ("/api_reference", "/v1/openapi.json", "/v1/errors")


class Faults(list):
    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.append(what)


def origin_of(url: str) -> str:
    return "/".join(url.split("/")[:3])


def watch(page: Page, base_url: str, faults: Faults) -> None:
    """Records console errors, failed requests, and requests to other hosts."""
    origin = origin_of(base_url)
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
        shown = page.evaluate("document.querySelector(':target h3')?.innerText ?? ''")
        faults.expect(
            0 <= top < page.viewport_size["height"] and shown == code, f"{view}: #{code} leads to {shown!r} at {top}"
        )
    faults.expect(fits(page), f"{view}: the error page is wider than the screen")
    faults.expect((background(page) < 128) == (scheme == "dark"), f"{view}: the error page is not {scheme}")
    page.goto(f"{base_url}/api_reference/error-codes")
    faults.expect(len(tab_stops(page, 10)) == 10, f"{view}: the Tab key is stuck on the error page")
    page.screenshot(path=SCREENSHOTS / f"errors-{view}.png")


def check_events(page: Page, base_url: str, view: str, faults: Faults) -> None:
    """Checks the chapter on receiving events, and that the sidebar lists the events by their names."""
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=30) as answer:
        document = json.load(answer)
    names = document["components"]["schemas"]["Event"]["discriminator"]["mapping"]
    page.goto("about:blank")
    page.goto(f"{base_url}/api_reference#description/receive-events")
    page.get_by_role("heading", name="Receive events").first.wait_for(timeout=30_000)
    page.wait_for_timeout(1000)
    top = page.get_by_role("heading", name="Receive events").first.bounding_box()["y"]
    faults.expect(0 <= top < page.viewport_size["height"], f"{view}: the link to the chapter on events leads to {top}")
    page.goto("about:blank")
    page.goto(f"{base_url}/api_reference#tag/events")
    page.get_by_role("link", name=next(iter(names))).first.wait_for(timeout=30_000)
    sidebar = "\n".join(page.locator("aside, nav").all_inner_texts()).split("\n")
    missing = [name for name in [*names, "Any event"] if name not in sidebar]
    faults.expect(len(names) == 18 and not missing, f"{view}: the sidebar lacks the events {missing}")
    page.screenshot(path=SCREENSHOTS / f"events-{view}.png")


def check_reference(page: Page, base_url: str, view: str, scheme: str, faults: Faults) -> None:
    page.goto(f"{base_url}/api_reference")
    page.get_by_role("heading", name="Messaging API", exact=True).wait_for(timeout=60_000)
    page.get_by_role("heading", name="Quick start").wait_for(timeout=30_000)
    page.wait_for_timeout(1500)
    faults.expect(fits(page), f"{view}: the reference is wider than the screen")
    faults.expect((background(page) < 128) == (scheme == "dark"), f"{view}: the reference is not {scheme}")
    faults.expect(base_url in page.inner_text("body"), f"{view}: the reference does not show the API's URL")
    page.screenshot(path=SCREENSHOTS / f"reference-{view}.png")
    page.goto(f"{base_url}/api_reference#tag/messages/POST/v1/chat/messages")
    page.get_by_role("heading", name="Send a WhatsApp message").first.wait_for(timeout=30_000)
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
        check_events(page, base_url, view, faults)
        check_layout(page, base_url, faults.expect)


@contextmanager
def cdn(port: int, base_url: str):
    """Publishes the pages, and nothing else of the API, at an origin of their own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith(PUBLISHED):
                self.send_error(404)
                return
            accepted = {"Accept-Encoding": self.headers.get("Accept-Encoding", "identity")}
            try:
                answer = urllib.request.urlopen(urllib.request.Request(base_url + self.path, headers=accepted), timeout=30)
            except urllib.error.HTTPError as refused:
                answer = refused
            with answer:
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{port}"
    finally:
        server.shutdown()
        server.server_close()


def check_test_request(browser: Browser, page_url: str, base_url: str, faults: Faults) -> None:
    """Sends a request with a credential from the API reference at `page_url`, as a reader does with *Test Request*."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    allowed = (origin_of(page_url), base_url, "data:", "blob:")
    page.on("console", lambda message: faults.expect(message.type != "error", f"console: {message.text}"))
    page.on("request", lambda sent: faults.expect(sent.url.startswith(allowed), f"requests {sent.url}"))
    path = "/v1/organization/settings"
    page.goto(f"{page_url}/api_reference#tag/organization/GET{path}")
    button = page.get_by_role("button", name="Test Request").and_(page.locator(f":has-text('{path}')"))
    button.first.click(timeout=60_000)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Authentication").first.click()
    dialog.get_by_placeholder("Token").fill(os.environ["ADMIN_KEY"])
    is_sent = lambda answer: answer.url.endswith(path) and answer.request.method == "GET"  # noqa: E731
    with page.expect_response(is_sent, timeout=30_000) as sent:
        dialog.get_by_role("button", name="Send").first.click()
    answer = sent.value
    faults.expect(answer.url == base_url + path, f"{page_url}: the request goes to {answer.url}")
    faults.expect(answer.status == 200, f"{page_url}: {answer.status} for a test request")
    faults.expect(answer.json()["id"].startswith("org_"), f"{page_url}: not the settings")
    dialog.get_by_text("200 OK").first.wait_for(timeout=10_000)
    page.screenshot(path=SCREENSHOTS / f"test-request-{page_url.split(':')[2].split('/')[0]}.png")
    context.close()


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
        base_url = sys.argv[1].rstrip("/")
        faults = check(browser, base_url)
        check_onboarding(browser, base_url, faults.expect)
        check_sign_in(browser, base_url, faults.expect)
        with cdn(int(sys.argv[2]), base_url) as docs_url:
            # Other names of the API's host are other origins, too.
            for page_url in (base_url, base_url.replace("//localhost:", "//127.0.0.1:"), docs_url):
                api = base_url if page_url == docs_url else page_url
                check_test_request(browser, page_url, api, faults)
        browser.close()
    if faults:
        sys.exit("\n".join(dict.fromkeys(faults)))


if __name__ == "__main__":
    main()

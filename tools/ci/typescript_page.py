"""Uses the TypeScript library in headless Chromium. Runs in the virtual environment of the browser tools.

Usage: TEST_APP_KEY=... TEST_CHAT_NUMBER_ID=... python -m tools.ci.typescript_page BASE_URL

The modules of target/typescript are loaded as they are, into a response of the API: its origin may call the API and upload.
"""

import json
import os
import sys

from playwright.sync_api import Page, Route, sync_playwright

from tools.ci.browser import find_browser
from tools.ci.pages import FLAGS
from tools.stack.project import ROOT

DIST = ROOT / "target" / "typescript" / "dist"
FOLDER = "/typescript/"
LARGE = 6 * 1024 * 1024
BYTES_PER_SECOND = 12 * 1024 * 1024

PROGRAM = """async ({ module, apiKey, baseUrl, from, large }) => {
    const { Messaging, InvalidRequestError, WebhookVerificationError, webhooks } = await import(module);
    const client = new Messaging({ apiKey, baseUrl });
    const message = await client.chat.messages.send({ from, to: "+12025550123", type: "text", text: { body: "Hello!" } });
    const { requestId } = await client.chat.messages.get(message.id).withResponse();
    let found = false;
    for await (const each of client.chat.messages.list({ chatPhoneNumberId: from })) if ((found = each.id === message.id)) break;
    const refused = await client.sms.send({ from: "ph_1", to: "1", text: "" }).catch((error) => error);
    const upload = async (source, options) => {
        const progress = [];
        const media = await client.media.upload(source, { ...options, onProgress: ({ loaded }) => progress.push(loaded) });
        return { size: media.fileSize, progress };
    };
    const text = new Blob(["x".repeat(large)], { type: "text/plain" });
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Math.floor(Date.now() / 1000)), "webhook-signature": "v1,AAAA" };
    const forged = await webhooks.verify("{}", headers, "whsec_AAAA").catch((error) => error);
    return {
        outcome: message.outcome, requestId, found, refused: refused instanceof InvalidRequestError && refused.status,
        forged: forged instanceof WebhookVerificationError,
        small: await upload(new File(["bytes"], "a.txt", { type: "text/plain" })),
        large: await upload(text, { fileName: "a.txt" }),
        stream: await upload(text.stream(), { fileName: "a.txt", mimeType: "text/plain", size: large }),
    };
}"""


def serve(route: Route) -> None:
    """Answers with a module."""
    route.fulfill(content_type="text/javascript", path=DIST / route.request.url.split(FOLDER, 1)[1])


def throttle(page: Page) -> None:
    """Makes uploads slow enough that a browser reports progress on the way."""
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": BYTES_PER_SECOND}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", limits)


def faults_of(result: dict) -> list[str]:
    wanted = {"outcome": "ACCEPTED", "found": True, "refused": 400, "forged": True}
    faults = [f"{name} is {result[name]}, not {value}" for name, value in wanted.items() if result[name] != value]
    if not result["requestId"]:
        faults.append("the request id cannot be read")
    for name, size in (("small", 5), ("large", LARGE), ("stream", LARGE)):
        upload = result[name]
        progress = upload["progress"]
        if upload["size"] != size or not progress or progress != sorted(progress) or progress[-1] != size:
            faults.append(f"{name}: {upload}")
    if len(result["large"]["progress"]) < 2:
        faults.append(f"the progress of a large upload was reported once: {result['large']}")
    return faults


def main() -> None:
    base_url = sys.argv[1].rstrip("/")
    origin = "/".join(base_url.split("/")[:3])
    values = {
        "module": f"{FOLDER}index.js", "apiKey": os.environ["TEST_APP_KEY"], "baseUrl": base_url,
        "from": os.environ["TEST_CHAT_NUMBER_ID"], "large": LARGE,
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = browser.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(f"page: {error}"))
        page.on("console", lambda message: complaints.append(message.text) if "unsafe header" in message.text else None)
        page.route(f"{origin}{FOLDER}**", serve)
        # Browsers let no page upload to this machine that does not come from it, as one of Playwright's own would not.
        page.goto(f"{base_url}/v1/health")
        throttle(page)
        result = page.evaluate(PROGRAM, values)
        browser.close()
    if faults := complaints + faults_of(result):
        sys.exit("\n".join(faults))
    print(json.dumps(result)[:500])


if __name__ == "__main__":
    main()

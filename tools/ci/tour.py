"""Runs the commands of the quick starts (README.md and the reference), of the tour (docs/tour.md), of the recipes
(docs/testing.md) and of the guide to the libraries (docs/libraries.md), unchanged, against a running stack."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request

from tools.ci.check_docs import shell_lines
from tools.stack.project import ROOT, target_directory

# `messaging` as it was just built, before an installed one.
PATH = f"{target_directory() / 'debug'}:{os.environ['PATH']}"

# Loops of the commands wait for what must come.
PATIENCE = 600


def run(script: str, folder: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env={**os.environ, "PATH": PATH},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )


def quick_start(base_url: str, key: str) -> None:
    """Runs the commands of the reference's introduction as a new user would, with the base URL, a key and the reference."""
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=30) as answer:
        guide = json.load(answer)["info"]["description"]
    script = shell_lines(guide).replace("sk_test_app_...", key)
    with tempfile.TemporaryDirectory() as folder:
        done = run(script, folder)
    missing = [text for text in QUICK_START if text not in done.stdout]
    is_complete = done.stdout.endswith("Hello") and f"BASE_URL={base_url}\n" in script
    if done.returncode != 0 or missing or not is_complete:
        sys.exit(f"The quick start exited with code {done.returncode}; missing output: {missing}\n{script}\n{done.stdout}\n{done.stderr}")


# Output that the quick start must have: numbers, a message that was taken and read, a page of events, and an SMS message.
QUICK_START = ['"kind":"chat"', '"outcome":"ACCEPTED"', '"status":"READ"', '"nextAfter":', '"id":"msg_sms_test_']
# Output that the commands of a page must have.
EXPECTED = {
    "README.md": ['"outcome":"ACCEPTED"', '"textBody":"Hello!"'],
    "docs/tour.md": [
        "the same picture",
        '"secret":"whsec_',
        '"INBOUND"',
        "invalid_phone_number",
        "Invalid credentials",
        '"added": 4',
        '"removed": 1',
        "Three pairs, please",
        "1158201444",
        "Your parcel is on its way.",
        "RECEIVED",
        "messages.chat.received Did you hear me?",
        "messages.chat.sent Loud and clear.",
        "messages.chat.read Loud and clear.",
        "DELIVERED",
    ],
    "docs/testing.md": [
        "messages.chat.received order",
        "messages.chat.received reaction",
        "messages.chat.received system",
        "contacts.chat.updated +12015550199",
        '"applied":1',
        "44 codes",
        "131026",
        "conversation_window_expired",
        "UNKNOWN",
        "resolved: ACCEPTED",
    ],
    "docs/libraries.md": [
        '"textBody":"Hello!"',
        '"code":131026',
        "Order 7 is on its way.",
        '"nextCursor":',
        '"outcome":"UNKNOWN"',
        '"outcome":"ACCEPTED"',
        '"nextAfter":',
    ],
}


def run_page(page: str, environment: str) -> None:
    done = run(shell_lines((ROOT / page).read_text()).replace(". .local/env", f". {environment}"), ROOT)
    missing = [text for text in EXPECTED[page] if text not in done.stdout]
    if done.returncode != 0 or missing:
        sys.exit(f"{page} exited with code {done.returncode}; missing output: {missing}\n{done.stdout}\n{done.stderr}")


def main() -> None:
    environment, base_url, key = sys.argv[1:]
    quick_start(base_url, key)
    for page in EXPECTED:
        run_page(page, environment)


if __name__ == "__main__":
    main()

"""Runs the commands of the tour (docs/tour.md) and of the reference's first upload, unchanged, against a running stack.
"""

import json
import subprocess
import sys
import tempfile
import urllib.request

from tools.ci.check_docs import shell_lines, tour
from tools.stack.project import ROOT


def run(script: str, folder: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )


def first_upload(base_url: str, key: str) -> None:
    """Runs the first upload as a new user would, with the base URL, a key and the reference."""
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=30) as answer:
        guide = json.load(answer)["info"]["description"]
    script = shell_lines(guide).replace("sk_test_app_...", key)
    with tempfile.TemporaryDirectory() as folder:
        done = run(script, folder)
    if done.returncode != 0 or not done.stdout.endswith("Hello") or f"BASE_URL={base_url}\n" not in script:
        sys.exit(f"The reference's first upload exited with code {done.returncode}:\n{script}\n{done.stdout}\n{done.stderr}")


def main() -> None:
    environment, base_url, key = sys.argv[1:]
    first_upload(base_url, key)
    done = run(tour().replace(". .local/env", f". {environment}"), ROOT)
    expected = [
        "the same picture",
        '"secret": "whsec_',
        '"INBOUND"',
        "invalid_phone_number",
        "Invalid credentials",
        '"added": 4',
        '"removed": 1',
        "Three pairs, please",
        "1158201444",
        "messages.chat.received Did you hear me?",
        '"DELIVERED"',
    ]
    missing = [text for text in expected if text not in done.stdout]
    if done.returncode != 0 or missing:
        sys.exit(f"The tour exited with code {done.returncode}; missing output: {missing}\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()

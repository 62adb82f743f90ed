"""Makes the pictures in the docs from a running stack: `make pictures`, after `make run` in another terminal.

Runs itself again in the virtual environment of the browser tools.
"""

import json
import os
import subprocess
import sys
from urllib.parse import quote

from tools.stack.environment import read_environment
from tools.stack.project import ENV, ROOT, TOOLS

FOLDER = ROOT / "docs" / "pictures"
USER = "+12025550123"
TALK = [
    ("user", "Hi, where is my order 17?"),
    ("app", "Good morning Ann. It left our store yesterday and arrives today before noon."),
    ("user", "Great. Can I still change the address?"),
    ("app", "Yes, until the driver starts. Which address should it be?"),
]
WIDE = {"width": 1200, "height": 780}
MEMBER = "ann@example.com"


def main() -> None:
    if os.environ.get("PICTURES") != "1":
        values = json.dumps(read_environment(ENV))
        command = [TOOLS / "browser" / "bin" / "python", "-B", "-m", "tools.ci.console.pictures"]
        sys.exit(subprocess.run(command, env={**os.environ, "PICTURES": "1", "CONSOLE_TEST_VALUES": values}, check=False).returncode)
    take()


def take() -> None:
    from playwright.sync_api import sync_playwright

    from tools.ci.browser import find_browser
    from tools.ci.console.member import Member, World
    from tools.ci.pages import FLAGS

    world = World.from_environment()
    for who, text in TALK:
        world.inbound(text, USER, profileName="Ann") if who == "user" else world.outbound(text, USER)
    FOLDER.mkdir(exist_ok=True)
    shown = {
        "console-messages": f"messages/conversation/{world.number}/{quote(USER, safe='')}",
        "console-start": "start",
        "console-playground": "playground",
        "console-templates": "templates/new",
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        member = Member(browser, world, size=WIDE, email=MEMBER).sign_in_quietly()
        for name, place in shown.items():
            member.open(place)
            member.page.wait_for_timeout(1500)
            member.page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()

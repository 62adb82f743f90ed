"""The steps of a restoration. Each step is reported and, except in a dry run, performed."""

import time
from collections.abc import Callable

from tools.stack.project import say


class Refused(Exception):
    """Raised if the operator must act first; the message says how."""


class Steps:
    """Performs steps, or only reports them."""

    def __init__(self, dry_run: bool):
        self.dry_run = dry_run
        self.count = 0

    def __call__(self, what: str, act: Callable[[], object]) -> None:
        self.count += 1
        say(f"   would {what}" if self.dry_run else f"   {what}")
        if not self.dry_run:
            act()


def wait_until(what: str, seconds: float, is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            raise Refused(f"Still waiting for {what} after {seconds:.0f} s; run this again later.")
        time.sleep(1)

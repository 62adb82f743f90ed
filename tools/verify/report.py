"""Checks and the table of their results.

A check is a sentence and an action. The action returns a note, or raises: `Broken` if the sentence does not hold,
`Expected` if it does not hold on this platform for a known reason, `Skipped` if it cannot be checked here.
"""

import re
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from textwrap import fill

HOLDS, EXPECTED, SKIPPED, BROKEN = "holds", "expected", "skipped", "FAILS"
# Few enough for the 10 concurrent executions of a new AWS account.
PARALLEL = 4
WIDTH = 140
# Values that a note must not show: responses may hold them.
SECRET = re.compile(r"((?:sk_(?:live_app|test_app|admin)|whsec|session)_|X-Amz-Signature=)[\w+/=]+")


class Broken(Exception):
    """The deployment does not do what the check says; the message says what it does."""


class Expected(Exception):
    """The platform is known to differ from AWS; the message says how."""


class Skipped(Exception):
    """The check cannot be made here; the message says why and what it needs."""


def expect(holds: object, otherwise: object) -> None:
    if not holds:
        raise Broken(str(otherwise))


@dataclass(frozen=True)
class Check:
    what: str
    action: Callable[..., str | None]
    # What to change in the stack or the code if the check fails.
    change: str = ""


class Subject:
    """A title and its checks. `serial` subjects run one check at a time."""

    def __init__(self, title: str, serial: bool = False):
        self.title = title
        self.serial = serial
        self.checks: list[Check] = []

    def __call__(self, what: str, change: str = "") -> Callable:
        """Decorates the action of a check."""

        def add(action: Callable[..., str | None]) -> Callable[..., str | None]:
            self.checks.append(Check(what, action, change))
            return action

        return add


@dataclass(frozen=True)
class Row:
    subject: str
    what: str
    result: str
    note: str
    seconds: float

    def __str__(self) -> str:
        head = f"  {self.result:9} {self.what}"
        if not self.note:
            return head
        if self.result == HOLDS and len(head) + len(self.note) + 2 < WIDTH:
            return f"{head}: {self.note}"
        indent = " " * 14
        paragraphs = [fill(part, WIDTH, initial_indent=indent, subsequent_indent=indent) for part in self.note.split("\n")]
        return "\n".join([head, *paragraphs])


def make(subject: Subject, check: Check, target: object) -> Row:
    started = time.monotonic()
    try:
        result, note = HOLDS, check.action(target) or ""
    except Expected as differs:
        result, note = EXPECTED, str(differs)
    except Skipped as skipped:
        result, note = SKIPPED, str(skipped)
    except Exception as error:  # noqa: BLE001 - a check must not end the others
        found = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
        result, note = BROKEN, f"{found}\nChange: {check.change}" if check.change else found
    return Row(subject.title, check.what, result, SECRET.sub(r"\1…", note), time.monotonic() - started)


class Report:
    def __init__(self, say: Callable[[str], None]):
        self.say = say
        self.rows: list[Row] = []

    def run(self, subject: Subject, target: object) -> None:
        """Runs all checks of a subject and prints its part of the table."""
        with ThreadPoolExecutor(1 if subject.serial else PARALLEL) as pool:
            started = time.monotonic()
            rows = list(pool.map(lambda check: make(subject, check, target), subject.checks))
        self.rows += rows
        self.say("\n".join([f"\n{subject.title} ({time.monotonic() - started:.0f} s)", *map(str, rows)]))

    def broken(self) -> list[Row]:
        return [row for row in self.rows if row.result == BROKEN]

    def summary(self) -> str:
        count = Counter(row.result for row in self.rows)
        return (
            f"{count[HOLDS]} hold, {count[EXPECTED]} differ as expected of this platform, {count[SKIPPED]} skipped, "
            f"{count[BROKEN]} fail"
        )

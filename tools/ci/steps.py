"""Runs the steps of `make test` and `make check`, continues after a failed step, and prints a summary.

A step is a title and an action. The action fails by raising an exception, is skipped by raising `Skipped`, and may
return a note or the number of tests. A step that needs another one runs only if that one passed.
"""

import json
import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.stack.project import ROOT, say
from tools.stack.stop import Stop, Stopped

# The time that a stopped command has to stop its own processes.
GRACE_SECONDS = 60.0
# The interval at which a long command reports progress.
PROGRESS_SECONDS = 60
# The number of characters shown from the end of a failed command's output.
SHOWN = 30_000
# The number of characters that the summary repeats of a failure's reason.
IN_SUMMARY = 300
CARGO_TESTS = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)
PYTHON_TESTS = re.compile(r"^Ran (\d+) tests? in .*?\n\n(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
NODE_TESTS = re.compile(r"^ℹ pass (\d+)\nℹ fail (\d+)$", re.MULTILINE)
# The closing line of programs of this folder that count what they check.
OWN_CHECKS = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)


class Failed(Exception):
    """A step failed; the message gives the reason."""


class Skipped(Exception):
    """A step cannot run on this machine; the message gives the reason."""


def unchecked(reason: str) -> Failed | Skipped:
    """Returns the exception for what this machine cannot check. CI must not pass without it."""
    return Failed(reason) if "CI" in os.environ else Skipped(reason)


@dataclass(frozen=True)
class Counted:
    """The number of tests in a step. A step without tests counts as one test."""

    passed: int
    failed: int = 0
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    title: str
    result: str
    seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    note: str = ""


Action = Callable[[], "Counted | str | None"]


class Steps:
    def __init__(self, name: str, stop: Stop, folder: Path = ROOT / "target" / "ci"):
        self.name = name
        self.stop = stop
        self.folder = folder
        self.outcomes: dict[str, Outcome] = {}
        self.started = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, title: str, action: Action, needs: tuple[str, ...] = ()) -> bool:
        """Runs a step; returns whether it passed."""
        self.stop.check()
        missing = [need for need in needs if need not in self.outcomes or self.outcomes[need].result != "passed"]
        if missing:
            return self.record(Outcome(title, "not run", note=f"needs: {', '.join(missing)}"))
        say(f"== {title}")
        started = time.monotonic()
        try:
            done = action()
        except Skipped as skipped:
            return self.record(Outcome(title, "skipped", note=str(skipped)))
        except BaseException as error:
            seconds = time.monotonic() - started
            if self.stop.requested.is_set():
                self.record(Outcome(title, "stopped", seconds))
                raise Stopped from error
            if isinstance(error, KeyboardInterrupt):
                raise
            counted = error.args[1] if isinstance(error, Failed) and len(error.args) > 1 else Counted(0)
            told = reason(error)
            say(f"\n{told}\n")
            return self.record(Outcome(title, "failed", seconds, counted.passed, max(1, counted.failed), shortened(told)))
        counted = done if isinstance(done, Counted) else Counted(1, note=done or "")
        return self.record(Outcome(title, "passed", time.monotonic() - started, counted.passed, note=counted.note))

    def record(self, outcome: Outcome) -> bool:
        self.outcomes[outcome.title] = outcome
        note = f" ({outcome.note})" if outcome.note else ""
        say(f"   {outcome.title}: {outcome.result}, {outcome.seconds:.0f} s{note}")
        return outcome.result == "passed"

    def command(self, title: str, *command: object, needs: tuple[str, ...] = (), **options: object) -> bool:
        """Runs a command as a step; its output goes to a file and is shown only if it fails."""
        return self.run(title, lambda: self.execute(title, command, options), needs)

    def execute(self, title: str, command: tuple[object, ...], options: dict) -> Counted | None:
        path = self.folder / f"{re.sub(r'[^a-z0-9]+', '-', title.lower())}.log"
        defaults = {"cwd": ROOT, "grace": GRACE_SECONDS}
        with path.open("wb") as output, Progress(title, path):
            code = self.stop.run(list(command), **{**defaults, "stdout": output, "stderr": output, **options})
        text = path.read_text(errors="replace")
        counted = count(text)
        if code != 0:
            raise Failed(f"{text[-SHOWN:]}\n{title} exited with code {code}.", counted or Counted(0))
        return counted

    def together(self, *lanes: Callable[[], None]) -> None:
        """Runs several sequences of steps in parallel, and waits for all of them."""
        with ThreadPoolExecutor(len(lanes)) as pool:
            running = [pool.submit(lane) for lane in lanes]
        for lane in running:
            lane.result()

    def finish(self) -> int:
        """Prints the summary, writes the totals for `.ci/run`, and returns the exit code."""
        outcomes = self.outcomes.values()
        say(f"\nmake {self.name}:")
        for each in outcomes:
            seconds = f"{each.seconds:.0f} s" if each.seconds else ""
            tests = f"{each.passed} passed, {each.failed} failed" if each.passed + each.failed > 1 else ""
            note = ": ".join(filter(None, [each.title, "; ".join(filter(None, [tests, each.note]))]))
            say(f"  {each.result:8}{seconds:>7}  {note}")
        is_stopped = self.stop.requested.is_set()
        say(f"  {'stopped' if is_stopped else 'total':8}{time.monotonic() - self.started:5.0f} s")
        totals = {"passed": sum(each.passed for each in outcomes), "failed": sum(each.failed for each in outcomes)}
        (self.folder / f"{self.name}.json").write_text(json.dumps(totals))
        say(f"\n{closing(totals)}")
        return 130 if is_stopped else 1 if totals["failed"] else 0


def closing(totals: dict[str, int]) -> str:
    return f"{totals['passed']} passed, {totals['failed']} failed"


def reason(error: BaseException) -> str:
    """Returns the message of an expected failure, or the traceback of any other one."""
    if isinstance(error, (Failed, SystemExit)):
        return str(error.args[0] if error.args else error)
    return "".join(traceback.format_exception(error))


def shortened(told: str) -> str:
    """The end of a reason, on one line: the summary must do where only the last lines of a run are kept."""
    line = " ".join(told.split())
    return line if len(line) <= IN_SUMMARY else f"… {line[-IN_SUMMARY:]}"


def count(output: str) -> Counted | None:
    """Counts the tests that cargo, Node.js, unittest and programs of this folder report; None if there are none."""
    passed = failed = 0
    for good, bad in [found for form in (CARGO_TESTS, NODE_TESTS, OWN_CHECKS) for found in form.findall(output)]:
        passed, failed = passed + int(good), failed + int(bad)
    for ran, results in PYTHON_TESTS.findall(output):
        numbers = dict(re.findall(r"(\w+)=(\d+)", results))
        bad = int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
        passed, failed = passed + int(ran) - bad - int(numbers.get("skipped", 0)), failed + bad
    return Counted(passed, failed) if passed + failed else None


class Progress:
    """Prints the last line of a command's output at intervals."""

    def __init__(self, title: str, log: Path):
        self.title = title
        self.log = log
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.show, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def show(self) -> None:
        started = time.monotonic()
        while not self.over.wait(PROGRESS_SECONDS):
            lines = self.log.read_text(errors="replace").split("\n")[-40:]
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            say(f"   {self.title}: {time.monotonic() - started:.0f} s so far; {last[:100]}")


def run_all(name: str, steps: Callable[[Steps], None]) -> None:
    """The main function of a command that runs steps."""
    stop = Stop.on_signals()
    runner = Steps(name, stop)
    try:
        steps(runner)
    except BaseException as error:
        # A stop is already recorded with the step that it ended; any other exception is a fault outside the steps.
        if not stop.requested.is_set():
            say(f"\n{reason(error)}\n")
            runner.record(Outcome("Running the steps", "failed", failed=1))
    sys.exit(runner.finish())


def main() -> None:
    """Adds up the totals of several commands: `python -m tools.ci.steps NAME...`; a command without totals failed."""
    totals = {"passed": 0, "failed": 0}
    for name in sys.argv[1:]:
        path = ROOT / "target" / "ci" / f"{name}.json"
        found = json.loads(path.read_text()) if path.exists() else {"passed": 0, "failed": 1}
        totals = {key: totals[key] + found[key] for key in totals}
    say(closing(totals))
    sys.exit(1 if totals["failed"] else 0)


if __name__ == "__main__":
    main()

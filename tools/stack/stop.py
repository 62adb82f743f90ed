"""Stops a tool on the first Ctrl-C or `kill`, whatever it is doing.

An exception from a signal handler, such as KeyboardInterrupt, gets lost where Python ignores exceptions: in callbacks
and destructors of libraries. Here, the handler does nothing. The interpreter writes the signal's number to a pipe; a thread
reads it, sets a flag and ends the running child processes. Whatever the main thread does, the flag stays set.
"""

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# How long a child process may take to end before it is killed.
GRACE_SECONDS = 10.0


class Stopped(Exception):
    """The user stopped the tool."""


def end(child: subprocess.Popen, grace: float = GRACE_SECONDS) -> None:
    """Ends a child process that leads a process group, and all processes of the group."""
    if child.poll() is None:
        signal_group(child, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=grace)
    signal_group(child, signal.SIGKILL)
    child.wait()


def signal_group(child: subprocess.Popen, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


@dataclass(frozen=True)
class Terms:
    """How a child process ends after a request to stop."""

    # Seconds before SIGTERM, in which the process continues.
    patience: float
    # Seconds from SIGTERM to SIGKILL.
    grace: float


class Stop:
    """A request to stop, and the child processes that it ends."""

    def __init__(self) -> None:
        self.requested = threading.Event()
        self.lock = threading.Lock()
        self.children: dict[subprocess.Popen, Terms] = {}

    @classmethod
    def on_signals(cls) -> "Stop":
        """Handles SIGINT and SIGTERM. Only the main thread may call it."""
        stop = cls()
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in SIGNALS:
            # The interpreter writes to the pipe only if a Python handler is installed.
            signal.signal(number, lambda *_: None)
        threading.Thread(target=stop.watch, args=(read,), daemon=True).start()
        return stop

    def watch(self, pipe: int) -> None:
        while not set(os.read(pipe, 64)) & set(SIGNALS):
            pass
        self.request()

    def request(self) -> None:
        """Sets the flag and ends the children."""
        with self.lock:
            self.requested.set()
            children = dict(self.children)
        threads = [threading.Thread(target=self.end_later, args=child, daemon=True) for child in children.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @staticmethod
    def end_later(child: subprocess.Popen, terms: Terms) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=terms.patience)
        end(child, terms.grace)

    def check(self) -> None:
        """Raises `Stopped` once a stop is requested."""
        if self.requested.is_set():
            raise Stopped

    def sleep(self, seconds: float) -> None:
        """Sleeps; raises `Stopped` as soon as a stop is requested."""
        self.requested.wait(seconds)
        self.check()

    def start(
        self, command: list[object], patience: float = 0.0, grace: float = GRACE_SECONDS, **options: object
    ) -> subprocess.Popen:
        """Starts a child in a session of its own, so that Ctrl-C reaches only this process. `patience` gives the caller
        time to end the child properly after a request to stop."""
        with self.lock:
            self.check()
            child = subprocess.Popen([str(part) for part in command], start_new_session=True, **options)
            self.children[child] = Terms(patience, grace)
        return child

    def finish(self, child: subprocess.Popen) -> None:
        """Ends a child, if it still runs, and forgets it."""
        end(child, self.children[child].grace)
        with self.lock:
            self.children.pop(child, None)

    def run(self, command: list[object], **options: object) -> int:
        """Runs a command to its end and returns its exit code; raises `Stopped` if a request to stop ended it."""
        child = self.start(command, **options)
        try:
            child.wait()
        finally:
            self.finish(child)
        self.check()
        return child.returncode

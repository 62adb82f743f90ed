"""The record of refusals: what `GET /_guard/refusals` lists and what --record writes."""

import json
import threading
import time
from pathlib import Path

from .request import Request


class Record:
    """Counts what each rule refused or noted. The guard writes it; other threads may read it."""

    def __init__(self, file: Path | None = None):
        self.lock = threading.Lock()
        self.counts: dict[str, dict] = {}
        self.file = file.open("a") if file else None

    def add(self, rule: str, request: Request, account: str, message: str, is_refused: bool) -> None:
        first = {"rule": rule, "count": 0, "refused": is_refused, "operation": request.title, "first": message}
        with self.lock:
            self.counts.setdefault(rule, first)["count"] += 1
            if self.file:
                line = {
                    "time": time.time(), "rule": rule, "refused": is_refused, "service": request.service,
                    "operation": request.title, "account": account, "message": message,
                }
                self.file.write(json.dumps(line) + "\n")
                self.file.flush()

    def refusals(self) -> list[dict]:
        """Returns one entry per rule: how often it was broken, and the first message with its operation."""
        with self.lock:
            return [dict(known) for known in self.counts.values()]

    def close(self) -> None:
        with self.lock:
            if self.file:
                self.file.close()
                self.file = None

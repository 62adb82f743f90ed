"""The receiver of `make soak`: verifies every event, fails on purpose now and then, and remembers what came.

Usage: soak_receiver.py SEED TWICE SLOW_HOOK   (in the environment of the receiver's tools). It prints its port. The soak makes a hook known with
PUT /secrets/<hook>, sends events to /hooks/<hook>, and reads GET /seen. It ends with its standard input.
"""

import http.server
import json
import random
import sys
import threading
import time
from collections import defaultdict
from urllib.parse import unquote

from standardwebhooks import Webhook, WebhookVerificationError

# Shares of the events whose first attempt fails.
ERROR, UNAVAILABLE, HANGS_UP, HANGS = 0.03, 0.02, 0.02, 0.01
# Longer than a delivery waits.
TIME_OUT = 16


class Memory:
    def __init__(self, seed: str, twice: int, slow_hook: str):
        self.seed = seed
        # So many first events of a hook fail twice: the second retry is minutes later.
        self.twice = twice
        # The only one that lets a sender wait in vain.
        self.slow_hook = slow_hook
        self.lock = threading.Lock()
        self.secrets: dict[str, list[str]] = defaultdict(list)
        self.events: dict[tuple[str, str], dict] = {}
        self.counts: dict[str, int] = defaultdict(int)

    def genuine(self, hook: str, body: bytes, headers: dict[str, str]) -> dict | None:
        """The event, if it is signed with a secret of the hook: the newest, or the one before."""
        for secret in reversed(self.secrets[hook][-2:]):
            try:
                return Webhook(secret).verify(body, headers)
            except WebhookVerificationError:
                continue
        return None

    def attempt(self, hook: str, event: dict, at: float) -> str:
        """Notes an attempt, and says what becomes of it."""
        with self.lock:
            known = self.events.get((hook, event["id"]))
            if known is None:
                known = {"hook": hook, "id": event["id"], "type": event["type"], "object": event["data"].get("id"), "attempts": []}
                self.events[hook, event["id"]] = known
                self.counts[hook] += 1
                known["failures"] = 2 if self.counts[hook] <= self.twice else 0
            verdict = self.verdict(hook, known)
            known["attempts"].append([at, verdict])
            return verdict

    def verdict(self, hook: str, known: dict) -> str:
        if len(known["attempts"]) < known["failures"]:
            return "500"
        if known["attempts"]:
            return "204"
        luck = random.Random(f"{self.seed}/{known['id']}").random()
        for share, verdict in ((ERROR, "500"), (UNAVAILABLE, "503"), (HANGS_UP, "hung up"), (HANGS if hook == self.slow_hook else 0, "timed out")):
            if luck < share:
                return verdict
            luck -= share
        return "204"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """A sender that was killed hangs up."""


def handler(memory: Memory) -> type:
    class Receiver(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def body(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self) -> None:
            memory.secrets[self.path.removeprefix("/secrets/")].append(self.body().decode())
            self.answer(204)

        def do_GET(self) -> None:
            with memory.lock:
                seen = json.dumps(list(memory.events.values())).encode()
            self.answer(200, seen)

        def do_POST(self) -> None:
            at, body, hook = time.time(), self.body(), unquote(self.path.removeprefix("/hooks/"))
            event = memory.genuine(hook, body, dict(self.headers))
            if event is None or event["id"] != self.headers["webhook-id"]:
                forged = {"id": self.headers.get("webhook-id", "none"), "type": "not signed", "data": {}}
                memory.attempt(f"{hook} (not genuine)", forged, at)
                return self.answer(401)
            verdict = memory.attempt(hook, event, at)
            if verdict == "hung up":
                self.close_connection = True
                return None
            if verdict == "timed out":
                time.sleep(TIME_OUT)
                self.close_connection = True
                return None
            return self.answer(int(verdict), headers={"Retry-After": "6"} if verdict == "503" else None)

        def log_message(self, *_: object) -> None:
            pass

    return Receiver


def main() -> None:
    seed, twice, slow_hook = sys.argv[1:]
    server = Server(("127.0.0.1", 0), handler(Memory(seed, int(twice), slow_hook)))
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()

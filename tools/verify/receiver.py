"""A webhook receiver: an HTTP server that records deliveries and responds with chosen status codes."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tools.verify.report import Broken, expect


@dataclass(frozen=True)
class Delivery:
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    def check_signature(self, *secrets: str) -> None:
        """Fails unless there is exactly one signature by each secret, in the format of Standard Webhooks 1.0."""
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = set()
        for secret in secrets:
            key = base64.b64decode(secret.removeprefix("whsec_"))
            expected.add("v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode())
        sent = set(self.headers.get("webhook-signature", "").split(" "))
        expect(sent == expected, f"{len(sent & expected)} of {len(expected)} expected signatures, {len(sent)} sent")
        late = abs(time.time() - int(self.headers["webhook-timestamp"]))
        expect(late < 300, f"webhook-timestamp is {late:.0f} s away from this machine's clock")


class Receiver:
    """`public_url` leads to `port` on this machine; without one, deliveries come to the loopback address."""

    def __init__(self, public_url: str = "", port: int = 0):
        self.got: list[Delivery] = []
        # The status codes of the next responses, by path; 200 if none are left.
        self.statuses: dict[str, list[int]] = {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.got.append(Delivery(self.path, headers, self.rfile.read(length), time.monotonic()))
                waiting = receiver.statuses.get(self.path)
                self.send_response(waiting.pop(0) if waiting else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = public_url.rstrip("/") or f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, wanted: Callable[[Delivery], bool], seconds: float, what: str) -> Delivery:
        started = time.monotonic()
        while time.monotonic() - started < seconds:
            for delivery in list(self.got):
                if wanted(delivery):
                    return delivery
            time.sleep(0.05)
        raise Broken(f"{what} did not arrive within {seconds:.0f} s")

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

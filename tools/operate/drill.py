"""The expectations of the restore drill, and the receiver of its webhooks' events."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tools.stack.project import say


class Receiver:
    """Receives and records deliveries."""

    def __init__(self) -> None:
        self.received: list[tuple[dict, bytes]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append((dict(self.headers.items()), body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def texts(self) -> list[str]:
        return [json.loads(body)["data"].get("textBody") for _, body in self.received]

    def is_signed(self, secret: str) -> bool:
        """Whether the last delivery is signed with this secret."""
        headers, body = self.received[-1]
        fields = {name.lower(): value for name, value in headers.items()}
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        return f"v1,{base64.b64encode(digest).decode()}" in fields["webhook-signature"].split(" ")


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"\nFailed: {what}: {found!r} instead of {wanted!r}")
    say(f"   {what}")


def eventually(what: str, is_so: Callable[[], bool], seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            sys.exit(f"\nFailed: {what}: not within {seconds:.0f} s")
        time.sleep(0.3)
    say(f"   {what}")


def path_without_rust() -> str:
    """Returns the PATH without the folders that hold a compiler."""
    folders = os.environ["PATH"].split(os.pathsep)
    found = os.pathsep.join(folder for folder in folders if not any((Path(folder) / name).exists() for name in ("cargo", "rustc")))
    expect("no compiler is within reach", [shutil.which(name, path=found) for name in ("cargo", "rustc", "cargo-lambda")], [None] * 3)
    return found

"""An HTTP client that sends request targets and headers exactly as given, follows no redirect and retries nothing."""

import http.client
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

# Longer than the 30 s after which the gateway itself responds.
PATIENCE_SECONDS = 40


@dataclass(frozen=True)
class Reply:
    status: int
    # By name in lower case.
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> object:
        """The parsed body, or None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def error(self) -> dict:
        """The structured error in the body; empty if there is none."""
        error = self.json.get("error") if isinstance(self.json, dict) else None
        return error if isinstance(error, dict) else {}

    def __str__(self) -> str:
        return f"{self.status} {self.text[:300]}"


def request(method: str, url: str, headers: dict[str, str], body: bytes = b"") -> Reply:
    """Sends one request on a connection of its own."""
    parts = urlsplit(url)
    connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = connect(parts.netloc, timeout=PATIENCE_SECONDS)
    target = url.split(parts.netloc, 1)[1] or "/"
    started = time.monotonic()
    try:
        connection.connect()
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body or method not in ("GET", "HEAD"):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
        except (BrokenPipeError, ConnectionResetError):
            # The gateway responds to a request that is too large without reading all of it.
            pass
        answer = connection.getresponse()
        read = answer.read()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, named, read, time.monotonic() - started)
    finally:
        connection.close()


class Client:
    """Requests to one deployment."""

    def __init__(self, base_url: str):
        self.base_url = base_url.rstrip("/")

    def send(
        self,
        method: str,
        target: str,
        key: str | None = None,
        body: object = b"",
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Sends a request. A body that is not bytes is sent as JSON."""
        sent = {"Accept": "*/*", **(headers or {})}
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        return request(method, self.base_url + target, sent, body)

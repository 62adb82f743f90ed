"""The clients of the local stack, which record what was called."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx

from messaging_api import Messaging

BASE_URL = os.environ["BASE_URL"]
APP_ID = os.environ["TEST_APP_ID"]


class Recorder(httpx.HTTPTransport):
    """Sends requests, and remembers those to the service that succeeded."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self._lock = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if response.is_success and str(request.url).startswith(BASE_URL):
            with self._lock:
                self.calls.append(f"{request.method} {request.url.raw_path.decode().partition('?')[0]}")
        return response

    def uncalled(self, document: Mapping[str, Any]) -> list[str]:
        """Returns the names of the operations that were not called."""
        prefix = urlsplit(BASE_URL).path

        def is_called(method: str, path: str) -> bool:
            form = re.compile(f"{method.upper()} {prefix}" + re.sub(r"\{\w+\}", "[^/]+", path))
            return any(form.fullmatch(call) for call in self.calls)

        return [
            operation["operationId"]
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if not operation.get("x-internal") and not is_called(method, path)
        ]


recorded = Recorder()
# One connection pool for both: its clients may be used by several threads.
_http = httpx.Client(transport=recorded)


def with_key(key: str) -> Messaging:
    return Messaging(api_key=key, base_url=BASE_URL, http_client=_http)


admin = with_key(os.environ["ADMIN_KEY"])
app = with_key(os.environ["TEST_APP_KEY"])


def phone() -> str:
    """Returns a phone number that nobody has."""
    return f"+4930{str(time.time_ns() // 1_000_000)[-9:]}"


def until(title: str, holds: Callable[[], bool]) -> None:
    """Waits for a condition."""
    for _ in range(120):
        if holds():
            return
        time.sleep(0.25)
    raise TimeoutError(f"Not after 30 s: {title}.")

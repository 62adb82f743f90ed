"""The rules of a call: credentials, retries and responses. A client performs what they ask for."""

from __future__ import annotations

import json
import os
import platform
import re
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from ._errors import MessagingError
from ._failure import error_of
from ._generated.errors import AuthenticationError, ConnectionError, InternalError, TimeoutError
from ._options import Settings, expect_known
from ._request import Credential, Plan, Result, Send, Sleep, Steps, query_of
from ._response import Response, request_id_of
from ._retry import wait_after

VERSION = "0.1.0"
"""The version of the library, as pyproject.toml has it. A test compares them."""

_USER_AGENT = f"messaging-client-python/{VERSION} Python/{platform.python_version()}"
_LOCAL = re.compile(r"localhost|.+\.localhost|::1|127(\.\d+){3}")


def checked_address(text: str | None) -> str:
    """Returns the address without a slash at its end. A key travels encrypted, or on this machine only."""
    text = (text or os.environ.get("MESSAGING_BASE_URL", "")).strip()
    url = urlsplit(text)
    is_private = url.scheme == "https" or (url.scheme == "http" and is_this_machine(url.hostname))
    if is_private and url.hostname and not (url.username or url.query or url.fragment):
        return text.rstrip("/")
    problem = "must be an https URL without credentials, query and fragment" if text else "is missing"
    hint = "Pass the address of the installation, such as https://api.example.com; only this machine may use http."
    raise MessagingError(f"base_url (or MESSAGING_BASE_URL) {problem}. {hint}")


def is_this_machine(host: str | None) -> bool:
    return bool(host and _LOCAL.fullmatch(host))


def environment_key() -> str:
    key = os.environ.get("MESSAGING_API_KEY", "")
    if not key:
        raise MessagingError("api_key (or MESSAGING_API_KEY) is missing. Pass a key, or None for none.")
    return key


class Rules:
    """The rules of one client."""

    def __init__(self, base_url: str, settings: Settings, has_key: bool, may_renew: bool) -> None:
        self.base_url, self.settings = base_url, settings
        self._has_key, self._may_renew = has_key, may_renew

    def call(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None, keyed: bool = False,
        options: Mapping[str, Any],
    ) -> Steps[Result]:
        """Returns the steps of a call of any operation."""
        expect_known(options)
        headers: dict[str, str] = {}
        if keyed:
            headers["idempotency-key"] = options.get("idempotency_key") or str(uuid.uuid4())
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        url = self.base_url + path + query_of(query or {})
        is_safe = keyed or method in ("GET", "PUT")
        make = None if content is None else lambda: content
        return self.send(Plan(method, url, headers, is_safe, make, options=options))

    def send(self, plan: Plan) -> Steps[Result]:
        """Sends a request, and repeats it where that has no second effect."""
        limit = plan.options.get("max_retries")
        retries = self.settings.max_retries if limit is None else limit
        retry, refused, is_renewed = 0, None, False
        while True:
            credential: str | None = None
            if self._has_key and not plan.is_for_storage:
                credential = yield Credential(refused)
            try:
                return (yield from self._attempt(plan, credential))
            except AuthenticationError:
                if is_renewed or not self._may_renew or credential is None:
                    raise
                is_renewed, refused = True, credential
            except MessagingError as error:
                wait = wait_after(error, plan.is_safe, retry, self.settings.clock) if retry < retries else None
                if wait is None:
                    raise
                retry, refused = retry + 1, None
                yield Sleep(wait)

    def _attempt(self, plan: Plan, credential: str | None) -> Steps[Result]:
        timeout = plan.options.get("timeout") or self.settings.timeout
        host = urlsplit(plan.url).netloc
        try:
            response: httpx.Response = yield Send(plan, self._headers(plan, credential), timeout)
        except httpx.TimeoutException as error:
            if isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout)):
                raise TimeoutError(f"{host} cannot be reached within {timeout} s.", was_refused=False) from error
            raise TimeoutError(f"{host} did not respond within {timeout} s.") from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            refused = isinstance(error, httpx.ConnectError)
            raise ConnectionError(f"{host} cannot be reached: {_reason_of(error)}.", was_refused=refused) from error
        return self._result_of(response)

    def _headers(self, plan: Plan, credential: str | None) -> dict[str, str]:
        if plan.is_for_storage:
            return dict(plan.headers)
        headers = {"accept": "application/json", "user-agent": _USER_AGENT}
        if credential is not None:
            headers["authorization"] = f"Bearer {credential.strip()}"
        return {**headers, **self.settings.headers, **plan.headers, **plan.options.get("headers", {})}

    def _result_of(self, response: httpx.Response) -> Result:
        """Returns the resource of a response, or raises its error."""
        body, is_json = _parsed(response.content)
        if not response.is_success:
            raise error_of(response.status_code, response.headers, body, self.settings.clock.now())
        request_id = request_id_of(response.headers)
        if is_json or not response.content:
            return Result(body, Response(response.status_code, response.headers, request_id))
        raise InternalError(
            "The response is not the API's. Check that base_url leads to an installation.",
            status=response.status_code, headers=response.headers, request_id=request_id, body=body,
        )


def _parsed(content: bytes) -> tuple[Any, bool]:
    try:
        return json.loads(content), True
    except ValueError:
        return content.decode(errors="replace") or None, False


def _reason_of(error: BaseException) -> str:
    """Returns the innermost reason, which says most."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error) or type(error).__name__).rstrip(".")

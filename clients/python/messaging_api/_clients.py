"""What the two clients are made of: one performs the steps of a call, the other awaits them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx

from ._content import Body
from ._core import Rules, checked_address, environment_key
from ._errors import MessagingError
from ._options import ApiKey, AsyncApiKey, Clock, Settings, SystemClock
from ._request import Ask, Credential, Send, Sleep, Steps

T = TypeVar("T")


class _Unset:
    """The default of ``api_key``: ``None`` means none."""


UNSET = _Unset()


def rules_of(
    api_key: AsyncApiKey | _Unset | None, base_url: str | None, timeout: float, max_retries: int,
    headers: Mapping[str, str] | None, clock: Clock | None,
) -> tuple[Rules, AsyncApiKey | None]:
    key = environment_key() if isinstance(api_key, _Unset) else api_key
    if key == "":
        raise MessagingError("api_key is empty. Pass a key, or None for none.")
    settings = Settings(timeout, max_retries, headers or {}, clock or SystemClock())
    return Rules(checked_address(base_url), settings, key is not None, callable(key)), key


class SyncClient:
    """Performs the steps of calls."""

    def __init__(
        self,
        *,
        api_key: ApiKey | _Unset | None = UNSET,
        base_url: str | None = None,
        timeout: float = 35.0,
        max_retries: int = 2,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Makes a client of one installation with one credential.

        Args:
            api_key: A key or session token, or a function that returns one; it is called once, and again after a 401.
                By default, the variable ``MESSAGING_API_KEY``. With ``None``, requests have no credential.
            base_url: The installation: ``https``, or ``http`` on this machine. By default, ``MESSAGING_BASE_URL``.
            timeout: The time limit of each attempt in seconds; 35 is longer than the service takes.
            max_retries: How often a request is repeated at most, where that has no second effect.
            headers: Headers of every request.
            http_client: What sends requests, such as one with a proxy. It is not closed with this client.
            clock: Time and chance.
        """
        self.rules, self._api_key = rules_of(api_key, base_url, timeout, max_retries, headers, clock)
        self._known: str | None = None
        self._owns = http_client is None
        self._http = http_client or httpx.Client(follow_redirects=False)

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        if self._owns:
            self._http.close()

    def run(self, steps: Steps[T]) -> T:
        """Performs the steps of a call, and returns their result."""
        answer: Any = None
        try:
            ask = next(steps)
            while True:
                try:
                    answer = self._perform(ask)
                except Exception as error:
                    ask = steps.throw(error)
                else:
                    ask = steps.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _perform(self, ask: Ask) -> Any:
        if isinstance(ask, Sleep):
            return self.rules.settings.clock.sleep(ask.seconds)
        if isinstance(ask, Credential):
            if self._known is None or self._known == ask.refused:
                key = self._api_key
                self._known = key() if callable(key) else key  # type: ignore[assignment]
            return self._known
        return self._http.send(request_of(self._http, ask), follow_redirects=False)


class AsyncClient:
    """Awaits the steps of calls."""

    def __init__(
        self,
        *,
        api_key: AsyncApiKey | _Unset | None = UNSET,
        base_url: str | None = None,
        timeout: float = 35.0,
        max_retries: int = 2,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Makes a client of one installation with one credential. The arguments are those of ``Messaging``; a function
        as ``api_key`` may be a coroutine function."""
        self.rules, self._api_key = rules_of(api_key, base_url, timeout, max_retries, headers, clock)
        self._known: str | None = None
        self._owns = http_client is None
        self._http = http_client or httpx.AsyncClient(follow_redirects=False)

    async def __aenter__(self: T) -> T:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        if self._owns:
            await self._http.aclose()

    async def run(self, steps: Steps[T]) -> T:
        """Awaits the steps of a call, and returns their result."""
        answer: Any = None
        try:
            ask = next(steps)
            while True:
                try:
                    answer = await self._perform(ask)
                except Exception as error:
                    ask = steps.throw(error)
                else:
                    ask = steps.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def _perform(self, ask: Ask) -> Any:
        if isinstance(ask, Sleep):
            return await self.rules.settings.clock.async_sleep(ask.seconds)
        if isinstance(ask, Credential):
            if self._known is None or self._known == ask.refused:
                key = self._api_key() if callable(self._api_key) else self._api_key
                self._known = await key if inspect.isawaitable(key) else key
            return self._known
        return await self._http.send(request_of(self._http, ask), follow_redirects=False)


def request_of(http: httpx.Client | httpx.AsyncClient, ask: Send) -> httpx.Request:
    plan = ask.plan
    body = plan.body() if plan.body else None
    headers = dict(ask.headers)
    if isinstance(body, Body):
        # Storage takes no body of unknown length.
        headers["content-length"] = str(body.size)
    content: Any = body
    if isinstance(body, Body) and isinstance(http, httpx.AsyncClient):
        content = body.in_thread()
    return http.build_request(plan.method, plan.url, content=content, headers=headers, timeout=ask.timeout)

"""Plays a vector of clients/conformance with one of the clients."""

from __future__ import annotations

import inspect
import io
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import httpx

import messaging_api
from messaging_api import AsyncMessaging, MessagingError, Resource
from messaging_api._resource import snake_case

DEFAULT_KEY = "sk_test_app_conformance"
OPTIONS = {"timeout": "timeout", "maxRetries": "max_retries", "headers": "headers", "idempotencyKey": "idempotency_key"}
Json = dict[str, Any]


class Server(Protocol):
    """The scripted server."""

    def ask(self, method: str, path: str, body: Json | None = None) -> Any:
        """Asks the server, not the part of it that a vector plays."""


class TheClock:
    """A clock that advances by waits only, and reports them."""

    def __init__(self, server: Server, run: int, vector: Json) -> None:
        self._server, self._run, self._random = server, run, vector["random"]
        self._milliseconds: float = vector["now"]

    def now(self) -> float:
        return self._milliseconds / 1000

    def random(self) -> float:
        return float(self._random)

    def sleep(self, seconds: float) -> None:
        milliseconds = round(seconds * 1000)
        self._milliseconds += milliseconds
        self._server.ask("POST", f"/runs/{self._run}/waits", {"milliseconds": milliseconds})

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)


class Marked(httpx.HTTPTransport):
    """A transport that a program puts in place of the library's."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["x-transport"] = "injected"
        return super().handle_request(request)


class AsyncMarked(httpx.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["x-transport"] = "injected"
        return await super().handle_async_request(request)


class Player:
    """Plays one vector with one kind of client."""

    def __init__(self, server: Server, kind: type[Any], run: int, base_url: str, vector: Json) -> None:
        self._kind, self._base_url, self._vector = kind, base_url, vector
        self._clock = TheClock(server, run, vector)
        self._open: list[Any] = []

    async def play(self) -> None:
        try:
            await self._play()
        finally:
            for each in self._open:
                await settled(each())

    async def _play(self) -> None:
        client: Any = None
        for at, call in enumerate(self._vector["calls"]):
            try:
                if client is None:
                    client = self._kind(**self._settings())
                    self._open.append(client.close)
                outcome = await self._call(client, call)
            except (MessagingError, TypeError, ValueError) as error:
                outcome = {**getattr(error, "yielded", {}), "error": error}
            compare(outcome, call.get("result", {}), f"call {at + 1}")

    def _settings(self) -> Json:
        said = self._vector.get("client", {})
        settings: Json = {"clock": self._clock}
        if "environment" not in said:
            settings.update(api_key=DEFAULT_KEY, base_url=self._base_url)
        for name in said.keys() & {"apiKey", "baseUrl", "timeout", "maxRetries", "headers"}:
            settings[snake_case(name)] = said[name] / 1000 if name == "timeout" else said[name]
        if isinstance(settings.get("api_key"), list):
            keys = iter(settings["api_key"])
            settings["api_key"] = lambda: next(keys)
        if said.get("transport") == "injected":
            is_async = self._kind is AsyncMessaging
            http: Any = httpx.AsyncClient(transport=AsyncMarked()) if is_async else httpx.Client(transport=Marked())
            settings["http_client"] = http
            self._open.append(http.aclose if is_async else http.close)
        return settings

    async def _call(self, client: Any, call: Json) -> Json:
        method: str = call["method"]
        if method == "construct":
            return {}
        names = [snake_case(name) for name in method.split(".")]
        if method == "webhooks.verify" and "arguments" in call:
            return self._verify(call["arguments"])
        owner = client
        for name in names[:-1]:
            owner = getattr(owner, name)
        options = {OPTIONS[name]: value for name, value in call.get("options", {}).items()}
        if "timeout" in options:
            options["timeout"] /= 1000
        if "arguments" in call:
            special = {"wait_for": self._wait_for, "upload": self._upload, "follow": self._follow}[names[-1]]
            return await special(owner, call, options)
        fields = {**call.get("body", {}), **call.get("query", {})}
        fields = {snake_case(name): value for name, value in fields.items()}
        made = getattr(owner, names[-1])(*call.get("path", {}).values(), **fields, options=options)
        if hasattr(made, "pages"):
            return await read(made, call)
        return of_resource(await settled(made))

    async def _wait_for(self, owner: Any, call: Json, options: Json) -> Json:
        arguments = dict(call["arguments"])
        message_id = arguments.pop("messageId")
        for name in arguments.keys() & {"patience", "interval"}:
            arguments[name] /= 1000
        return of_resource(await settled(owner.wait_for(message_id, **arguments, options=options)))

    async def _upload(self, owner: Any, call: Json, options: Json) -> Json:
        arguments = call["arguments"]
        file, how = arguments["file"], arguments["as"]
        content = file["text"].encode() if "text" in file else bytes(at % 251 for at in range(file["size"]))
        reports: list[Any] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file["name"]
            path.write_bytes(content)
            source = {"bytes": content, "path": path, "stream": Once(content)}[how]
            more: Json = {"size": len(content)} if how == "stream" else {}
            name = arguments.get("fileName") or (None if how == "path" else file["name"])
            if arguments.get("progress"):
                more["on_progress"] = reports.append
            upload = owner.upload(source, file_name=name, mime_type=arguments.get("mimeType"), options=options, **more)
            media = await settled(upload)
        if arguments.get("progress"):
            assert (reports[-1].loaded, reports[-1].total) == (len(content), len(content)), reports[-1]
        return of_resource(media)

    async def _follow(self, owner: Any, call: Json, options: Json) -> Json:
        arguments = dict(call["arguments"])
        if "interval" in arguments:
            arguments["interval"] /= 1000
        trace: list[Json] = []
        left = call.get("take", -1)
        arguments["on_position"] = lambda position: trace.append({"position": position})
        events = owner.follow(**arguments, options=options)
        try:
            async for event in each_of(events):
                trace.append({"event": event.to_dict()})
                left -= 1
                if left == 0:
                    break
        except MessagingError as error:
            error.yielded = {"trace": trace}  # type: ignore[attr-defined]
            raise
        return {"trace": trace}

    def _verify(self, arguments: Json) -> Json:
        secrets, more = arguments["secrets"], {}
        if "tolerance" in arguments:
            more["tolerance"] = arguments["tolerance"]
        secret = secrets[0] if len(secrets) == 1 else secrets
        event = messaging_api.webhooks.verify(
            arguments["body"].encode(), arguments["headers"], secret, now=self._clock.now(), **more
        )
        return {"data": event.to_dict()}


class Once(io.BytesIO):
    """A stream that cannot be read again."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation("seek")

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def each_of(source: Any) -> AsyncIterator[Any]:
    if hasattr(source, "__aiter__"):
        async for each in source:
            yield each
    else:
        for each in source:
            yield each


def of_resource(resource: Resource) -> Json:
    response = resource.last_response
    assert response
    facts = {"status": response.status, "requestId": response.request_id, "isReplayed": response.is_replayed}
    return {"data": resource.to_dict(), "headers": response.headers, **facts}


def of_page(page: Any) -> Json:
    return {"data": [item.to_dict() for item in page.data], "nextCursor": page.next_cursor, **page.more}


async def read(made: Any, call: Json) -> Json:
    how, take = call["read"], call.get("take")
    if take == 0:
        return {how: []}
    if how == "page":
        page = await settled(made.page())
        response = page.last_response
        facts = {"status": response.status, "requestId": response.request_id, "headers": response.headers}
        return {"data": of_page(page), **facts}
    yielded: list[Any] = []
    try:
        async for each in each_of(made.pages() if how == "pages" else made):
            yielded.append(of_page(each) if how == "pages" else each.to_dict())
            if len(yielded) == take:
                break
    except MessagingError as error:
        error.yielded = {how: yielded}  # type: ignore[attr-defined]
        raise
    return {how: yielded}


def compare(outcome: Json, result: Json, where: str) -> None:
    error = outcome.get("error")
    if "error" in result:
        assert error is not None, f"{where} did not fail"
        found = {field: class_of(error) if field == "class" else fact(error, field) for field in result["error"]}
        assert found == result["error"], f"{where}: {found} is not {result['error']}: {error}"
    elif error is not None:
        raise AssertionError(f"{where} failed: {type(error).__name__}: {error}") from error
    if "value" in result:
        assert outcome["data"] == result["value"], f"{where}: {outcome['data']} is not {result['value']}"
    for field in result.keys() & {"items", "pages", "trace"}:
        assert outcome[field] == result[field], f"{where}: {outcome[field]} is not {result[field]}"
    response = dict(result.get("response", {}))
    for name, value in response.pop("headers", {}).items():
        assert outcome["headers"].get(name) == value, f"{where}: {name}"
    for name, value in response.items():
        assert outcome.get(name) == value, f"{where}: {name} is {outcome.get(name)}"


def class_of(error: BaseException) -> str:
    """Returns the vectors' name of an error's class."""
    if not isinstance(error, MessagingError) or type(error) is MessagingError:
        return "usage"
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<=.)[A-Z]", lambda letter: "_" + letter[0], name).lower()


def fact(error: Any, field: str) -> Any:
    value = getattr(error, snake_case(field), None)
    return value.to_dict() if isinstance(value, Resource) else value

"""Plays scripts literally: sends what they expect, and looks at what comes back. It knows nothing of the libraries' rules, so it only shows that
the vectors can be passed, that the server does what it says, and that it finds mistakes."""

import http.client
import json
import socket
import uuid
from collections.abc import Callable
from urllib.parse import urlsplit

from http1 import compact, response_bytes
from matching import STORAGE, credential_of, file_of

# Time for a response that must not come, in seconds.
SILENCE = 0.05


class Server:
    """The operations of the server, for runners in Python."""

    def __init__(self, address: str) -> None:
        self.address = address

    def call(self, method: str, path: str, body: object = None) -> object:
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            content = json.loads(response.read())
        finally:
            connection.close()
        if response.status >= 400:
            raise ValueError(content["error"])
        return content


def requests_of(vector: dict) -> list[dict]:
    """Returns the steps of a script, with the request that each expects: `{"line", "headers", "body"}`."""
    steps: list[dict] = []
    last: dict = {}
    for step in vector["script"]:
        if "expect" in step:
            last = _request(step["expect"], vector, last)
            step = {**step, "request": last}
        steps.append(step)
    return steps


def _request(expect: dict, vector: dict, last: dict) -> dict:
    given = {name: value for name, value in expect.get("headers", {}).items() if not isinstance(value, dict)}
    if expect.get("again"):
        return {**last, "headers": _set({**last["headers"], **given})}
    body, kind = _body(expect, vector)
    headers: dict = {"accept": "application/json", "user-agent": "literal", "content-type": kind}
    if STORAGE not in expect["request"]:
        headers["authorization"] = credential_of(vector["client"])
        headers["idempotency-key"] = str(uuid.uuid4()) if expect["request"].startswith("POST") else None
    headers["content-length"] = str(len(body)) if body or STORAGE in expect["request"] else None
    return {"line": expect["request"], "headers": _set({**headers, **given}), "body": body}


def _set(headers: dict) -> dict:
    return {name: value for name, value in headers.items() if value is not None}


def _body(expect: dict, vector: dict) -> tuple[bytes, str | None]:
    if "json" in expect:
        value = expect["json"]
        if isinstance(value, str):
            value = vector["calls"][int(value.removeprefix("call ")) - 1]["body"]
        return compact(value).encode(), "application/json"
    if "multipart" in expect:
        part, boundary = expect["multipart"], uuid.uuid4().hex
        head = f'content-disposition: form-data; name="{part["name"]}"; filename="{part["fileName"]}"\r\ncontent-type: {part["type"]}'
        content = b"--%s\r\n%s\r\n\r\n%s\r\n--%s--\r\n" % (boundary.encode(), head.encode(), file_of(vector, part["file"]), boundary.encode())
        return content, f"multipart/form-data; boundary={boundary}"
    return (file_of(vector, expect["file"]), None) if "file" in expect else (b"", None)


def play(server: Server, vector: dict, change: Callable[[list[dict]], None] = lambda steps: None) -> tuple[dict, list[str]]:
    """Plays a vector's script, with a change, in a run. Returns the verdict, and what was wrong with the responses."""
    run = server.call("POST", "/runs", {"name": vector["name"]})
    steps = requests_of(json.loads(json.dumps(vector).replace("{base}", run["baseUrl"])))
    change(steps)
    faults: list[str] = []
    for step in steps:
        if "wait" in step:
            server.call("POST", f"/runs/{run['run']}/waits", {"milliseconds": sum(step["wait"]) / 2})
        elif step.get("refuse"):
            faults += _refused(run["baseUrl"])
        else:
            try:
                faults += _exchange(run["baseUrl"], step)
            except ConnectionRefusedError:
                faults.append(f"{step['request']['line']}: the connection was refused")
    return server.call("DELETE", f"/runs/{run['run']}"), faults


def _refused(base_url: str) -> list[str]:
    try:
        _connection(base_url).close()
    except ConnectionRefusedError:
        return []
    return ["the connection was not refused"]


def _connection(base_url: str) -> socket.socket:
    url = urlsplit(base_url)
    return socket.create_connection((url.hostname, url.port), timeout=10)


def _exchange(base_url: str, step: dict) -> list[str]:
    """Sends a request on a connection of its own, and compares what comes with what the script says."""
    request, respond = step["request"], step["respond"]
    lines = [f"{request['line']} HTTP/1.1", "host: server", "connection: close", *(f"{name}: {value}" for name, value in request["headers"].items())]
    with _connection(base_url) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + request["body"])
        connection.settimeout(SILENCE if respond.get("never") else 10)
        came, end = b"", ""
        try:
            while chunk := connection.recv(65536):
                came += chunk
        except (ConnectionResetError, TimeoutError) as error:
            end = type(error).__name__
    wanted = response_bytes(respond, False, "breakAfter" not in respond)[: respond.get("breakAfter")] if "status" in respond else b""
    wanted_end = "TimeoutError" if respond.get("never") else "ConnectionResetError" if respond.get("reset") else ""
    if (came, end) == (wanted, wanted_end):
        return []
    return [f"{request['line']}: {came[:300]!r} {end} came, but expected {wanted[:300]!r} {wanted_end}"]

"""Compares a request with what a step of a script expects."""

import json
import re
from email.message import Message
from urllib.parse import parse_qsl, unquote

from http1 import Request
from vectors import KEY

STORAGE = "/storage/"
# What a repeated request has in common with the one before, besides line and body.
REPEATED = ("idempotency-key", "content-type", "content-length", "authorization")
# What the head of a form's part says.
PART = {"name": r'form-data;.*\bname="([^"]*)"', "fileName": r'\bfilename="([^"]*)"', "type": r"^content-type: *([^;\r\n]+)"}


def problems_of(request: Request, expect: dict, vector: dict, earlier: list[Request]) -> list[str]:
    """Returns what is wrong with a request. `earlier` are those of the run before it."""
    if expect.get("again"):
        expect = _repeated(request, expect, earlier[-1]) if earlier else {**expect, "request": "a repeated request"}
    found = _line(request, expect["request"]) + expect.get("problems", [])
    wanted = {**_usual_headers(request, vector, earlier, expect), **{name.lower(): value for name, value in expect.get("headers", {}).items()}}
    for name, value in wanted.items():
        found += _header(name, request.headers.get(name), value)
    if not expect.get("again"):
        found += _body(request, expect, vector)
    if "transfer-encoding" in request.headers and "content-length" in request.headers:
        found.append("both Content-Length and Transfer-Encoding are set")
    return [f"{request.line}: {problem}" for problem in found]


def _repeated(request: Request, expect: dict, before: Request) -> dict:
    """Returns the expectation that a request is the one before, unchanged except for what a step says."""
    headers = {**{name: before.headers.get(name) for name in REPEATED}, **expect.get("headers", {})}
    differs = [] if request.body == before.body else ["the body differs from the one of the request before"]
    return {**expect, "request": before.line, "headers": headers, "problems": differs}


def _line(request: Request, expected: str) -> list[str]:
    method, target = expected.split(" ", 1)
    if request.method == method and _parts(request.target) == _parts(target):
        return []
    return [f"expected {expected}"]


def _parts(target: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns the decoded segments of the path, and the parameters. A slash in a segment is not one between segments."""
    path, _, query = target.partition("?")
    return [unquote(segment) for segment in path.split("/")], sorted(parse_qsl(query, keep_blank_values=True))


def _usual_headers(request: Request, vector: dict, earlier: list[Request], expect: dict) -> dict[str, object]:
    """Returns what holds for every request, unless a step says otherwise."""
    if request.target.startswith(STORAGE):
        return {"authorization": None, "idempotency-key": None, "transfer-encoding": None, "content-length": str(len(request.body))}
    headers: dict[str, object] = {"accept": {"matches": r"application/json|\*/\*"}, "user-agent": {"matches": "."}}
    if expect.get("again"):
        return headers
    headers["authorization"] = credential_of(vector["client"])
    headers["idempotency-key"] = None
    if request.method == "POST":
        # Another call has another key.
        known = [each.headers.get("idempotency-key") for each in earlier]
        headers["idempotency-key"] = {"matches": "^[!-~]{1,255}$", "not": known}
    if "json" in expect:
        headers["content-type"] = {"matches": "^application/json"}
    return headers


def credential_of(client: dict) -> str | None:
    key = client.get("apiKey", client.get("environment", {}).get("MESSAGING_API_KEY", KEY))
    key = key[0] if isinstance(key, list) else key
    return None if key is None else f"Bearer {key}"


def _header(name: str, value: str | None, wanted: object) -> list[str]:
    """Compares a header: with a text, with `null` for absent, or with `{"matches": regex, "not": […]}`."""
    if not isinstance(wanted, dict):
        return [] if value == wanted else [f"{name} is {value!r}, but expected {wanted!r}"]
    if value is None or not re.search(wanted.get("matches", ""), value):
        return [f"{name} is {value!r}, but must match {wanted.get('matches', '.')}"]
    return [f"{name} is {value!r}, as in an earlier request"] if value in wanted.get("not", []) else []


def _body(request: Request, expect: dict, vector: dict) -> list[str]:
    if "json" in expect:
        # `"call 2"` stands for the body of the second call.
        named = re.fullmatch(r"call (\d+)", expect["json"]) if isinstance(expect["json"], str) else None
        return _json(request.body, vector["calls"][int(named[1]) - 1]["body"] if named else expect["json"])
    if "multipart" in expect:
        return _form(request, expect["multipart"], vector)
    wanted = file_of(vector, expect["file"]) if "file" in expect else b""
    return [] if request.body == wanted else [f"the body has {len(request.body)} bytes that are not the expected {len(wanted)}"]


def _json(body: bytes, wanted: object) -> list[str]:
    try:
        value = json.loads(body)
    except ValueError:
        return [f"the body is not JSON: {body[:200]!r}"]
    # Python takes 1 and True for the same.
    same = json.dumps(value, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    return [] if same else [f"the body is {json.dumps(value)}, but expected {json.dumps(wanted)}"]


def _form(request: Request, wanted: dict, vector: dict) -> list[str]:
    """Compares a form of one part: `{"name", "fileName", "type", "file": number of the call}`."""
    content_type = Message()
    content_type["content-type"] = request.headers.get("content-type", "")
    boundary = content_type.get_param("boundary")
    if content_type.get_content_type() != "multipart/form-data" or not isinstance(boundary, str):
        return ["the body is not multipart/form-data"]
    start, *parts, end = (b"\r\n" + request.body).split(b"\r\n--" + boundary.encode())
    if start or end.rstrip() != b"--" or len(parts) != 1:
        return [f"the form has {len(parts)} parts, but expected 1"]
    head, _, content = parts[0].removeprefix(b"\r\n").partition(b"\r\n\r\n")
    # Names are in UTF-8, as browsers send them.
    lines = head.decode(errors="replace")
    found = {name: _first(pattern, lines) for name, pattern in PART.items()}
    problems = [f"{name} of the part is {value!r}, but expected {wanted[name]!r}" for name, value in found.items() if value != wanted[name]]
    return problems + ([] if content == file_of(vector, wanted["file"]) else ["the part's bytes are not the file's"])


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text, re.IGNORECASE | re.MULTILINE)
    return found[1] if found else None


def file_of(vector: dict, number: int) -> bytes:
    """Returns the bytes of the file that a call uploads."""
    file = vector["calls"][number - 1]["arguments"]["file"]
    if "text" in file:
        return file["text"].encode()
    pattern = bytes(range(251))
    return (pattern * (file["size"] // len(pattern) + 1))[: file["size"]]

"""Reads the vectors, and expands what is short in the files. README.md describes both forms."""

import copy
import json
from pathlib import Path

from http1 import response_bytes

FOLDER = Path(__file__).parent
# Named bodies that all files can use, not vectors.
EXAMPLES = FOLDER / "examples.json"
KEY = "sk_test_app_conformance"
# 2027-01-15T08:00:00Z.
NOW = 1_800_000_000_000
EACH_BYTE = "each byte"


def files() -> list[Path]:
    return sorted(path for path in FOLDER.glob("*.json") if path != EXAMPLES)


def load_all() -> dict[str, dict]:
    """Returns all vectors by name."""
    vectors: dict[str, dict] = {}
    for path in files():
        for vector in load(path):
            if vector["name"] in vectors:
                raise ValueError(f"{path.name}: two vectors have the name {vector['name']!r}")
            vectors[vector["name"]] = vector
    return vectors


def load(path: Path) -> list[dict]:
    """Returns the vectors of a file, expanded."""
    content = json.loads(path.read_text())
    bodies = {**json.loads(EXAMPLES.read_text()), **content.get("bodies", {})}
    return [each for vector in content["vectors"] for each in expand(vector, content["rule"], bodies)]


def expand(vector: dict, rule: str, bodies: dict[str, object]) -> list[dict]:
    """Returns a vector in its long form: several, if it stands for a family."""
    vector = resolve({"rule": rule, "client": {}, "now": NOW, "random": 1, "script": [], **vector}, bodies)
    vector["script"] = [resolve(_step(step, vector["calls"]), bodies) for step in vector["script"]]
    responses = [step["respond"] for step in vector["script"] if "respond" in step]
    for call in vector["calls"]:
        call["result"] = _result(call.get("result", {"of": len(responses)}), responses)
    _check(vector)
    return _family(vector)


def resolve(value: object, bodies: dict[str, object]) -> object:
    """Replaces `{"use": name, …}` by the body with this name, with the other fields in it."""
    if isinstance(value, list):
        return [resolve(each, bodies) for each in value]
    if not isinstance(value, dict):
        return value
    fields = {name: resolve(each, bodies) for name, each in value.items() if name != "use"}
    if "use" not in value:
        return fields
    body = resolve(copy.deepcopy(bodies[value["use"]]), bodies)
    return {**body, **fields} if fields else body


def _step(step: dict, calls: list[dict]) -> dict:
    """Writes a step out in full: `"expect": "POST /v1/sms (body of call 1)"`, `"respond": 503`, `"respond": "never"`, `"wait": 500`."""
    step = dict(step)
    if isinstance(step.get("expect"), str):
        step["expect"] = _expectation(step["expect"])
    respond = step.get("respond")
    if isinstance(respond, int):
        # A success has the example of the first call's operation.
        step["respond"] = {"status": respond, "json": {"use": calls[0]["method"]} if respond < 300 else {"message": "Scripted"}}
    if isinstance(respond, str):
        step["respond"] = {respond: True}
    if isinstance(step.get("wait"), int):
        step["wait"] = [step["wait"]] * 2
    return step


def _expectation(text: str) -> dict:
    if text == "again":
        return {"again": True}
    request, _, call = text.partition(" (body of ")
    return {"request": request, "json": call.rstrip(")")} if call else {"request": request}


def _result(result: dict, responses: list[dict]) -> dict:
    """Replaces `{"of": n}` by the JSON of the n-th response."""
    result = dict(result)
    if "of" in result:
        result["value"] = responses[result.pop("of") - 1]["json"]
    return result


def _family(vector: dict) -> list[dict]:
    """Returns one vector per byte of a response that ends early."""
    at = next((at for at, step in enumerate(vector["script"]) if step.get("respond", {}).get("breakAfter") == EACH_BYTE), None)
    if at is None:
        return [vector]
    whole = response_bytes(vector["script"][at]["respond"])
    return [_broken(vector, at, length) for length in range(len(whole))]


def _broken(vector: dict, at: int, length: int) -> dict:
    member = copy.deepcopy(vector)
    member["name"] += f", {length} bytes"
    member["script"][at]["respond"]["breakAfter"] = length
    return member


STEPS = {"expect", "respond", "wait", "refuse"}
EXPECT = {"request", "again", "headers", "json", "multipart", "file"}
RESPOND = {"status", "headers", "json", "text", "chunked", "gzip", "breakAfter", "reset", "never", "close"}
VECTOR = {"name", "rule", "needs", "client", "now", "random", "calls", "script", "messages"}
CALL = {"method", "path", "query", "body", "options", "read", "take", "cancel", "arguments", "result"}
RESULT = {"value", "items", "pages", "trace", "empty", "cancelled", "error", "response"}


def _check(vector: dict) -> None:
    """Finds misspelled fields."""
    parts = [(vector, VECTOR), *((call, CALL) for call in vector["calls"]), *((call["result"], RESULT) for call in vector["calls"])]
    for step in vector["script"]:
        parts += [(step, STEPS), (step.get("expect", {}), EXPECT), (step.get("respond", {}), RESPOND)]
    for part, allowed in parts:
        if unknown := set(part) - allowed:
            raise ValueError(f"{vector['name']}: unknown fields: {', '.join(sorted(unknown))}")


def for_runners(vector: dict) -> dict:
    """Returns a vector without its script, which is the server's."""
    return {name: value for name, value in vector.items() if name not in ("script", "messages")}

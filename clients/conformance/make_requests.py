"""Makes requests.json and examples.json from the OpenAPI document: each operation that users have, once.

Usage: python3 -B clients/conformance/make_requests.py [--check]
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

from tidy import tidy

FOLDER = Path(__file__).parent
DOCUMENT = FOLDER.parent.parent / "docs" / "openapi.json"
METHODS = ("get", "post", "put", "patch", "delete")
# Longer lists in examples are cut: they show nothing more.
MOST_ELEMENTS = 1
UPLOAD = {"name": "receipt.pdf", "text": "%PDF-1.4\n"}


class Document:
    def __init__(self, content: dict) -> None:
        self._content = content

    def operations(self) -> Iterator[tuple[str, str, dict]]:
        """Yields method, path and operation, by the operation's id."""
        found = [
            (method.upper(), path, operation)
            for path, item in self._content["paths"].items()
            for method, operation in item.items()
            if method in METHODS and not operation.get("x-internal")
        ]
        yield from sorted(found, key=lambda each: each[2]["operationId"])

    def resolved(self, value: dict) -> dict:
        while "$ref" in value:
            found = self._content
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def parameters(self, operation: dict, place: str) -> list[dict]:
        each = [self.resolved(parameter) for parameter in operation.get("parameters", [])]
        return [parameter for parameter in each if parameter["in"] == place]

    def value_of(self, parameter: dict) -> object:
        """Returns a value that the operation accepts: the example, or one made from the schema."""
        if "example" in parameter:
            return parameter["example"]
        schema = self.resolved(parameter["schema"])
        if "enum" in schema:
            return schema["enum"][0]
        if "example" in schema or "examples" in schema:
            return schema.get("example", next(iter(schema.get("examples", [])), None))
        if schema.get("format") == "date-time":
            return "2026-11-21T08:00:00+01:00"
        by_name = {
            "contact": "+12015550123", "limit": 2, "allLanguages": True, "clientReference": "order 7/8",
            "language": "en_US", "status": "APPROVED", "category": "UTILITY",
        }
        return by_name.get(parameter["name"], f"a {parameter['name']} & more")

    def success(self, operation: dict) -> tuple[int, object]:
        """Returns status and example of the first response that is a success."""
        status = next(status for status in operation["responses"] if status.startswith("2"))
        (content,) = self.resolved(operation["responses"][status]).get("content", {"": {}}).values()
        examples = content.get("examples", {})
        return int(status), content.get("example", next((each["value"] for each in examples.values()), {"openapi": "3.1.0"}))


def cut(value: object) -> object:
    if isinstance(value, list):
        return [cut(each) for each in value[:MOST_ELEMENTS]]
    return {name: cut(each) for name, each in value.items()} if isinstance(value, dict) else value


def vector_of(document: Document, method: str, path: str, operation: dict) -> dict:
    name = operation["operationId"]
    status, example = document.success(operation)
    call: dict[str, object] = {"method": name}
    form: dict[str, object] = {}
    note = ""
    if values := {each["name"]: document.value_of(each) for each in document.parameters(operation, "path")}:
        call["path"] = values
    for parameter, value in values.items():
        path = path.replace(f"{{{parameter}}}", quote(str(value), safe=""))
    if query := {each["name"]: document.value_of(each) for each in document.parameters(operation, "query")}:
        call["query"] = query
        path += "?" + urlencode({each: json.dumps(value) if isinstance(value, bool) else value for each, value in query.items()})
    if body := document.resolved(operation.get("requestBody", {})):
        if "multipart/form-data" in body["content"]:
            call["arguments"] = {"file": UPLOAD, "as": "bytes"}
            form = {"multipart": {"name": "file", "fileName": UPLOAD["name"], "type": "application/pdf", "file": 1}}
        else:
            call["body"], note = body["content"]["application/json"]["example"], " (body of call 1)"
    if isinstance(example, dict) and "nextCursor" in example:
        call["read"] = "page"
    expect = f"{method} {path}{note}"
    takes_key = any(each["name"] == "Idempotency-Key" for each in document.parameters(operation, "header"))
    if method == "POST" and not takes_key:
        form["headers"] = {"idempotency-key": None}
    if form and note:
        form["json"], expect = "call 1", expect.removesuffix(note)
    step = {"expect": {"request": expect, **form} if form else expect, "respond": status}
    return {"name": f"the request of {name}", "calls": [call], "script": [step]}


def make() -> dict[Path, str]:
    document = Document(json.loads(DOCUMENT.read_text()))
    examples = {operation["operationId"]: cut(document.success(operation)[1]) for _, _, operation in document.operations()}
    vectors = [vector_of(document, *each) for each in document.operations()]
    return {
        FOLDER / "examples.json": tidy(examples),
        FOLDER / "requests.json": tidy({"rule": "calls", "vectors": vectors}),
    }


def stale() -> list[str]:
    """Returns the names of files that differ from what the document says."""
    return [path.name for path, text in make().items() if not path.exists() or path.read_text() != text]


def main() -> None:
    if "--check" not in sys.argv:
        for path, text in make().items():
            path.write_text(text)
    elif names := stale():
        sys.exit(f"The document has changed: {', '.join(names)}. Run python3 -B clients/conformance/make_requests.py.")


if __name__ == "__main__":
    main()

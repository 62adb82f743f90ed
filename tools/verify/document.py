"""The OpenAPI document of this checkout: its operations, who may call them, and which responses they may give."""

import json
from dataclasses import dataclass
from functools import cache

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tools.stack.project import ROOT
from tools.verify.client import Reply
from tools.verify.report import expect

NAME = "urn:openapi"


@cache
def document() -> dict:
    return json.loads((ROOT / "docs" / "openapi.json").read_text())


@cache
def registry() -> Registry:
    return Registry().with_resource(NAME, Resource(document(), DRAFT202012))


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    id: str
    # The names of the security schemes that it accepts; empty if it takes no credential.
    kinds: frozenset[str]

    @property
    def route(self) -> str:
        return f"{self.method} {self.path}"

    def check(self, reply: Reply) -> None:
        """Fails unless the document allows this response."""
        place = f"paths/{escaped(self.path)}/{self.method.lower()}/responses/{reply.status}"
        response = find(place)
        expect(response is not None, f"{self.route}: a response that is not documented: {reply}")
        if "$ref" in response:
            place = response["$ref"].removeprefix("#/")
            response = find(place)
        content = response.get("content", {})
        kind = reply.headers.get("content-type", "").split(";")[0]
        expect(not content or kind in content, f"{self.route}: {reply.status} with Content-Type {kind!r}")
        if kind == "application/json" and "schema" in content.get(kind, {}):
            schema = {"$ref": f"{NAME}#/{place}/content/application~1json/schema"}
            complain(schema, reply.json, f"{self.route}: {reply.status}")


def complain(schema: dict, value: object, where: str) -> None:
    """Fails unless the value is valid under the schema, which may refer to the document."""
    for error in Draft202012Validator(schema, registry=registry()).iter_errors(value):
        expect(False, f"{where}: {error.json_path}: {error.message[:300]}")


def check_delivery(event: str, body: object) -> None:
    """Fails unless the document allows this body of a delivery."""
    place = f"webhooks/{escaped(event)}/post/requestBody/content/application~1json/schema"
    complain({"$ref": f"{NAME}#/{place}"}, body, event)


def escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def find(place: str) -> dict | None:
    found = document()
    for key in place.split("/"):
        found = found.get(key.replace("~1", "/").replace("~0", "~"), None) if isinstance(found, dict) else None
    return found


def operations() -> list[Operation]:
    found = []
    for path, item in document()["paths"].items():
        for method, operation in item.items():
            kinds = frozenset(name for scheme in operation.get("security", []) for name in scheme)
            found.append(Operation(method.upper(), path, operation["operationId"], kinds))
    return found

"""Parses requests of services whose operations are HTTP methods and paths, with JSON bodies (Lambda), by the service's
model."""

import functools
import json
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote

from botocore.model import OperationModel, StructureShape

from .model import service_model, typed, wire_name

# Locations of members outside of the body. Members without a location are in it.
PATH, QUERY, HEADER = "uri", "querystring", "header"


@dataclass(frozen=True)
class Route:
    """Method and path of an operation, and the query parameters that distinguish it."""

    operation: OperationModel
    method: str
    path: re.Pattern
    query: dict[str, list[str]]


@dataclass(frozen=True)
class Call:
    """A request whose operation is known, before its body is read."""

    operation: OperationModel
    labels: dict[str, str]
    query: dict[str, list[str]]

    @property
    def shape(self) -> StructureShape | None:
        return self.operation.input_shape

    @property
    def payload(self) -> str | None:
        """The member that is the whole body."""
        member = self.shape and self.shape.serialization.get("payload")
        return member and wire_name(self.shape, member)

    @property
    def is_opaque(self) -> bool:
        """Whether the body has no structure, such as the event of a function."""
        member = self.shape and self.shape.serialization.get("payload")
        return bool(member) and not isinstance(self.shape.members[member], StructureShape)

    def parse(self, headers: dict[str, str], body: bytes) -> dict:
        """Returns the input. A body that is no JSON object is left to the emulator; one without structure is not needed."""
        if self.shape is None:
            return {}
        found: dict[str, object] = {}
        for member, part in self.shape.members.items():
            name, location = wire_name(self.shape, member), part.serialization.get("location")
            if location == PATH and name in self.labels:
                found[name] = typed(part, self.labels[name])
            elif location == QUERY and name in self.query:
                values = self.query[name]
                found[name] = values if part.type_name == "list" else typed(part, values[0])
            elif location == HEADER and name.lower() in headers:
                found[name] = typed(part, headers[name.lower()])
        if self.is_opaque:
            found[self.payload] = b""
        elif body:
            found |= self.content(body)
        return found

    def content(self, body: bytes) -> dict:
        try:
            content = json.loads(body)
        except ValueError:
            return {}
        if self.payload:
            return {self.payload: content}
        return content if isinstance(content, dict) else {}


@functools.cache
def routes(service: str) -> list[Route]:
    model = service_model(service)
    found = []
    for name in model.operation_names:
        operation = model.operation_model(name)
        path, _, query = operation.http["requestUri"].partition("?")
        # Literals and the names of labels in turn.
        literals_and_labels = re.split(r"\{(\w+)\}", path)
        pattern = "".join(
            f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(literals_and_labels)
        )
        found.append(Route(operation, operation.http["method"], re.compile(f"{pattern}/?"), parse_qs(query)))
    # Those with query parameters first, as others with the same path take any.
    return sorted(found, key=lambda route: len(route.query), reverse=True)


def parse_target(service: str, method: str, target: str) -> Call | None:
    """Returns the operation and the members of its input in path and query; None if there is no such operation."""
    path, _, query = target.partition("?")
    given = parse_qs(query, keep_blank_values=True)
    for route in routes(service):
        match = route.path.fullmatch(path) if route.method == method else None
        if match and all(given.get(name) == values for name, values in route.query.items()):
            labels = {name: unquote(text) for name, text in match.groupdict().items()}
            return Call(route.operation, labels, given)
    return None

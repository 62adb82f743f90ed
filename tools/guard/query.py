"""Parses requests of services whose requests are HTML forms (SNS), by the service's model.

A list `Tags` has the members `Tags.member.1`, `Tags.member.2` and so on, and a map `Attributes` has `Attributes.entry.1.key`
and `Attributes.entry.1.value`. Lists and maps that the model calls flattened lack the middle part; SNS has none of them.
"""

from urllib.parse import parse_qsl

from botocore.model import ListShape, MapShape, OperationNotFoundError, Shape, StructureShape

from .model import service_model, typed, wire_name


def parse_form(service: str, body: bytes) -> tuple[str, dict]:
    """Returns operation and input; the input is empty if the operation is unknown."""
    fields = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    operation = fields.get("Action", "")
    try:
        shape = service_model(service).operation_model(operation).input_shape
    except OperationNotFoundError:
        return operation, {}
    return operation, parse(shape, fields, "") or {}


def parse(shape: Shape, fields: dict[str, str], name: str) -> object:
    """Returns the value of the field with this name, or whose parts' names begin with it; None if there is none."""
    if isinstance(shape, StructureShape):
        found = {}
        for member, part in shape.members.items():
            written = wire_name(shape, member)
            found[written] = parse(part, fields, f"{name}.{written}" if name else written)
        return {member: value for member, value in found.items() if value is not None} or None
    if isinstance(shape, ListShape):
        return members(shape.member, fields, f"{name}.{shape.member.serialization.get('name', 'member')}") or None
    if isinstance(shape, MapShape):
        keys = members(shape.key, fields, f"{name}.entry", f".{shape.key.serialization.get('name', 'key')}")
        values = members(shape.value, fields, f"{name}.entry", f".{shape.value.serialization.get('name', 'value')}")
        return dict(zip(keys, values)) or None
    return typed(shape, fields[name]) if name in fields else None


def members(shape: Shape, fields: dict[str, str], name: str, end: str = "") -> list:
    found = []
    while (value := parse(shape, fields, f"{name}.{len(found) + 1}{end}")) is not None:
        found.append(value)
    return found

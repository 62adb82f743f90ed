"""DynamoDB attribute values: their types, their sizes, and how they compare."""

import base64
import binascii
import re
from decimal import Decimal, InvalidOperation

from .schema import Schema


def content(value: object) -> tuple[str, object]:
    """Returns type and content of an attribute value; the type is empty if it is not one."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.items()))
    return "", None


def collect(value: object, level: int, placeholder: str | None, into: list) -> None:
    kind, inner = content(value)
    into.append((kind, inner, level, placeholder))
    children = inner.values() if kind == "M" and isinstance(inner, dict) else inner if kind == "L" else ()
    for child in children or ():
        collect(child, level + 1, placeholder, into)


def raw(text: object) -> bytes:
    """Returns the bytes of a base64 string, or the string's own bytes if it is not base64."""
    if not isinstance(text, str):
        return b""
    try:
        return base64.b64decode(text)
    except binascii.Error:
        return text.encode()


def utf8(text: object) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b""


def comparable(value: object) -> object:
    """Returns a Python value that compares as DynamoDB compares key values."""
    kind, inner = content(value)
    if kind == "N":
        try:
            return Decimal(inner)
        except (InvalidOperation, TypeError, ValueError):
            return Decimal(0)
    return raw(inner) if kind == "B" else utf8(inner)


def key_of(item: dict, schema: Schema) -> tuple | None:
    if any(attribute not in item for attribute in schema.keys):
        return None
    return tuple((content(item[attribute])[0], comparable(item[attribute])) for attribute in schema.keys)


def value_size(value: object) -> int:
    kind, inner = content(value)
    if kind == "S":
        return len(utf8(inner))
    if kind == "N":
        return number_size(inner)
    if kind == "B":
        return len(raw(inner))
    if kind == "SS":
        return sum(len(utf8(member)) for member in inner)
    if kind == "NS":
        return sum(number_size(member) for member in inner)
    if kind == "BS":
        return sum(len(raw(member)) for member in inner)
    if kind == "L":
        return 3 + sum(1 + value_size(member) for member in inner)
    if kind == "M":
        return 3 + sum(1 + len(utf8(name)) + value_size(member) for name, member in inner.items())
    return 1


def digits(number: object) -> str:
    """Returns the significant digits."""
    mantissa = re.split("[eE]", str(number))[0].lstrip("+-")
    return mantissa.replace(".", "").lstrip("0").rstrip("0")


def number_size(number: object) -> int:
    return (len(digits(number)) + 1) // 2 + 1


def item_size(item: dict) -> int:
    return sum(len(utf8(name)) + value_size(value) for name, value in item.items())

"""Checks that a generated client has each operation of the document, under the name that its generator derives from the
operation's id."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
# The file or folder in which each generator leaves its client.
GENERATED = {
    "openapi-python-client": "messaging-api-client",
    "openapi-ts": "hey",
    "openapi-typescript": "schema.d.ts",
}


def operation_ids(document: dict) -> list[str]:
    return [
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method in METHODS
    ]


def snake_case(operation_id: str) -> str:
    """Returns `chat_phone_numbers_list` for `chat.phoneNumbers.list`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation_id).replace(".", "_").lower()


def camel_case(operation_id: str) -> str:
    """Returns `chatPhoneNumbersList` for `chat.phoneNumbers.list`."""
    first, *others = operation_id.split(".")
    return first + "".join(part[0].upper() + part[1:] for part in others)


def in_python(client: Path) -> Iterable[str]:
    modules = client.glob("messaging_api_client/api/*/*.py")
    return (module.stem for module in modules if "def sync_detailed(" in module.read_text())


def in_functions(client: Path) -> Iterable[str]:
    return re.findall(r"^export const (\w+) = <", (client / "sdk.gen.ts").read_text(), re.MULTILINE)


def in_types(schema: Path) -> Iterable[str]:
    """Returns the operations of the paths. `operations` also has those of webhooks."""
    paths = re.search(r"^export interface paths \{\n.*?^\}", schema.read_text(), re.DOTALL | re.MULTILINE)
    return re.findall(r'^        \w+: operations\["([^"]+)"\];$', paths[0] if paths else "", re.MULTILINE)


RULES: dict[str, tuple[Callable[[str], str], Callable[[Path], Iterable[str]]]] = {
    "openapi-python-client": (snake_case, in_python),
    "openapi-ts": (camel_case, in_functions),
    "openapi-typescript": (str, in_types),
}


def faults(folder: Path) -> list[str]:
    """Compares the clients in a folder with the document there."""
    ids = operation_ids(json.loads((folder / "openapi.json").read_text()))
    return [
        fault
        for generator, (name, found) in RULES.items()
        for fault in differences(generator, Counter(map(name, ids)), Counter(found(folder / GENERATED[generator])))
    ]


def differences(generator: str, expected: Counter[str], found: Counter[str]) -> list[str]:
    missing, others = sorted((expected - found).elements()), sorted((found - expected).elements())
    lines = [f"{generator} did not generate {name}." for name in missing]
    return lines + [f"{generator} generated {name}, which is not the name of an operation." for name in others]

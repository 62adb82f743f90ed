"""A request as the rules see it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import parse_qsl, unquote_to_bytes

from .actions import Action, actions
from .schema import Schema
from .values import collect

LOCAL_PREFIX = re.compile(r"^/_aws/execute-api/[^/?]*")


@dataclass
class Request:
    """A request to an AWS service, or to the API behind the gateway."""

    service: str
    operation: str
    data: dict = field(default_factory=dict)
    method: str = "POST"
    target: str = "/"
    headers: list[tuple[str, str]] = field(default_factory=list)
    header_size: int = 0
    body: bytes = b""
    schema: Callable[[str], Schema | None] = lambda table: None
    # The Content-Length, while the body has not been read.
    announced: int = 0

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known == name), None)

    @cached_property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def path(self) -> str:
        """The path without the emulator's prefix. On AWS the API's id is in the host name instead."""
        return LOCAL_PREFIX.sub("", self.target, 1).partition("?")[0] or "/"

    @property
    def title(self) -> str:
        """The name of this request in reports."""
        return f"{self.method} {self.path}" if self.service == "gateway" else self.operation

    @cached_property
    def object_key(self) -> bytes:
        """The key of the object in a path-style URL."""
        path = self.target.partition("?")[0].lstrip("/")
        return unquote_to_bytes(path.partition("/")[2])

    @cached_property
    def actions(self) -> list[Action]:
        return list(actions(self.operation, self.data, self.schema))

    @cached_property
    def leaves(self) -> list[tuple[str, object, int, str | None]]:
        """Type, content, depth and placeholder of every attribute value in the request."""
        found: list[tuple[str, object, int, str | None]] = []
        for action in self.actions:
            for holder in ("Item", "Key"):
                for value in (action.fields.get(holder) or {}).values():
                    collect(value, 1, None, found)
            for placeholder, value in action.values.items():
                collect(value, 1, placeholder, found)
        return found

"""What all objects of sample events have in common: the stack in which they are created, and their removal."""

import contextlib
import secrets

from tools.stack.stack import Stack


class Objects:
    """Creates objects in the organization of the given values."""

    def __init__(self, stack: Stack, values: dict[str, str]):
        self.stack = stack
        self.values = values
        # The paths of objects that were created and of which there may be only a few.
        self.to_delete: list[str] = []

    def post(self, path: str, key: str, body: dict) -> dict:
        return self.stack.call("POST", path, self.values[key], body)

    def clean_up(self) -> None:
        """Deletes webhooks and templates, of which there may be only a few. The sample may have deleted its own."""
        for path in self.to_delete:
            with contextlib.suppress(Exception):
                self.stack.call("DELETE", path, self.values["ADMIN_KEY"])

    def make_unique(self) -> str:
        return secrets.token_hex(16)

    def make_free_number(self) -> str:
        return f"+4930{secrets.randbelow(10**9):09}"

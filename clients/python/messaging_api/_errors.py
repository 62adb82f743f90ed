"""The base of what methods raise. There is a class of it for each meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._generated.types import ErrorProvider


class MessagingError(Exception):
    """The base class of all errors, and the class of mistakes in a call."""

    status: int | None
    """The HTTP status, if there was a response."""
    code: str | None
    """A machine-readable code, if one fits. Treat an unknown one like none."""
    param: str | None
    """The field, path parameter, query parameter or header with the error."""
    provider: ErrorProvider | None
    """The error of WhatsApp or of the SMS carrier."""
    request_id: str | None
    """Quote it when you report a problem."""
    message_id: str | None
    """The message that was stored although it was not sent."""
    doc_url: str | None
    """The documentation of the code."""
    additional_info: list[str] | None
    """Hints that may help."""
    retry_after: float | None
    """After how many seconds a retry may succeed."""
    headers: Mapping[str, str] | None
    """The headers of the response."""
    body: Any
    """The body as it came."""
    was_refused: bool
    """Whether nothing was sent because nobody listened."""

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        for name in _FACTS:
            setattr(self, name, facts.get(name))
        self.was_refused = bool(facts.get("was_refused"))


_FACTS = (
    "status", "code", "param", "provider", "request_id", "message_id", "doc_url", "additional_info", "retry_after",
    "headers", "body",
)

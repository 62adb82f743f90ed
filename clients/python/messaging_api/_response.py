"""The response that a resource came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Response:
    """A response of the service."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """The headers; their names have any letter case."""
    request_id: str | None
    """Quote it when you report a problem."""

    @property
    def is_replayed(self) -> bool:
        """Whether this is the response to an earlier request with the same ``Idempotency-Key``."""
        return self.headers.get("idempotency-replayed") == "true"


def request_id_of(headers: Mapping[str, str]) -> str | None:
    """Returns the request's id: the service's, or the gateway's."""
    return headers.get("x-request-id") or headers.get("apigw-requestid")

"""Requests, and what the rules ask a client to do. The rules are generators: they yield what they need and are sent the
result, so that the same rules serve both clients."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union
from urllib.parse import quote, urlencode

from ._content import Body
from ._errors import MessagingError
from ._options import NotGiven
from ._response import Response


@dataclass(frozen=True)
class Plan:
    """A request, the same in each attempt."""

    method: str
    url: str
    headers: Mapping[str, str]
    is_safe: bool
    """Whether a second execution has no second effect."""
    body: Callable[[], bytes | Body] | None = None
    """Returns the body anew for each attempt."""
    is_for_storage: bool = False
    """Whether it goes to storage, which needs no credential."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Send:
    """Asks for one attempt. Is sent the ``httpx.Response``, or the exception is thrown."""

    plan: Plan
    headers: Mapping[str, str]
    timeout: float


@dataclass(frozen=True)
class Sleep:
    """Asks to wait."""

    seconds: float


@dataclass(frozen=True)
class Credential:
    """Asks for the credential; ``refused`` is the one that was not accepted."""

    refused: str | None = None


Ask = Union[Send, Sleep, Credential]
T = TypeVar("T")
Steps = Generator[Ask, Any, T]
"""The steps of a call, which returns a ``T``."""


@dataclass(frozen=True)
class Result:
    """What a request led to."""

    data: Any
    response: Response


def path(template: str, *ids: str) -> str:
    """Returns a path with ids, each of which is one segment whatever it contains."""
    return template.format(*(_segment(each) for each in ids))


def _segment(text: object) -> str:
    # URLs take one or two dots for a step in the path.
    if isinstance(text, str) and text not in ("", ".", ".."):
        return quote(text, safe="")
    raise MessagingError(f"{text!r} is not an id. Pass the id of the object.")


def query_of(query: Mapping[str, Any]) -> str:
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return "?" + urlencode(given) if given else ""


def given(fields: Mapping[str, Any], *nullable: str) -> dict[str, Any]:
    """Returns the fields that were given. ``None`` is a value of those that are nullable only."""
    return {
        name: value for name, value in fields.items()
        if not isinstance(value, NotGiven) and (value is not None or name in nullable)
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

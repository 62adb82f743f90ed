"""A rule, and the error that AWS responds with if a request breaks it."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from .request import Request

DOCS = "https://docs.aws.amazon.com"


@dataclass(frozen=True)
class Refusal:
    """The error that AWS responds with. `more` holds members besides code and message. `entries` are the messages of
    single batch entries that fail; AWS accepts the rest of the batch."""

    code: str
    message: str
    status: int = 400
    more: dict = field(default_factory=dict)
    entries: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """A limit of AWS. Without `operations` it applies to every operation of the service. If `refused` is False, AWS
    accepts the request but does something unintended: the guard records it and passes it on."""

    name: str
    service: str
    operations: tuple[str, ...]
    check: Callable[[Request], Refusal | None]
    refused: bool = True
    _: KW_ONLY
    what: str
    limit: str
    url: str


def invalid(message: str) -> Refusal:
    return Refusal("ValidationException", message)


def within(given: object, most: int, least: int = 0) -> bool:
    """Whether an optional number is absent or in range."""
    return given is None or (isinstance(given, int) and least <= given <= most)

"""The objects that methods return."""

from __future__ import annotations

import copy
import inspect
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, overload

from ._response import Response

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake_case(name: str) -> str:
    """Returns the attribute of a field: ``text_body`` for ``textBody``, ``from_`` for ``from``."""
    snake = _HUMP.sub(lambda hump: "_" + hump[1].lower(), name)
    return snake + "_" if snake in _KEYWORDS else snake


_KEYWORDS = frozenset(
    {"as", "from", "import", "class", "def", "global", "in", "is", "not", "pass", "raise", "return", "with"}
)


R_co = TypeVar("R_co", covariant=True)


class Maker(Protocol[R_co]):
    """Makes an object of what came, such as a class of resources."""

    def __call__(self, fields: Mapping[str, Any], last_response: Response | None, /) -> R_co: ...


class Resource:
    """An object of the API. Fields are attributes in snake case: ``message.text_body``. A field that the service left
    out is ``None``. ``message["textBody"]`` is a value by the name that came, also of a field that this version does
    not know, and ``to_dict()`` returns all of them."""

    _kinds: ClassVar[dict[str, Maker[Resource] | None] | None] = None

    def __init__(self, fields: Mapping[str, Any], last_response: Response | None = None) -> None:
        self.__dict__["_values"] = fields
        self.__dict__["_last_response"] = last_response

    @property
    def last_response(self) -> Response | None:
        """The response that this object came in: status, headers and request id. Objects inside others have none."""
        response: Response | None = self.__dict__["_last_response"]
        return response

    def _field(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        index: dict[str, str] | None = self.__dict__.get("_index")
        if index is None:
            index = self.__dict__["_index"] = {snake_case(field): field for field in self.__dict__["_values"]}
        kinds = self._kinds_of_fields()
        if name not in index and name not in kinds:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        value = made(kinds.get(name), self.__dict__["_values"][index[name]]) if name in index else None
        self.__dict__[name] = value
        return value

    if not TYPE_CHECKING:
        # Checkers know the fields by their annotations, and find mistakes in names.
        __getattr__ = _field

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: it is what the service returned")

    def __getitem__(self, field: str) -> Any:
        return self.__dict__["_values"][field]

    def __contains__(self, field: object) -> bool:
        return field in self.__dict__["_values"]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__["_values"] == self.__dict__["_values"]

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Returns the object as it came."""
        return copy.deepcopy(dict(self.__dict__["_values"]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.__dict__['_values']!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.__dict__["_values"], None)

    @classmethod
    def _kinds_of_fields(cls) -> dict[str, Maker[Resource] | None]:
        """Returns the fields of the class by their attributes, with the class of the objects in them."""
        if "_kinds" not in cls.__dict__ or cls._kinds is None:
            module = vars(sys.modules[cls.__module__])
            fields = [item for base in reversed(cls.__mro__) for item in _annotations(base).items()]
            cls._kinds = {name: _class_in(annotation, module) for name, annotation in fields}
        return cls._kinds


R = TypeVar("R", bound=Resource)


def made(kind: Maker[Resource] | None, value: Any) -> Any:
    """Returns a value of JSON with its objects as resources. What has no class is as it came."""
    if kind is None:
        return value
    if isinstance(value, dict):
        return kind(value, None)
    if isinstance(value, list):
        return [made(kind, item) for item in value]
    return value


def _annotations(base: type) -> dict[str, str]:
    return {name: text for name, text in inspect.get_annotations(base).items() if not name.startswith("_")}


def _class_in(annotation: str, module: dict[str, Any]) -> Maker[Resource] | None:
    """Returns what makes the objects in an annotation such as ``list[ChatMessageRecipient] | None``, if any."""
    words = re.findall(r"\w+", annotation)
    if "Event" in words:
        # The module of events needs that of the other types, so these have only its name.
        from ._generated.events import event_of

        return lambda fields, _: event_of(fields)
    found = [module[word] for word in words if isinstance(module.get(word), type)]
    classes = [each for each in found if issubclass(each, Resource)]
    return classes[0] if len(classes) == 1 else (one_of(*classes) if classes else None)


A = TypeVar("A", bound=Resource)
B = TypeVar("B", bound=Resource)


@overload
def one_of(first: type[A], second: type[B], /) -> Maker[A | B]: ...
@overload
def one_of(*kinds: type[R]) -> Maker[R]: ...
def one_of(*kinds: type[Any]) -> Maker[Any]:
    """Returns what makes an object of one of several classes: of those whose constant fields are the object's, the
    first that knows most of its fields."""

    def make(fields: Mapping[str, Any], response: Response | None = None) -> Any:
        names = {snake_case(field) for field in fields}
        fitting = [kind for kind in kinds if _agrees(kind, fields)] or kinds
        return max(fitting, key=lambda kind: len(names & _annotations(kind).keys()))(fields, response)

    return make


def _agrees(kind: type[Resource], fields: Mapping[str, Any]) -> bool:
    # Python keeps the text of an annotation, but with quotation marks of its own choice.
    texts = {name: re.fullmatch(r"""Literal\[["'](\w+)["']\]""", text) for name, text in _annotations(kind).items()}
    return all(fields.get(name) == text[1] for name, text in texts.items() if text)

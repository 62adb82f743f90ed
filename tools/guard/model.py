"""Validates requests against the models of AWS's services, which botocore contains: required members, lengths of strings and
blobs, sizes of lists and maps, ranges of numbers, patterns and enumerations. Errors have the words of AWS.

An operation is compiled at its first request, into validators of only those parts of its input that have constraints.

- A null is an absent member, as for AWS.
- Unknown members are ignored, as by AWS. Values of another type than the model's are left for the emulator: SDKs send none.
- Strings are measured in characters, blobs in bytes.
- Patterns match whole strings, and `\\w`, `\\d` and `\\s` only ASCII, as AWS's servers in Java match them.
- Patterns that Python cannot compile are not applied. They contain Unicode classes (tags of Lambda) or surrogate pairs (two
  parameters of DynamoDB's automatic scaling).
- A model may be looser than its service: it has no limits that span several members. Those have rules of their own.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from botocore.loaders import Loader
from botocore.model import ListShape, MapShape, OperationNotFoundError, ServiceModel, Shape, StructureShape

from .values import raw

INTEGER = re.compile(r"-?[0-9]{1,18}")
NOT_NULL = "Member must not be null"
# What is not enforced: shapes by name, and members by the names of their structure and themselves.
UNENFORCED = {
    # A name of an attribute has at most 65,535 characters. For this, validators would have to walk through every item, to any
    # depth, and an item of 400 KB has hardly room for such a name.
    ("dynamodb", "AttributeName"),
    # The model allows only names of queue attributes. AWS also takes those of message system attributes, as before there was
    # MessageSystemAttributeNames.
    ("sqs", "ReceiveMessageRequest.AttributeNames"),
}
NUMBERS = ("integer", "long", "float", "double")
# JSON has no blobs; they are base64.
TYPES = {
    "string": (str,), "blob": (str,), "list": (list,), "map": (dict,), "structure": (dict,),
    **dict.fromkeys(NUMBERS, (int, float)),
}
# What `min` and `max` limit, and what AWS calls it.
MEASURES = {
    **dict.fromkeys(("string", "list", "map"), (len, "length")), "blob": (lambda value: len(raw(value)), "length"),
    **dict.fromkeys(NUMBERS, (lambda value: value, "value")),
}


@dataclass(frozen=True)
class Fault:
    """A constraint that a request breaks, and where. `value` is None if it is not shown: it is secret or not scalar."""

    path: tuple[str, ...]
    constraint: str
    value: str | None = None

    def __str__(self) -> str:
        shown = "Value null" if self.constraint == NOT_NULL else "Value" if self.value is None else f"Value '{self.value}'"
        return f"{shown} at '{'.'.join(self.path)}' failed to satisfy constraint: {self.constraint}"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint on a value itself, in AWS's words."""

    text: str
    is_kept: Callable[[object], bool]


class Validator:
    """Validates values of one shape: here by the constraints on the value itself, in subclasses also its contents."""

    def __init__(self, shape: Shape):
        self.shape = shape
        self.types = TYPES.get(shape.type_name, ())
        self.constraints = constraints_of(shape)
        self.is_shown = shape.type_name in ("string", *NUMBERS) and not shape.metadata.get("sensitive")

    def complete(self, parts: dict[str, "Validator"]) -> None:
        """Sets the validators of the parts that have constraints. It is not done at once, as a shape may contain itself."""

    def validate(self, value: object, path: tuple[str, ...], found: list[Fault]) -> None:
        if type(value) not in self.types:
            return
        for constraint in self.constraints:
            if not constraint.is_kept(value):
                found.append(Fault(path, constraint.text, str(value) if self.is_shown else None))
        self.validate_contents(value, path, found)

    def validate_contents(self, value: object, path: tuple[str, ...], found: list[Fault]) -> None:
        """Validates a value of the right type, except for the value itself."""

    def accepts(self, value: object) -> bool:
        """Whether a value itself, without its contents, keeps all constraints."""
        return type(value) not in self.types or all(constraint.is_kept(value) for constraint in self.constraints)

    def validate_parts(
        self, whose: str, parts: list[tuple[str, object]], path: tuple[str, ...], found: list[Fault]
    ) -> None:
        """Validates the parts of a list or map. AWS reports values of parts once for the whole, with all constraints."""
        if self.constraints and not all(self.accepts(value) for _, value in parts):
            all_of_them = ", ".join(constraint.text for constraint in self.constraints)
            found.append(Fault(path, f"{whose} must satisfy constraint: [{all_of_them}]"))
        for name, value in parts:
            if type(value) in self.types:
                self.validate_contents(value, (*path, name, "member"), found)


class Structure(Validator):
    def __init__(self, shape: StructureShape):
        super().__init__(shape)
        self.required = [(wire_name(shape, name), label(name)) for name in shape.required_members]

    def complete(self, parts: dict[str, Validator]) -> None:
        self.members = {wire_name(self.shape, name): (label(name), part) for name, part in parts.items()}

    def validate_contents(self, value: dict, path: tuple[str, ...], found: list[Fault]) -> None:
        for name, shown in self.required:
            if value.get(name) is None:
                found.append(Fault((*path, shown), NOT_NULL))
        for name, given in value.items():
            known = self.members.get(name)
            if known is not None:
                known[1].validate(given, (*path, known[0]), found)


class List(Validator):
    def complete(self, parts: dict[str, Validator]) -> None:
        self.member = parts.get("member")

    def validate_contents(self, value: list, path: tuple[str, ...], found: list[Fault]) -> None:
        if self.member:
            parts = [(str(at), part) for at, part in enumerate(value, 1)]
            self.member.validate_parts("Member", parts, path, found)


class Map(Validator):
    def complete(self, parts: dict[str, Validator]) -> None:
        self.key, self.value = parts.get("key"), parts.get("value")

    def validate_contents(self, value: dict, path: tuple[str, ...], found: list[Fault]) -> None:
        if self.key:
            self.key.validate_parts("Map keys", [(name, name) for name in value], path, found)
        if self.value:
            self.value.validate_parts("Map value", list(value.items()), path, found)


def label(name: str) -> str:
    """Returns the name of a member as AWS shows it."""
    return name[0].lower() + name[1:]


def wire_name(shape: StructureShape, member: str) -> str:
    """Returns the name of a member in requests."""
    return shape.members[member].serialization.get("name", member)


def typed(shape: Shape, text: str) -> str | int:
    """Returns a value that a request contains as text, as JSON would have it."""
    is_number = shape.type_name in ("integer", "long") and INTEGER.fullmatch(text)
    return int(text) if is_number else text


def constraints_of(shape: Shape) -> list[Constraint]:
    """Returns the constraints on values of a shape themselves, in the order in which AWS lists them."""
    given, found = shape.metadata, []
    measure, what = MEASURES.get(shape.type_name, (None, ""))
    most, least = (given.get("max"), given.get("min")) if measure else (None, None)
    if most is not None:
        found.append(Constraint(f"Member must have {what} less than or equal to {most}", lambda v: measure(v) <= most))
    # Many shapes have a minimum length of 0.
    if least is not None and (least, what) != (0, "length"):
        found.append(Constraint(f"Member must have {what} greater than or equal to {least}", lambda v: measure(v) >= least))
    if pattern := pattern_of(shape):
        text = f"Member must satisfy regular expression pattern: {given['pattern']}"
        found.append(Constraint(text, lambda value: pattern.fullmatch(value) is not None))
    if given.get("enum"):
        text = f"Member must satisfy enum value set: [{', '.join(given['enum'])}]"
        found.append(Constraint(text, frozenset(given["enum"]).__contains__))
    return found


def pattern_of(shape: Shape) -> re.Pattern | None:
    try:
        return re.compile(shape.metadata["pattern"], re.ASCII) if "pattern" in shape.metadata else None
    except re.error:
        return None


class Compiler:
    """Compiles the shapes of a service."""

    def __init__(self, service: str):
        self.service = service
        self.validators: dict[str, Validator] = {}

    def parts(self, shape: Shape) -> dict[str, Shape]:
        """Returns the enforced shapes of which a shape consists."""
        parts = {}
        if isinstance(shape, StructureShape):
            parts = {
                name: member for name, member in shape.members.items()
                if (self.service, f"{shape.name}.{name}") not in UNENFORCED
            }
        elif isinstance(shape, ListShape):
            parts = {"member": shape.member}
        elif isinstance(shape, MapShape):
            parts = {"key": shape.key, "value": shape.value}
        return {name: part for name, part in parts.items() if (self.service, part.name) not in UNENFORCED}

    def is_constrained(self, shape: Shape, within: frozenset[str] = frozenset()) -> bool:
        """Whether a shape or a part of it has constraints. `within` are the shapes that contain it."""
        if shape.name in within:
            return False
        if constraints_of(shape) or (isinstance(shape, StructureShape) and shape.required_members):
            return True
        return any(self.is_constrained(part, within | {shape.name}) for part in self.parts(shape).values())

    def compile(self, shape: Shape) -> Validator | None:
        """Returns the validator of a shape; None if nothing in it is constrained."""
        if not self.is_constrained(shape):
            return None
        if shape.name not in self.validators:
            kind = {StructureShape: Structure, ListShape: List, MapShape: Map}.get(type(shape), Validator)
            validator = self.validators[shape.name] = kind(shape)
            parts = {name: self.compile(part) for name, part in self.parts(shape).items()}
            validator.complete({name: part for name, part in parts.items() if part})
        return self.validators[shape.name]


@functools.cache
def service_model(service: str) -> ServiceModel:
    # Without the models that developers may have added for themselves.
    loader = Loader(extra_search_paths=[Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)
    return ServiceModel(loader.load_service_model(service, "service-2"), service)


@functools.cache
def compiler(service: str) -> Compiler:
    return Compiler(service)


@functools.lru_cache(maxsize=1024)
def validator_of(service: str, operation: str) -> Validator | None:
    """Returns the validator of an operation's input; None if it is unknown or nothing is constrained."""
    try:
        shape = service_model(service).operation_model(operation).input_shape
    except OperationNotFoundError:
        return None
    return compiler(service).compile(shape) if shape else None


def faults(service: str, operation: str, data: dict) -> list[Fault]:
    """Returns the constraints of the service's model that a request breaks."""
    validator = validator_of(service, operation)
    found: list[Fault] = []
    if validator:
        validator.validate(data, (), found)
    return found

"""Limits of DynamoDB on the values of attributes: keys, sets, numbers, nesting."""

from decimal import Decimal, InvalidOperation

from ...actions import READS_AND_WRITES
from ...request import Request
from ...rule import Refusal, Rule, invalid
from ...values import content, digits, value_size
from .pages import GUIDE

KEY_SIZES = {"HASH": 2048, "RANGE": 1024}
NESTING = 32
NUMBER_DIGITS = 38


def key_empty(request: Request) -> Refusal | None:
    for action in request.actions:
        for attribute, _, value, index in action.key_values():
            kind, inner = content(value)
            if kind not in ("S", "B") or inner:
                continue
            empty = "string" if kind == "S" else "binary"
            what = f"The AttributeValue for a key attribute cannot contain an empty {empty} value."
            if index is None:
                return invalid(f"One or more parameter values are not valid. {what} Key: {attribute}")
            if action.kind == "Update":
                return invalid(
                    "One or more parameter values are not valid. The update expression attempted to update a secondary "
                    f"index key to a value that is not supported. {what}"
                )
            return invalid(
                "One or more parameter values are not valid. A value specified for a secondary index key is not "
                f"supported. {what} IndexName: {index}, IndexKey: {attribute}"
            )
    return None


def key_size(request: Request) -> Refusal | None:
    for action in request.actions:
        for _, role, value, _ in action.key_values():
            if content(value)[0] in ("S", "B") and value_size(value) > KEY_SIZES[role]:
                what = "Size of hashkey has exceeded the maximum size limit of2048 bytes"
                if role == "RANGE":
                    what = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
                return invalid(f"One or more parameter values were invalid: {what}")
    return None


def set_empty(request: Request) -> Refusal | None:
    # The wording, with its mistakes, is that of AWS.
    sets = {
        "SS": "An string set  may not be empty",
        "NS": "An number set  may not be empty",
        "BS": "Binary sets should not be empty",
    }
    for kind, inner, _, placeholder in request.leaves:
        if kind in sets and not inner:
            message = f"One or more parameter values were invalid: {sets[kind]}"
            if placeholder:
                message = f"ExpressionAttributeValues contains invalid value: {message} for key {placeholder}"
            return invalid(message)
    return None


def number(request: Request) -> Refusal | None:
    for kind, inner, _, placeholder in request.leaves:
        for text in inner or () if kind == "NS" else (inner,) if kind == "N" else ():
            if message := number_fault(text):
                if placeholder:
                    message = f"ExpressionAttributeValues contains invalid value: {message} for key {placeholder}"
                return invalid(message)
    return None


def number_fault(text: object) -> str | None:
    if isinstance(text, str) and len(text) <= NUMBER_DIGITS and text.isdigit():
        return None
    try:
        parsed = Decimal(text)
    except (InvalidOperation, TypeError, ValueError):
        return f"The parameter cannot be converted to a numeric value: {text}"
    if not parsed.is_finite():
        return f"The parameter cannot be converted to a numeric value: {text}"
    if len(digits(text)) > NUMBER_DIGITS:
        return "Attempting to store more than 38 significant digits in a Number"
    if parsed and parsed.adjusted() > 125:
        return "Number overflow. Attempting to store a number with magnitude larger than supported range"
    if parsed and parsed.adjusted() < -130:
        return "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    return None


def nesting(request: Request) -> Refusal | None:
    if all(level <= NESTING for _, _, level, _ in request.leaves):
        return None
    return invalid(
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


RULES = [
    Rule(
        "dynamodb-key-empty", "dynamodb", READS_AND_WRITES, key_empty,
        what="Empty string or binary value of a key attribute of the table or an index",
        limit="1 byte at least",
        url=f"{GUIDE}/Constraints.html#limits-attributes",
    ),
    Rule(
        "dynamodb-key-size", "dynamodb", READS_AND_WRITES, key_size,
        what="Value of a key attribute of the table or an index",
        limit="2048 bytes partition key, 1024 bytes sort key",
        url=f"{GUIDE}/Constraints.html#limits-partition-sort-keys",
    ),
    Rule(
        "dynamodb-set-empty", "dynamodb", READS_AND_WRITES, set_empty,
        what="Empty set",
        limit="1 member at least",
        url=f"{GUIDE}/Constraints.html#limits-attributes",
    ),
    Rule(
        "dynamodb-number", "dynamodb", READS_AND_WRITES, number,
        what="Digits and magnitude of a number",
        limit="38 significant digits; 1E-130 to 9.9…E+125",
        url=f"{GUIDE}/Constraints.html#limits-data-types",
    ),
    Rule(
        "dynamodb-nesting", "dynamodb", READS_AND_WRITES, nesting,
        what="Depth of lists and maps, including the attribute itself",
        limit="32 levels",
        url=f"{GUIDE}/Constraints.html#limits-attributes",
    ),
]

"""Limits of DynamoDB on expressions and their placeholders."""

from ...actions import READS_AND_WRITES
from ...request import Request
from ...rule import Refusal, Rule, invalid
from ...values import utf8
from .pages import GUIDE

EXPRESSION_SIZE = 4 * 1024


def expression_size(request: Request) -> Refusal | None:
    for action in request.actions:
        for name, text in action.expressions:
            if len(utf8(text)) > EXPRESSION_SIZE:
                return invalid(
                    f"Invalid {name}: Expression size has exceeded the maximum allowed size; "
                    f"expression size: {len(utf8(text))}"
                )
    return None


def placeholder_undefined(request: Request) -> Refusal | None:
    for action in request.actions:
        for expression, used in action.placeholders:
            if used.startswith("#") and used not in action.names:
                return invalid(
                    f"Invalid {expression}: An expression attribute name used in the document path is not defined; "
                    f"attribute name: {used}"
                )
            if used.startswith(":") and used not in action.values:
                return invalid(
                    f"Invalid {expression}: An expression attribute value used in expression is not defined; "
                    f"attribute value: {used}"
                )
    return None


def placeholder_unused(request: Request) -> Refusal | None:
    for action in request.actions:
        used = {placeholder for _, placeholder in action.placeholders}
        for holder, given in (("ExpressionAttributeNames", action.names), ("ExpressionAttributeValues", action.values)):
            unused = [placeholder for placeholder in given if placeholder not in used]
            if unused and not action.expressions:
                return invalid(f"{holder} can only be specified when using expressions")
            if unused:
                return invalid(f"Value provided in {holder} unused in expressions: keys: {{{', '.join(unused)}}}")
    return None


RULES = [
    Rule(
        "dynamodb-expression-size", "dynamodb", READS_AND_WRITES, expression_size,
        what="Length of an expression",
        limit="4 KB",
        url=f"{GUIDE}/Constraints.html#limits-expression-parameters",
    ),
    Rule(
        "dynamodb-placeholder-undefined", "dynamodb", READS_AND_WRITES, placeholder_undefined,
        what="Placeholder in an expression that is not defined",
        limit="none",
        url=f"{GUIDE}/Expressions.ExpressionAttributeNames.html",
    ),
    Rule(
        "dynamodb-placeholder-unused", "dynamodb", READS_AND_WRITES, placeholder_unused,
        what="Expression attribute name or value that no expression uses",
        limit="none",
        url=f"{GUIDE}/Expressions.ExpressionAttributeValues.html",
    ),
]

"""Every rule, by service."""

import functools

from ..rule import Rule
from . import dynamodb, gateway, models, s3, secrets, sqs

# The models first: the other rules can rely on members that they require.
RULES = [*models.RULES, *dynamodb.RULES, *sqs.RULES, *s3.RULES, *secrets.RULES, *gateway.RULES]


@functools.lru_cache(maxsize=None)
def rules_for(service: str, operation: str) -> tuple[Rule, ...]:
    """Returns the rules that apply to an operation."""
    of_service = (rule for rule in RULES if rule.service == service)
    return tuple(rule for rule in of_service if not rule.operations or operation in rule.operations)

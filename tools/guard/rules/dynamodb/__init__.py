"""Limits of DynamoDB, by what they apply to."""

from . import attributes, expressions, items, schema

RULES = [*items.RULES, *attributes.RULES, *expressions.RULES, *schema.RULES]

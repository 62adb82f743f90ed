"""Where AWS documents the limits of DynamoDB."""

from ...rule import DOCS

GUIDE = f"{DOCS}/amazondynamodb/latest/developerguide"
API = f"{DOCS}/amazondynamodb/latest/APIReference"

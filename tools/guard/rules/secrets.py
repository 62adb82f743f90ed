"""Limits of Secrets Manager."""

import re

from ..request import Request
from ..rule import DOCS, Refusal, Rule, invalid, within
from ..values import utf8

SECRET_SIZE = 65_536
NAME = re.compile(r"[A-Za-z0-9/_+=.@-]*")
VALUES = ("CreateSecret", "PutSecretValue", "UpdateSecret")
SECRETS = f"{DOCS}/secretsmanager/latest/userguide"
SECRETS_API = f"{DOCS}/secretsmanager/latest/apireference"


def secret_size(request: Request) -> Refusal | None:
    """The model has the same limit, but in characters."""
    if len(utf8(request.data.get("SecretString"))) <= SECRET_SIZE:
        return None
    return invalid(
        "1 validation error detected: Value at 'secretString' failed to satisfy constraint: "
        f"Member must have length less than or equal to {SECRET_SIZE}"
    )


def secret_name(request: Request) -> Refusal | None:
    if NAME.fullmatch(request.data["Name"]):
        return None
    return invalid(
        "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!"
    )


def recovery_window(request: Request) -> Refusal | None:
    if within(request.data.get("RecoveryWindowInDays"), 30, 7):
        return None
    return Refusal("InvalidParameterException", "RecoveryWindowInDays value must be between 7 and 30 days (inclusive).")


RULES = [
    Rule(
        "secrets-value-size", "secretsmanager", VALUES, secret_size,
        what="Text of a secret, in UTF-8",
        limit="65,536 bytes",
        url=f"{SECRETS}/reference_limits.html",
    ),
    Rule(
        "secrets-name", "secretsmanager", ("CreateSecret",), secret_name,
        what="Characters of the name of a secret",
        limit="ASCII letters, digits, `/_+=.@-`",
        url=f"{SECRETS_API}/API_CreateSecret.html",
    ),
    Rule(
        "secrets-recovery-window", "secretsmanager", ("DeleteSecret",), recovery_window,
        what="`RecoveryWindowInDays`",
        limit="7 to 30",
        url=f"{SECRETS_API}/API_DeleteSecret.html",
    ),
]

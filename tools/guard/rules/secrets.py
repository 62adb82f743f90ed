"""Limits of Secrets Manager."""

import re

from ..request import Request
from ..rule import DOCS, Refusal, Rule, invalid, within
from ..values import raw, utf8

SECRET_SIZE = 65_536
SECRET_NAME = 512
NAME = re.compile(r"[A-Za-z0-9/_+=.@-]*")
VALUES = ("CreateSecret", "PutSecretValue", "UpdateSecret")
SECRETS = f"{DOCS}/secretsmanager/latest/userguide"
SECRETS_API = f"{DOCS}/secretsmanager/latest/apireference"


def secret_size(request: Request) -> Refusal | None:
    sizes = {
        "secretString": len(utf8(request.data.get("SecretString"))),
        "secretBinary": len(raw(request.data.get("SecretBinary"))),
    }
    for member, size in sizes.items():
        if size > SECRET_SIZE:
            return invalid(
                f"1 validation error detected: Value at '{member}' failed to satisfy constraint: "
                f"Member must have length less than or equal to {SECRET_SIZE}"
            )
    return None


def secret_name(request: Request) -> Refusal | None:
    name = request.data.get("Name") or ""
    if not 1 <= len(name) <= SECRET_NAME:
        bound = f"less than or equal to {SECRET_NAME}" if name else "greater than or equal to 1"
        return invalid(
            f"1 validation error detected: Value '{name}' at 'name' failed to satisfy constraint: "
            f"Member must have length {bound}"
        )
    if NAME.fullmatch(name):
        return None
    return invalid(
        "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!"
    )


def secret_token(request: Request) -> Refusal | None:
    token = request.data.get("ClientRequestToken")
    if token is None or 32 <= len(token) <= 64:
        return None
    return Refusal("InvalidParameterException", "ClientRequestToken must be 32-64 characters long.")


def recovery_window(request: Request) -> Refusal | None:
    if within(request.data.get("RecoveryWindowInDays"), 30, 7):
        return None
    return Refusal("InvalidParameterException", "RecoveryWindowInDays value must be between 7 and 30 days (inclusive).")


RULES = [
    Rule(
        "secrets-value-size", "secretsmanager", VALUES, secret_size,
        what="Value of a secret",
        limit="65,536 bytes",
        url=f"{SECRETS}/reference_limits.html",
    ),
    Rule(
        "secrets-name", "secretsmanager", ("CreateSecret",), secret_name,
        what="Name of a secret",
        limit="1 to 512 of ASCII letters, digits, `/_+=.@-`",
        url=f"{SECRETS_API}/API_CreateSecret.html",
    ),
    Rule(
        "secrets-token", "secretsmanager", VALUES, secret_token,
        what="`ClientRequestToken`",
        limit="32 to 64 characters",
        url=f"{SECRETS_API}/API_CreateSecret.html",
    ),
    Rule(
        "secrets-recovery-window", "secretsmanager", ("DeleteSecret",), recovery_window,
        what="`RecoveryWindowInDays`",
        limit="7 to 30",
        url=f"{SECRETS_API}/API_DeleteSecret.html",
    ),
]

"""The rules as a page: docs/aws-limits.md."""

from . import RULES

SERVICES = {
    "dynamodb": "DynamoDB",
    "sqs": "SQS",
    "s3": "S3",
    "secretsmanager": "Secrets Manager",
    "gateway": "API Gateway and Lambda",
}
INTRODUCTION = """\
# Limits of AWS

What AWS refuses although the local emulator may accept it. The guard ([tools/guard](../tools/guard)) is a proxy between
the code and the emulator; it refuses such requests with the same errors as AWS. This page is generated from its rules
([tools/guard/rules](../tools/guard/rules)): `python -m tools.guard.rules --markdown > docs/aws-limits.md`.

Requests to the API pass through the guard too. In the gateway's place it responds, with `{"message": …}` and
`apigw-requestid`, to what API Gateway would not let through or Lambda would not accept.

A limit marked *noted* is one where AWS accepts the request but does something unintended. The guard passes the request
on and lists it.
"""


def markdown() -> str:
    parts = [INTRODUCTION]
    for service, title in SERVICES.items():
        parts.append(f"\n## {title}\n\n| Rule | What | Limit |\n|---|---|---|\n")
        for rule in RULES:
            if rule.service == service:
                limit = rule.limit if rule.refused else f"{rule.limit} (noted)"
                parts.append(f"| [{rule.name}]({rule.url}) | {rule.what} | {limit} |\n")
    return "".join(parts)

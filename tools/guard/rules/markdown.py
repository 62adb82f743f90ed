"""Formats the rules as a page: docs/aws-limits.md."""

from . import RULES

SERVICES = {
    "dynamodb": "DynamoDB",
    "sqs": "SQS",
    "s3": "S3",
    "secretsmanager": "Secrets Manager",
    "kms": "KMS",
    "pinpoint-sms-voice-v2": "End User Messaging SMS",
    "sns": "SNS",
    "lambda": "Lambda",
    "gateway": "API Gateway and Lambda",
}
INTRODUCTION = """\
# Limits of AWS

AWS rejects some requests that the local emulator accepts. The guard ([tools/guard](../tools/guard)) is a proxy between
the code and the emulator that rejects them with the same errors as AWS. This page is generated from its rules
([tools/guard/rules](../tools/guard/rules)): `python -m tools.guard.rules --markdown > docs/aws-limits.md`.

Requests to the API also pass through the guard. It responds with `{"message": …}` and `apigw-requestid` to requests
that API Gateway or Lambda would reject.

Rules whose names end in `-model` enforce the service's own model, from which AWS generates its SDKs, as far as
[model.py](../tools/guard/model.py) says. The other rules are limits that the models do not contain.

If a limit is marked *noted*, AWS accepts the request but does something unintended. The guard forwards the request and
lists it.
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

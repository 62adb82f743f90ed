"""The constraints of the services' own models (tools/guard/model.py): one rule per service.

There is none for S3. What its model requires in methods and paths determines the operation, and nearly all other constraints
on headers and queries are enumerations, for which S3 has error codes that are not in the model.
"""

from ..model import NOT_NULL, Fault, faults
from ..request import Request
from ..rule import DOCS, Refusal, Rule

# AWS reports no more than these in one response.
REPORTED = 10


def message(found: list[Fault]) -> str:
    reported = found[:REPORTED]
    errors = "error" if len(reported) == 1 else "errors"
    return f"{len(reported)} validation {errors} detected: {'; '.join(map(str, reported))}"


def from_sqs(found: list[Fault]) -> Refusal:
    """SQS has its own words. All enumerations in its model are names of attributes."""
    first = found[0]
    if first.constraint == NOT_NULL:
        name = first.path[-1]
        return Refusal("MissingParameter", f"The request must contain the parameter {name[0].upper()}{name[1:]}.")
    return Refusal("InvalidAttributeName", f"Unknown attribute in {first.path[-1]}: {first.constraint}.")


def from_sms(found: list[Fault]) -> Refusal:
    fields = [{"Name": ".".join(fault.path), "Message": fault.constraint} for fault in found[:REPORTED]]
    more = {"Reason": "FIELD_VALIDATION_FAILED", "Fields": fields}
    return Refusal("ValidationException", message(found), more=more)


def from_sns(found: list[Fault]) -> Refusal:
    return Refusal("ValidationError", message(found))


def from_others(found: list[Fault]) -> Refusal:
    return Refusal("ValidationException", message(found))


FORMATS = {"sqs": from_sqs, "sns": from_sns, "pinpoint-sms-voice-v2": from_sms}


def broken_model(request: Request) -> Refusal | None:
    found = faults(request.service, request.operation, request.data)
    return FORMATS.get(request.service, from_others)(found) if found else None


def model_rule(name: str, service: str, reference: str) -> Rule:
    return Rule(
        name, service, (), broken_model,
        what="Required members, lengths, sizes, ranges, patterns and enumerations of every operation",
        limit="as in the service's model",
        url=f"{DOCS}/{reference}",
    )


RULES = [
    model_rule("dynamodb-model", "dynamodb", "amazondynamodb/latest/APIReference/Welcome.html"),
    model_rule("sqs-model", "sqs", "AWSSimpleQueueService/latest/APIReference/Welcome.html"),
    model_rule("secrets-model", "secretsmanager", "secretsmanager/latest/apireference/Welcome.html"),
    model_rule("kms-model", "kms", "kms/latest/APIReference/Welcome.html"),
    model_rule("sms-model", "pinpoint-sms-voice-v2", "pinpoint/latest/apireference_smsvoicev2/Welcome.html"),
    model_rule("sns-model", "sns", "sns/latest/api/welcome.html"),
    model_rule("lambda-model", "lambda", "lambda/latest/api/welcome.html"),
]

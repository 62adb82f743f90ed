"""Refusals in the error format of each service."""

import base64
import json
import secrets
import uuid
from xml.sax.saxutils import escape

from multidict import CIMultiDict

from .messages import Answer
from .rule import Refusal

SQS_CODES = {
    "BatchEntryIdsNotDistinct", "BatchRequestTooLong", "EmptyBatchRequest", "InvalidBatchEntryId",
    "TooManyEntriesInBatchRequest",
}
SQS_TYPES = {
    "InvalidParameterValue": "com.amazon.coral.service#InvalidParameterValueException",
    "MissingParameter": "com.amazon.coral.service#MissingRequiredParameterException",
}


def refused(service: str, refusal: Refusal) -> Answer:
    """Returns the error response of a service."""
    if service == "s3":
        return from_s3(refusal)
    if service == "gateway":
        return from_gateway(refusal.status, refusal.message)
    if service == "sns":
        return from_sns(refusal)
    if service == "lambda":
        return from_lambda(refusal)
    headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": str(uuid.uuid4())}
    message = "message"
    if service == "sqs":
        kind = SQS_TYPES.get(refusal.code, f"com.amazonaws.sqs#{refusal.code}")
        code = f"AWS.SimpleQueueService.{refusal.code}" if refusal.code in SQS_CODES else refusal.code
        headers["x-amzn-query-error"] = f"{code};Sender"
    elif service in ("secretsmanager", "kms"):
        headers["Content-Type"] = "application/x-amz-json-1.1"
        kind = refusal.code
        message = "message" if kind == "ValidationException" else "Message"
    elif service == "pinpoint-sms-voice-v2":
        kind, message = refusal.code, "Message"
    elif refusal.code == "ValidationException":
        kind = "com.amazon.coral.validate#ValidationException"
    else:
        kind, message = f"com.amazonaws.dynamodb.v20120810#{refusal.code}", "Message"
    body = json.dumps({"__type": kind, message: refusal.message, **refusal.more})
    return error(refusal.status, headers, body)


def from_s3(refusal: Refusal) -> Answer:
    identity = str(uuid.uuid4())
    more = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in refusal.more.items())
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{refusal.code}</Code>'
        f"<Message>{escape(refusal.message)}</Message>{more}<RequestId>{identity}</RequestId></Error>"
    )
    return error(refusal.status, {"Content-Type": "application/xml", "x-amz-request-id": identity}, body)


def from_sns(refusal: Refusal) -> Answer:
    identity = str(uuid.uuid4())
    body = (
        '<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type>'
        f"<Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message></Error>"
        f"<RequestId>{identity}</RequestId></ErrorResponse>"
    )
    return error(refusal.status, {"Content-Type": "text/xml", "x-amzn-RequestId": identity}, body)


def from_lambda(refusal: Refusal) -> Answer:
    headers = {
        "Content-Type": "application/json", "x-amzn-RequestId": str(uuid.uuid4()), "x-amzn-ErrorType": refusal.code,
    }
    return error(refusal.status, headers, json.dumps({"message": refusal.message}))


def from_gateway(status: int, message: str) -> Answer:
    identity = base64.b64encode(secrets.token_bytes(11)).decode()
    body = json.dumps({"message": message}, separators=(",", ":"))
    return error(status, {"Content-Type": "application/json", "apigw-requestid": identity}, body)


def error(status: int, headers: dict[str, str], body: str) -> Answer:
    content = body.encode()
    return Answer(status, CIMultiDict({**headers, "Content-Length": str(len(content))}), content, "Refused")

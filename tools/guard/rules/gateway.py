"""Limits of API Gateway and Lambda."""

import json
import re

from ..request import LOCAL_PREFIX, Request
from ..rule import DOCS, Refusal, Rule

KIB = 1024
GATEWAY_PAYLOAD = 10 * KIB * KIB
GATEWAY_HEADERS = 10_240
GATEWAY_SECONDS = 30
LAMBDA_PAYLOAD = 6 * KIB * KIB
# Bodies of all other types are base64-encoded in events and responses.
TEXT_TYPE = re.compile(r"text/.+|application/(json|javascript|xml)|.+\+(json|xml)")
# When rules are checked: after the request line and headers, after the body, after the response, and when the time for a
# response is over.
HEAD, BODY, ANSWER, SILENCE = "Head", "Body", "Answer", "Silence"
GATEWAY = f"{DOCS}/apigateway/latest/developerguide"
LAMBDA = f"{DOCS}/lambda/latest/dg"


def said_by_gateway(status: int, message: str) -> Refusal:
    return Refusal("", message, status)


def json_size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def body_size(request: Request) -> int:
    """Returns the size of the body in an event or a response of payload format 2.0."""
    kind = (request.header("content-type") or "").partition(";")[0].strip().lower()
    is_encoded = request.header("content-encoding") not in (None, "", "identity")
    if TEXT_TYPE.fullmatch(kind) and not is_encoded:
        return json_size(request.body.decode("utf-8", "replace"))
    return 4 * -(-len(request.body) // 3)


def joined_headers(request: Request) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in request.headers:
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def gateway_headers(request: Request) -> Refusal | None:
    line = f"{request.method} {LOCAL_PREFIX.sub('', request.target, 1) or '/'} HTTP/1.1"
    if len(line) + sum(len(value) for _, value in request.headers) <= GATEWAY_HEADERS:
        return None
    return said_by_gateway(431, "Request Header Fields Too Large")


def gateway_payload(request: Request) -> Refusal | None:
    return said_by_gateway(413, "Request Entity Too Large") if request.announced > GATEWAY_PAYLOAD else None


def gateway_event(request: Request) -> Refusal | None:
    event = {
        "version": "2.0",
        "rawPath": request.path,
        "rawQueryString": request.target.partition("?")[2],
        "headers": joined_headers(request),
        "queryStringParameters": request.query,
        "requestContext": {
            "http": {"method": request.method, "path": request.path, "userAgent": request.header("user-agent")},
        },
        "body": "",
        "isBase64Encoded": True,
    }
    if json_size(event) + body_size(request) <= LAMBDA_PAYLOAD:
        return None
    return said_by_gateway(500, "Internal Server Error")


def gateway_timeout(_: Request) -> Refusal | None:
    return said_by_gateway(503, "Service Unavailable")


def lambda_response(answer: Request) -> Refusal | None:
    """Checks a response, which is given as a request with the response's headers and body."""
    response = {"statusCode": 200, "headers": joined_headers(answer), "body": "", "isBase64Encoded": True}
    if json_size(response) + body_size(answer) <= LAMBDA_PAYLOAD:
        return None
    return said_by_gateway(500, "Internal Server Error")


RULES = [
    Rule(
        "gateway-headers", "gateway", (HEAD,), gateway_headers,
        what="Request line and header values together",
        limit="10,240 bytes",
        url=f"{GATEWAY}/http-api-quotas.html",
    ),
    Rule(
        "gateway-payload", "gateway", (HEAD,), gateway_payload,
        what="Request body",
        limit="10 MB",
        url=f"{GATEWAY}/http-api-quotas.html",
    ),
    Rule(
        "gateway-event", "gateway", (BODY,), gateway_event,
        what="Event for the function: the body as base64 or, for text, as a JSON string; path, query, headers",
        limit="6 MB",
        url=f"{LAMBDA}/gettingstarted-limits.html",
    ),
    Rule(
        "gateway-timeout", "gateway", (SILENCE,), gateway_timeout,
        what="Time until the function responds",
        limit="30 s",
        url=f"{GATEWAY}/http-api-quotas.html",
    ),
    Rule(
        "lambda-response", "gateway", (ANSWER,), lambda_response,
        what="Response of the function: the body as base64 or, for text, as a JSON string; headers",
        limit="6 MB",
        url=f"{LAMBDA}/gettingstarted-limits.html",
    ),
]

"""Requests to the services that have rules: those with JSON bodies, such as DynamoDB, and S3, SNS and Lambda."""

import json

from multidict import CIMultiDict

from .checker import Checker
from .exchange import Exchange
from .messages import Answer, Reply
from .query import parse_form
from .refused import refused
from .request import Request
from .rest import parse_target
from .rule import Refusal
from .rules.s3 import s3_operation
from .tables import Tables

TARGETS = {
    "DynamoDB_20120810": "dynamodb", "AmazonSQS": "sqs", "secretsmanager": "secretsmanager", "TrentService": "kms",
    "PinpointSMSVoiceV2": "pinpoint-sms-voice-v2",
}


def json_service(exchange: Exchange) -> tuple[str | None, str]:
    """Returns the service and the operation of a request with a JSON body; no service if it has no rules."""
    prefix, _, operation = exchange.named.get("x-amz-target", "").partition(".")
    is_call = exchange.method == "POST" and exchange.target == "/"
    return TARGETS.get(prefix) if is_call else None, operation


def seen(exchange: Exchange, service: str, operation: str, **more: object) -> Request:
    return Request(
        service, operation, method=exchange.method, target=exchange.target, headers=exchange.headers,
        header_size=exchange.header_size, **more,
    )


async def json_call(exchange: Exchange, service: str, operation: str, checker: Checker, tables: Tables) -> Reply:
    body = await exchange.body()
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        return Reply(await exchange.ask(body))
    schemas = await tables.schemas.of(exchange, data) if service == "dynamodb" else {}
    request = seen(exchange, service, operation, data=data, body=body, schema=schemas.get)
    verdict = checker.check(request, exchange.scope[0])
    if verdict.refusal:
        return Reply(refused(service, verdict.refusal))
    if verdict.entries:
        return Reply(await other_entries(exchange, request, verdict.entries))
    if service == "dynamodb":
        return Reply(await tables.pass_on(exchange, request))
    return Reply(await exchange.ask(body))


async def other_entries(exchange: Exchange, request: Request, faults: dict[int, Refusal]) -> Answer:
    """Sends the entries of a batch that are not at fault, as AWS does; the others are reported as failed."""
    entries = request.data["Entries"]
    failed = [
        {"Id": entries[at]["Id"], "SenderFault": True, "Code": fault.code, "Message": fault.message}
        for at, fault in faults.items()
    ]
    others = [entry for at, entry in enumerate(entries) if at not in faults]
    if not others:
        body = json.dumps({"Successful": [], "Failed": failed}).encode()
        return Answer(200, CIMultiDict({"Content-Type": "application/x-amz-json-1.0"}), body, "OK")
    answer = await exchange.ask(json.dumps({**request.data, "Entries": others}).encode())
    if answer.status == 200:
        result = json.loads(answer.body)
        answer.replace({**result, "Failed": [*(result.get("Failed") or []), *failed]})
    return answer


async def storage_call(exchange: Exchange, checker: Checker) -> Reply:
    operation = s3_operation(exchange.method, exchange.target, exchange.named)
    request = seen(exchange, "s3", operation)
    # The only operation whose body has a rule.
    is_read = operation == "DeleteObjects" and not exchange.expects_continue
    if is_read:
        request.body = await exchange.body()
    return await checked(exchange, request, checker, is_read)


async def form_call(exchange: Exchange, checker: Checker) -> Reply:
    body = await exchange.body()
    operation, data = parse_form("sns", body)
    return await checked(exchange, seen(exchange, "sns", operation, data=data, body=body), checker)


async def function_call(exchange: Exchange, checker: Checker) -> Reply:
    """Handles a request to Lambda's API. The event of an invocation is not read: it has no constraints."""
    call = parse_target("lambda", exchange.method, exchange.target)
    if call is None:
        return await exchange.relay()
    body = b"" if call.is_opaque else await exchange.body()
    data = call.parse(exchange.named, body)
    request = seen(exchange, "lambda", call.operation.name, data=data, body=body)
    return await checked(exchange, request, checker, is_read=not call.is_opaque)


async def checked(exchange: Exchange, request: Request, checker: Checker, is_read: bool = True) -> Reply:
    """Checks a request and passes it on. `is_read` says whether its body was read."""
    refusal = checker.check(request, exchange.scope[0]).refusal
    if refusal is None:
        return Reply(await exchange.ask(request.body)) if is_read else await exchange.relay()
    answer = refused(request.service, refusal)
    return Reply(answer) if is_read else await exchange.refuse_unread(answer)


# By the services for which requests are signed.
SIGNED_CALLS = {"s3": storage_call, "sns": form_call, "lambda": function_call}

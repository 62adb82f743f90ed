"""Limits of SQS."""

import re
from collections.abc import Callable

from ..request import Request
from ..rule import DOCS, Refusal, Rule, within
from ..values import raw, utf8

KIB = 1024
MESSAGE_SIZE = KIB * KIB
BATCH_ENTRIES = 10
DELAY = 900
VISIBILITY = 43_200
WAIT = 20
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ENTRY_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
GROUP_ID = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")
SENDS = ("SendMessage", "SendMessageBatch")
BATCHES = ("SendMessageBatch", "DeleteMessageBatch", "ChangeMessageVisibilityBatch")
QUEUES = ("CreateQueue", "SetQueueAttributes")
SQS = f"{DOCS}/AWSSimpleQueueService/latest/SQSDeveloperGuide"
SQS_API = f"{DOCS}/AWSSimpleQueueService/latest/APIReference"


def entries(request: Request) -> list[dict]:
    return request.data.get("Entries") or []


def parameter(value: object, name: str, reason: str) -> str:
    return f"Value {value} for parameter {name} is invalid. Reason: {reason}"


def for_each(code: str, fault: Callable[[dict, Request], str | None]) -> Callable[[Request], Refusal | None]:
    """Creates a check that refuses a request or, in a batch, only the entries at fault."""

    def check(request: Request) -> Refusal | None:
        if not request.operation.endswith("Batch"):
            message = fault(request.data, request)
            return Refusal(code, message) if message else None
        faults = {at: message for at, entry in enumerate(entries(request)) if (message := fault(entry, request))}
        return Refusal(code, next(iter(faults.values())), entries=faults) if faults else None

    return check


def queue_attribute(request: Request, name: str, most: int) -> Refusal | None:
    given = str((request.data.get("Attributes") or {}).get(name, "0"))
    if given.isdigit() and int(given) <= most:
        return None
    return Refusal("InvalidAttributeValue", f"Invalid value for the parameter {name}.")


def batch_entries(request: Request) -> Refusal | None:
    if not entries(request):
        return Refusal(
            "EmptyBatchRequest", f"There should be at least one {request.operation}RequestEntry in the request."
        )
    if len(entries(request)) > BATCH_ENTRIES:
        return Refusal(
            "TooManyEntriesInBatchRequest",
            f"Maximum number of entries per request are {BATCH_ENTRIES}. You have sent {len(entries(request))}.",
        )
    return None


def batch_ids(request: Request) -> Refusal | None:
    seen = set()
    for entry in entries(request):
        given = entry.get("Id") or ""
        if not ENTRY_ID.fullmatch(given):
            return Refusal(
                "InvalidBatchEntryId",
                "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
                "It can be at most 80 letters long.",
            )
        if given in seen:
            return Refusal("BatchEntryIdsNotDistinct", f"Id {given} repeated.")
        seen.add(given)
    return None


def message_size(message: dict) -> int:
    """Returns the size of body and attributes; system attributes do not count."""
    size = len(utf8(message.get("MessageBody")))
    for name, attribute in (message.get("MessageAttributes") or {}).items():
        size += len(utf8(name)) + len(utf8(attribute.get("DataType")))
        size += len(utf8(attribute.get("StringValue"))) + len(raw(attribute.get("BinaryValue")))
    return size


def batch_size(request: Request) -> Refusal | None:
    size = sum(message_size(entry) for entry in entries(request))
    if size <= MESSAGE_SIZE:
        return None
    return Refusal(
        "BatchRequestTooLong",
        f"Batch requests cannot be longer than {MESSAGE_SIZE} bytes. You have sent {size} bytes.",
    )


def large_message(request: Request) -> Refusal | None:
    if message_size(request.data) <= MESSAGE_SIZE:
        return None
    return Refusal(
        "InvalidParameterValue",
        f"One or more parameters are invalid. Reason: Message must be shorter than {MESSAGE_SIZE} bytes.",
    )


def characters(message: dict, _: Request) -> str | None:
    texts = [message.get("MessageBody")]
    texts += [attribute.get("StringValue") for attribute in (message.get("MessageAttributes") or {}).values()]
    if not any(text and FORBIDDEN.search(text) for text in texts):
        return None
    return (
        "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | "
        "#x10000 to #x10FFFF"
    )


def delay(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "DelaySeconds", DELAY)
    return for_each("InvalidParameterValue", message_delay)(request)


def message_delay(message: dict, _: Request) -> str | None:
    given = message.get("DelaySeconds")
    if within(given, DELAY):
        return None
    return parameter(given, "DelaySeconds", f"DelaySeconds must be >= 0 and <= {DELAY}.")


def is_fifo(request: Request) -> bool:
    return str(request.data.get("QueueUrl")).endswith(".fifo")


def fifo_delay(message: dict, request: Request) -> str | None:
    given = message.get("DelaySeconds")
    if not is_fifo(request) or not given:
        return None
    return parameter(given, "DelaySeconds", "The request include parameter that is not valid for this queue type.")


def fifo_group(message: dict, request: Request) -> str | None:
    if not is_fifo(request) or message.get("MessageGroupId"):
        return None
    return "The request must contain the parameter MessageGroupId."


def group_id(message: dict, _: Request) -> str | None:
    given = message.get("MessageGroupId")
    if not given or GROUP_ID.fullmatch(given):
        return None
    return parameter(
        given, "MessageGroupId",
        "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.",
    )


def visibility(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "VisibilityTimeout", VISIBILITY)
    return for_each("InvalidParameterValue", message_visibility)(request)


def message_visibility(message: dict, _: Request) -> str | None:
    given = message.get("VisibilityTimeout")
    if within(given, VISIBILITY):
        return None
    return parameter(given, "VisibilityTimeout", f"Must be between 0 and {VISIBILITY}, if provided.")


def wait_time(request: Request) -> Refusal | None:
    if request.operation in QUEUES:
        return queue_attribute(request, "ReceiveMessageWaitTimeSeconds", WAIT)
    given = request.data.get("WaitTimeSeconds")
    if within(given, WAIT):
        return None
    message = parameter(given, "WaitTimeSeconds", f"Must be >= 0 and <= {WAIT}, if provided.")
    return Refusal("InvalidParameterValue", message)


def receive_count(request: Request) -> Refusal | None:
    given = request.data.get("MaxNumberOfMessages")
    if within(given, BATCH_ENTRIES, 1):
        return None
    message = parameter(given, "MaxNumberOfMessages", f"Must be between 1 and {BATCH_ENTRIES}, if provided.")
    return Refusal("InvalidParameterValue", message)


RULES = [
    Rule(
        "sqs-batch-entries", "sqs", BATCHES, batch_entries,
        what="Entries in a batch",
        limit="1 to 10",
        url=f"{SQS}/quotas-messages.html",
    ),
    Rule(
        "sqs-batch-ids", "sqs", BATCHES, batch_ids,
        what="Ids of a batch's entries",
        limit="distinct; 1 to 80 of letters, digits, `-`, `_`",
        url=f"{SQS}/quotas-messages.html",
    ),
    Rule(
        "sqs-batch-size", "sqs", ("SendMessageBatch",), batch_size,
        what="Size of all messages of a batch, attributes included",
        limit="1 MiB",
        url=f"{SQS_API}/API_SendMessageBatch.html",
    ),
    Rule(
        "sqs-message-size", "sqs", ("SendMessage",), large_message,
        what="Size of a message, attributes included",
        limit="1 MiB",
        url=f"{SQS_API}/API_SendMessage.html",
    ),
    Rule(
        "sqs-message-characters", "sqs", SENDS, for_each("InvalidMessageContents", characters),
        what="Characters of a message",
        limit="#x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, #x10000 to #x10FFFF",
        url=f"{SQS_API}/API_SendMessage.html",
    ),
    Rule(
        "sqs-delay", "sqs", (*SENDS, *QUEUES), delay,
        what="`DelaySeconds`",
        limit="0 to 900",
        url=f"{SQS_API}/API_SendMessage.html",
    ),
    Rule(
        "sqs-fifo-delay", "sqs", SENDS, for_each("InvalidParameterValue", fifo_delay),
        what="`DelaySeconds` of a message to a FIFO queue",
        limit="0",
        url=f"{SQS_API}/API_SendMessage.html",
    ),
    Rule(
        "sqs-fifo-group", "sqs", SENDS, for_each("MissingParameter", fifo_group),
        what="Message to a FIFO queue without `MessageGroupId`",
        limit="required",
        url=f"{SQS}/quotas-messages.html",
    ),
    Rule(
        "sqs-group-id", "sqs", SENDS, for_each("InvalidParameterValue", group_id),
        what="`MessageGroupId`",
        limit="1 to 128 of letters, digits, punctuation",
        url=f"{SQS}/quotas-messages.html",
    ),
    Rule(
        "sqs-visibility-timeout", "sqs",
        ("ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "ReceiveMessage", *QUEUES), visibility,
        what="`VisibilityTimeout`",
        limit="0 to 43,200",
        url=f"{SQS_API}/API_ChangeMessageVisibility.html",
    ),
    Rule(
        "sqs-wait-time", "sqs", ("ReceiveMessage", *QUEUES), wait_time,
        what="`WaitTimeSeconds`",
        limit="0 to 20",
        url=f"{SQS}/best-practices-setting-up-long-polling.html",
    ),
    Rule(
        "sqs-receive-count", "sqs", ("ReceiveMessage",), receive_count,
        what="`MaxNumberOfMessages`",
        limit="1 to 10",
        url=f"{SQS_API}/API_ReceiveMessage.html",
    ),
]

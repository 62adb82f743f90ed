"""Faults of a stack that its operator would see, made on the emulator and undone (misbehave.py)."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tools.verify.aws import Aws

StackFault = Callable[[Aws], AbstractContextManager]


@contextmanager
def logs_an_error(aws: Aws) -> Iterator[None]:
    logs, group = aws.client("logs"), aws.physical("AWS::Logs::LogGroup")["OrganizationLogs"]
    stream = f"fault-{time.time_ns()}"
    logs.create_log_stream(logGroupName=group, logStreamName=stream)
    line = json.dumps({"level": "ERROR", "message": "AccessDeniedException: not authorized to perform dynamodb:PutItem"})
    logs.put_log_events(
        logGroupName=group, logStreamName=stream, logEvents=[{"timestamp": int(time.time() * 1000), "message": line}]
    )
    yield
    logs.delete_log_stream(logGroupName=group, logStreamName=stream)


@contextmanager
def invites_everybody(aws: Aws) -> Iterator[None]:
    lambdas, name = aws.client("lambda"), aws.outputs["OperatorFunction"]
    lambdas.add_permission(FunctionName=name, StatementId="fault", Action="lambda:InvokeFunction", Principal="*")
    yield
    lambdas.remove_permission(FunctionName=name, StatementId="fault")


@contextmanager
def gives_messages_up(aws: Aws) -> Iterator[None]:
    queue = aws.client("sqs")
    url = next(url for name, url in aws.physical("AWS::SQS::Queue").items() if "DeadLetters" in name)
    queue.send_message(QueueUrl=url, MessageBody="{}")
    yield
    queue.purge_queue(QueueUrl=url)


@contextmanager
def raises_an_alarm(aws: Aws) -> Iterator[None]:
    watch, name = aws.client("cloudwatch"), next(iter(aws.physical("AWS::CloudWatch::Alarm").values()))
    watch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="fault")
    yield
    watch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="undone")


# One of the checks of the subject `stack`, and the fault that it must notice.
STACK_FAULTS: list[tuple[str, StackFault]] = [
    ("No function reports an error, or a missing permission, during this run", logs_an_error),
    ("Only IAM reaches the operator function", invites_everybody),
    ("No message is in a dead-letter queue", gives_messages_up),
    ("No alarm is in alarm, and alarms have a topic", raises_an_alarm),
]

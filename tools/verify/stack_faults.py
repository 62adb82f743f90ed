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


@contextmanager
def has_a_route_of_its_own(aws: Aws) -> Iterator[None]:
    gateway, api = aws.client("apigatewayv2"), aws.outputs["ApiId"]
    added = gateway.create_route(ApiId=api, RouteKey="GET /v1/nowhere")["RouteId"]
    yield
    gateway.delete_route(ApiId=api, RouteId=added)


@contextmanager
def stores_messages_in_the_clear(aws: Aws) -> Iterator[None]:
    sqs, url = aws.client("sqs"), aws.physical("AWS::SQS::Queue")["JobQueue"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"SqsManagedSseEnabled": "false"})
    yield
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"SqsManagedSseEnabled": "true"})


@contextmanager
def drops_what_the_carrier_reports(aws: Aws) -> Iterator[None]:
    sns = aws.client("sns")
    topic = aws.physical("AWS::SNS::Topic")["CarrierInbound"]
    [old] = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    attributes = sns.get_subscription_attributes(SubscriptionArn=old["SubscriptionArn"])["Attributes"]
    sns.unsubscribe(SubscriptionArn=old["SubscriptionArn"])
    yield
    kept = {name: attributes[name] for name in ("RedrivePolicy",) if name in attributes}
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=old["Endpoint"], Attributes=kept)


@contextmanager
def stops_reading_a_queue(aws: Aws) -> Iterator[None]:
    lambdas, uuid = aws.client("lambda"), aws.physical("AWS::Lambda::EventSourceMapping")["DeliverFunctionPatientDeliveries"]
    lambdas.update_event_source_mapping(UUID=uuid, Enabled=False)
    yield
    lambdas.update_event_source_mapping(UUID=uuid, Enabled=True)


# A subject, one of its checks, and the fault that it must notice.
STACK_FAULTS: list[tuple[str, str, StackFault]] = [
    ("stack", "No function reports an error, or a missing permission, during this run", logs_an_error),
    ("stack", "Only IAM reaches the operator function", invites_everybody),
    ("stack", "No message is in a dead-letter queue", gives_messages_up),
    ("stack", "No alarm is in alarm, and alarms have a topic", raises_an_alarm),
    ("deployment", "Every route of the template exists and is deployed", has_a_route_of_its_own),
    ("deployment", "Queues, topics, table and bucket are encrypted with the key that was chosen", stores_messages_in_the_clear),
    ("deployment", "What the carrier reports can reach its queue", drops_what_the_carrier_reports),
    ("deployment", "Lambda reads every queue, and the stream, with the concurrency of the template", stops_reading_a_queue),
]

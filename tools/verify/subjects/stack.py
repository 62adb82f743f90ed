"""The stack as its operator sees it: logs, queues, alarms, settings. Needs AWS credentials and the stack's name."""

import json
import re
import time

from botocore.exceptions import ClientError

from tools.verify.aws import Aws
from tools.verify.report import Expected, Skipped, Subject, expect
from tools.verify.subjects.events import path_of, webhook
from tools.verify.target import Target

SUBJECT = Subject("Stack (with AWS credentials)")
INIT = re.compile(r"Init Duration: ([\d.]+) ms")
# A hello function starts in 13.9 ms on AWS; docs/performance.md says how much ours add. A longer start has another cause.
INIT_LIMIT_MS = 150
# Logs arrive within seconds.
LOG_SECONDS = 15
TRACE_SECONDS = 60


def stack(target: Target) -> Aws:
    if target.aws is None:
        raise Skipped("Set STACK, with AWS credentials in the environment.")
    return target.aws


@SUBJECT("No function reports an error, or a missing permission, during this run", "Read the line; a denied action belongs in the function's policy (infra/template.yaml), and in the privileges test.")
def no_errors(target: Target) -> str:
    aws = stack(target)
    time.sleep(0 if target.is_emulator else LOG_SECONDS)
    groups = functions(aws)
    for group in groups:
        for pattern in ("AccessDenied", "ERROR"):
            for line in aws.log_lines(group, float(target.options["STARTED"]), pattern):
                # The pattern also matches words of harmless messages; the level decides.
                is_error = '"level":"ERROR"' in line.replace(" ", "") or "AccessDenied" in line or line.startswith("ERROR")
                expect(not is_error, f"{group}: {line[:400]}")
    return f"{len(groups)} log groups"


@SUBJECT("The logs tell a request from the gateway to its delivery (make logs)", "docs/runbook.md describes the lines; AccessLogSettings of the stage has the gateway's.")
def trace(target: Target) -> str:
    aws, first = stack(target), target.first
    url = f"{target.receiver.url}/trace" if target.receiver else "https://example.com/"
    made = webhook(first, url, test=False)
    started = time.time() - 5
    identity = first.send("POST", f"{path_of(made)}/test", first["ADMIN_KEY"], {}).headers["x-request-id"]
    groups = aws.physical("AWS::Logs::LogGroup")
    wanted = {"AppsLogs", "DeliverLogs"} | (set() if target.is_emulator else {"AccessLogs"})
    found: dict[str, str] = {}
    while wanted - set(found) and time.time() < started + TRACE_SECONDS:
        time.sleep(1)
        for name in wanted - set(found):
            for line in aws.log_lines(groups[name], started, f'"{identity}"'):
                if identity in line:
                    found[name] = line
    expect(not wanted - set(found), f"no line with {identity} in {sorted(wanted - set(found))}")
    expect("AccessLogs" not in found or '"source"' in found["AccessLogs"], f"the access log has no source address: {found}")
    return ", ".join(sorted(found))


@SUBJECT("Cold starts are as short as measured", "Compare with docs/performance.md; memory is a setting of the function.")
def cold_starts(target: Target) -> str:
    aws, found = stack(target), {}
    for group in functions(aws):
        for line in aws.log_lines(group, float(target.options["STARTED"]) - 3600, '"Init Duration"'):
            if match := INIT.search(line):
                found.setdefault(group.rsplit("/", 1)[-1], []).append(float(match[1]))
    if not found:
        raise Skipped("No REPORT line with an Init Duration within the last hour." + (" The emulator writes none." if target.is_emulator else ""))
    longest = {name: max(times) for name, times in found.items()}
    note = ", ".join(f"{name} {most:.0f} ms" for name, most in sorted(longest.items()))
    expect(max(longest.values()) <= INIT_LIMIT_MS, f"over {INIT_LIMIT_MS} ms: {note}")
    return note


@SUBJECT("Only IAM reaches the operator function", "Remove the permission or the function URL.")
def operator(target: Target) -> str:
    aws = stack(target)
    lambdas, name = aws.client("lambda"), aws.outputs["OperatorFunction"]
    for ask, what in ((lambdas.get_policy, "a resource policy"), (lambdas.get_function_url_config, "a function URL")):
        try:
            found = ask(FunctionName=name)
        except ClientError as error:
            expect(error.response["Error"]["Code"] in ("ResourceNotFoundException", "404"), error)
        else:
            statements = json.loads(found.get("Policy", "{}")).get("Statement", [])
            expect(not statements and "FunctionUrl" not in found, f"the operator function has {what}: {found}")
    return ""


@SUBJECT("No message is in a dead-letter queue", "docs/runbook.md says what to do with each.")
def dead_letters(target: Target) -> str:
    aws = stack(target)
    queues = {name: url for name, url in aws.physical("AWS::SQS::Queue").items() if "DeadLetters" in name}
    for name, url in queues.items():
        attributes = aws.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
        waiting = attributes["Attributes"]["ApproximateNumberOfMessages"]
        expect(waiting == "0", f"{name} has {waiting} messages")
    return f"{len(queues)} queues"


@SUBJECT("No alarm is in alarm, and alarms have a topic", "docs/runbook.md has an entry for each alarm. Set AlarmTopicArn, or nobody is notified.")
def alarms(target: Target) -> str:
    aws = stack(target)
    names = list(aws.physical("AWS::CloudWatch::Alarm").values())
    found = []
    # A call takes at most 100 names, and returns 50 alarms unless it asks for more.
    for first in range(0, len(names), 100):
        page = aws.client("cloudwatch").describe_alarms(AlarmNames=names[first : first + 100], MaxRecords=100)
        found += page["MetricAlarms"]
    firing = [alarm["AlarmName"] for alarm in found if alarm["StateValue"] == "ALARM"]
    expect(not firing, f"in alarm: {firing}")
    expect(len(found) == len(names), f"{len(found)} of {len(names)} alarms exist")
    mute = [alarm["AlarmName"] for alarm in found if not alarm.get("AlarmActions")]
    if mute and target.is_emulator:
        raise Expected("The local stack has no topic for its alarms.")
    expect(not mute, f"{len(mute)} of {len(found)} alarms notify no one")
    return f"{len(found)} alarms"


@SUBJECT("Metrics arrive in the namespace named like the stack", "Embedded metrics are log lines: is METRICS_NAMESPACE the stack's name?")
def metrics(target: Target) -> str:
    aws = stack(target)
    found = {metric["MetricName"] for metric in aws.client("cloudwatch").list_metrics(Namespace=aws.stack)["Metrics"]}
    if not found and target.is_emulator:
        raise Expected("The emulator makes no metrics of log lines.")
    expect(found, "none; the sweep writes some every minute")
    return ", ".join(sorted(found))


@SUBJECT("The table keeps what it must, and forgets what it may", "infra/template.yaml has these settings: was one changed by hand?")
def table(target: Target) -> str:
    aws = stack(target)
    dynamodb, name = aws.client("dynamodb"), aws.outputs["TableName"]
    described = dynamodb.describe_table(TableName=name)["Table"]
    backups = dynamodb.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    ttl = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    found = {
        "deletion protection": described.get("DeletionProtectionEnabled"),
        "point-in-time recovery": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED",
        "time to live": ttl.get("TimeToLiveStatus") == "ENABLED" and ttl.get("AttributeName") == "ttl",
    }
    missing = [what for what, is_on in found.items() if not is_on]
    if missing and target.is_emulator:
        raise Expected(f"The emulator leaves out of the template: {', '.join(missing)}.")
    expect(not missing, f"off: {', '.join(missing)}")
    return ", ".join(found)


@SUBJECT("The bucket is private and forgets abandoned uploads", "infra/template.yaml has these settings: was one changed by hand?")
def bucket(target: Target) -> str:
    aws = stack(target)
    s3, name = aws.client("s3"), aws.outputs["BucketName"]
    blocked = s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
    expect(all(blocked.values()), f"public access: {blocked}")
    if target.is_emulator:
        raise Expected("Public access is blocked; the emulator leaves the lifecycle out of the template.")
    rules = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
    prefixes = {rule.get("Prefix") or rule.get("Filter", {}).get("Prefix") for rule in rules if rule["Status"] == "Enabled"}
    expect(prefixes >= {"incoming/", "media/"}, f"rules for {prefixes}")
    return ""


@SUBJECT("The account lets through what the stage does", "Ask for more concurrent executions (Service Quotas), or lower RequestsPerSecond.")
def account(target: Target) -> str:
    aws = stack(target)
    if target.is_emulator:
        raise Skipped("The emulator has no quotas.")
    rate, burst = aws.throttle()
    concurrent = aws.client("lambda").get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    note = f"{concurrent} concurrent executions; the stage allows {rate:g} requests per second, {burst} at once"
    # A request takes about 50 ms, so one execution serves twenty in a second.
    expect(concurrent * 20 >= rate, note)
    return note


def functions(aws: Aws) -> list[str]:
    """The log groups of the functions, without the access log, which has requests but no errors of ours."""
    return [group for name, group in aws.physical("AWS::Logs::LogGroup").items() if not name.startswith("Access")]

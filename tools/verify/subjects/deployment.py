"""What CloudFormation and the services made of the template. Needs AWS credentials and the stack's name."""

import json
from fnmatch import fnmatchcase

from botocore.exceptions import ClientError

from tools.operate.policies import prefix
from tools.stack.template import Evaluation, source, translated
from tools.verify.aws import Aws
from tools.verify.report import Expected, Skipped, Subject, expect
from tools.verify.subjects.stack import stack
from tools.verify.target import Target

SUBJECT = Subject("Deployment (with AWS credentials)")
# The service of each type whose resources CloudFormation names after the stack, and what stands for the name in the identifier.
NAMED = {
    "AWS::DynamoDB::Table": "dynamodb",
    "AWS::IAM::Role": "iam",
    "AWS::Lambda::Function": "lambda",
    "AWS::Logs::LogGroup": "logs",
    "AWS::S3::Bucket": "s3",
    "AWS::Scheduler::Schedule": "scheduler",
    "AWS::SMSVOICE::ConfigurationSet": "sms-voice",
    "AWS::SNS::Topic": "sns",
    "AWS::SQS::Queue": "sqs",
    "AWS::CloudWatch::Alarm": "cloudwatch",
}
# Names that do not begin with the stack's, as infra/deployer-policy-data.json has them.
OTHERS = {"AWS::SSM::Parameter": "CFN-TableInUse*", "AWS::SecretsManager::Secret": "PlatformSecret-*"}
# The emulator gives these names of another form.
NAMED_BY_THE_EMULATOR = {"AWS::Logs::LogGroup", "AWS::SSM::Parameter"}
# A table that is charged by request begins with as many shards (docs/deploying.md).
SHARDS = 4
MANAGED_BY_AWS = "alias/aws/sns"


@SUBJECT("Every route of the template exists and is deployed", "Deploy again: CloudFormation creates what is missing. If the message names a throttle, connect the three chains of routes (infra/template.yaml) into one.")
def routes(target: Target) -> str:
    aws = stack(target)
    gateway, api = aws.client("apigatewayv2"), aws.outputs["ApiId"]
    pages = gateway.get_paginator("get_routes").paginate(ApiId=api)
    found = {route["RouteKey"] for page in pages for route in page["Items"]}
    resources = source()["Resources"].values()
    wanted = {resource["Properties"]["RouteKey"] for resource in resources if resource["Type"] == "AWS::ApiGatewayV2::Route"}
    expect(found == wanted, f"missing: {sorted(wanted - found)}; not in this checkout's template: {sorted(found - wanted)}")
    deployed = gateway.get_stage(ApiId=api, StageName="$default")
    expect(deployed.get("AutoDeploy"), "the stage does not deploy changes by itself")
    if target.is_emulator:
        return f"{len(found)} routes; the emulator has no deployments"
    last = gateway.get_deployment(ApiId=api, DeploymentId=deployed["DeploymentId"])
    expect(last["DeploymentStatus"] == "DEPLOYED", f"the last deployment: {last.get('DeploymentStatusMessage') or last['DeploymentStatus']}")
    message = deployed.get("LastDeploymentStatusMessage", "")
    expect("fail" not in message.lower(), message)
    return f"{len(found)} routes"


@SUBJECT("The deployer's policies cover the names that CloudFormation chose", "Correct the patterns in infra/deployer-policy-*.json, or where names are shortened (tools/operate/policies.py).")
def names(target: Target) -> str:
    aws, count, foreign = stack(target), 0, []
    for kind in sorted({*NAMED, *OTHERS} - (NAMED_BY_THE_EMULATOR if target.is_emulator else set())):
        pattern = OTHERS.get(kind) or f"{prefix(NAMED[kind], aws.stack)}*"
        for logical_id, identifier in aws.physical(kind).items():
            name = identifier.rsplit("/", 1)[-1] if kind in ("AWS::SQS::Queue", "AWS::Scheduler::Schedule") else identifier
            name = name.rsplit(":", 1)[-1] if name.startswith("arn:") else name
            count += 1
            if not fnmatchcase(name, pattern) and not fnmatchcase(name, f"{aws.stack}*"):
                foreign.append(f"{logical_id} is {name}, not {pattern}")
    expect(not foreign, "; ".join(foreign))
    return f"{count} names"


@SUBJECT("Queues, topics, table and bucket are encrypted with the key that was chosen", "infra/template.yaml has these settings: was one changed by hand? docs/deploying.md says what KmsKeyArn needs.")
def encryption(target: Target) -> str:
    aws = stack(target)
    key, wrong = aws.parameters.get("KmsKeyArn", ""), []
    for name, url in aws.physical("AWS::SQS::Queue").items():
        found = aws.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["SqsManagedSseEnabled", "KmsMasterKeyId"])
        has = found.get("Attributes", {})
        if not (has.get("KmsMasterKeyId") == key if key else has.get("SqsManagedSseEnabled") == "true"):
            wrong.append(f"{name}: {has}")
    rules = aws.client("s3").get_bucket_encryption(Bucket=aws.outputs["BucketName"])["ServerSideEncryptionConfiguration"]["Rules"]
    bucket = rules[0]["ApplyServerSideEncryptionByDefault"]
    if bucket.get("KMSMasterKeyID", "") != key:
        wrong.append(f"bucket: {bucket}")
    expect(not wrong, "; ".join(wrong))
    table = aws.client("dynamodb").describe_table(TableName=aws.outputs["TableName"])["Table"].get("SSEDescription", {})
    topics = [key_of_topic(aws, arn) for arn in topic_arns(aws)]
    if target.is_emulator and not all(topics):
        raise Expected("Queues and bucket are; the emulator leaves the encryption of topics and table out of the template.")
    expect(table.get("Status") == "ENABLED" and (not key or table.get("KMSMasterKeyArn") == key), f"table: {table}")
    expect(all(topics) and (not key or set(topics) == {key}), f"topics: {topics}")
    return key or "keys of AWS and of the stack"


@SUBJECT("What the carrier reports can reach its queue", "Subscriptions: deploy again. Key: allow sms-voice.amazonaws.com to use it, as docs/deploying.md says under KmsKeyArn.")
def carrier(target: Target) -> str:
    aws = stack(target)
    sns = aws.client("sns")
    for arn in topic_arns(aws):
        attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
        confirmed, pending = attributes["SubscriptionsConfirmed"], attributes["SubscriptionsPending"]
        expect((confirmed, pending) == ("1", "0"), f"{arn} has {confirmed} subscriptions, and {pending} that wait")
        if aws.parameters.get("SmsCarrier") == "aws":
            expect(publishes(aws, key_of_topic(aws, arn)), f"the carrier may not use the key of {arn}, {key_of_topic(aws, arn)}")
    return aws.parameters.get("SmsCarrier", "none")


@SUBJECT("Lambda reads every queue, and the stream, with the concurrency of the template", "If a mapping is disabled, enable it (make restore OPTIONS=--start). If the numbers differ, deploy again.")
def mappings(target: Target) -> str:
    aws, found = stack(target), {}
    template = Evaluation(translated(), aws.parameters).resources()
    for name, identifier in aws.physical("AWS::Lambda::EventSourceMapping").items():
        mapping, wanted = aws.client("lambda").get_event_source_mapping(UUID=identifier), template[name]["Properties"]
        state = "Enabled" if wanted.get("Enabled", True) else "Disabled"
        # The emulator enables every mapping.
        if not (target.is_emulator and state == "Disabled"):
            expect(mapping["State"] == state, f"{name} is {mapping['State']}")
        most = wanted.get("ScalingConfig", {}).get("MaximumConcurrency")
        has = mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
        expect(most is None or (has is None and target.is_emulator) or int(most) == has, f"{name} has a maximum concurrency of {has}, not {most}")
        found[name] = has or mapping.get("ParallelizationFactor")
    return f"{len(found)} mappings"


@SUBJECT("The stream has no more shards than the concurrency was calculated for", "Raise AccountConcurrency. docs/deploying.md says what happens until then.")
def shards(target: Target) -> str:
    aws = stack(target)
    stream = aws.client("dynamodb").describe_table(TableName=aws.outputs["TableName"])["Table"]["LatestStreamArn"]
    described = aws.client("dynamodbstreams").describe_stream(StreamArn=stream)["StreamDescription"]
    ready = [shard for shard in described["Shards"] if "EndingSequenceNumber" not in shard["SequenceNumberRange"]]
    expect(len(ready) <= SHARDS or aws.parameters.get("AccountConcurrency") != "10", f"{len(ready)} open shards, calculated for {SHARDS}")
    return f"{len(ready)} open"


@SUBJECT("Lambda lets the functions loop whose queues feed themselves", "RecursiveLoop of the function (infra/template.yaml) is Allow: deploy again. Otherwise Lambda stops retries after 16 passes.")
def loops(target: Target) -> str:
    aws, looping = stack(target), []
    template = Evaluation(translated(), aws.parameters).resources()
    for name, function in aws.physical("AWS::Lambda::Function").items():
        if template[name]["Properties"].get("RecursiveLoop") == "Allow":
            looping.append(name)
            found = aws.client("lambda").get_function_recursion_config(FunctionName=function)["RecursiveLoop"]
            if found != "Allow" and target.is_emulator:
                raise Expected("The emulator leaves RecursiveLoop out of the template.")
            expect(found == "Allow", f"{name}: {found}")
    return ", ".join(looping)


@SUBJECT("The account has the concurrency that the stack counts on", "Set AccountConcurrency to the account's quota, rounded down (docs/deploying.md), or raise the quota.")
def concurrency(target: Target) -> str:
    aws = stack(target)
    if target.is_emulator:
        raise Skipped("The emulator has no quotas.")
    limit = aws.client("lambda").get_account_settings()["AccountLimit"]
    counted = int(aws.parameters["AccountConcurrency"])
    note = f"AccountConcurrency is {counted}; the account has {limit['ConcurrentExecutions']}, {limit['UnreservedConcurrentExecutions']} of them unreserved"
    expect(counted <= limit["ConcurrentExecutions"], note)
    return note


def topic_arns(aws: Aws) -> list[str]:
    return list(aws.physical("AWS::SNS::Topic").values())


def key_of_topic(aws: Aws, arn: str) -> str:
    return aws.client("sns").get_topic_attributes(TopicArn=arn)["Attributes"].get("KmsMasterKeyId", "")


def publishes(aws: Aws, key: str) -> bool:
    """Whether the carrier may encrypt with a key, by the key's policy."""
    if not key or key == MANAGED_BY_AWS:
        return False
    try:
        policy = json.loads(aws.client("kms").get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    except ClientError as error:
        raise Skipped(f"The policy of {key} cannot be read: {error}") from error
    services = [statement.get("Principal", {}) for statement in policy["Statement"] if statement["Effect"] == "Allow"]
    return any("sms-voice.amazonaws.com" in str(principal.get("Service", "")) for principal in services if isinstance(principal, dict))

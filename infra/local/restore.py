"""`make restore`: puts a stack onto a restored copy of its table, and reconciles the two. docs/restore.md says when and how.

Until the functions use the restored table nobody else writes to it, and before they do everything that must stay dead is removed from
it. What is found done is left alone, so that a run that was interrupted is simply repeated.
"""

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timezone

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError

from tools.stack.environment import read_environment
from tools.stack.project import ENV, say
from tools.stack.stack import STACK, Stack

PARAMETERS = ("RestoredTableName", "RestoredTableStreamArn")
# What is read of the restored table: everything that proves, counts, or has bytes.
CLASSES = ["CRED#", "ORG#", "AKEY#", "APP#", "APPKEY#", "HOOK#", "SEC#", "NUM#", "WABP#", "WAPN#", "PGNUM#", "MEDIA#", "RATE#"]
ATTRIBUTES = [
    "PK", "SK", "id", "appId", "holder", "keyId", "sessionId", "valueHash", "slug", "numbers", "systemNumbers", "keys", "webhooks",
    "adminKeys", "apps", "phoneNumbers", "playgroundUsers", "chatBusinessProfiles", "chatPhoneNumbers", "displayPhoneNumber", "role",
    "url", "disabledAt", "signingSecret", "previousSecret", "previousUntil", "state", "expiresAt", "inboundMedia", "isDirect", "uploads",
]
SIGNING = ("signingSecret", "previousSecret", "previousUntil")
SEGMENTS = 4
DUE_PARTITIONS = 16
KSUID = 27
# Seconds; every function but the worker ends within them.
PROMPT = 60
SHOWN = 20
DISABLED = "The table was restored to an earlier time. Any change of the webhook enables it again."

Key = tuple[str, str]
Items = dict[Key, dict]


class Refused(Exception):
    """What the operator has to see to first."""


class Hand:
    """Does what has to be done, or only says it."""

    def __init__(self, dry_run: bool):
        self.dry_run = dry_run
        self.count = 0

    def __call__(self, what: str, act: Callable[[], object]) -> None:
        self.count += 1
        say(f"   would {what}" if self.dry_run else f"   {what}")
        if not self.dry_run:
            act()


def now() -> datetime:
    return datetime.now(timezone.utc)


def timestamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def millis(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def wait_until(what: str, seconds: float, is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            raise Refused(f"Still waiting for {what} after {seconds:.0f} s; run this again later.")
        time.sleep(1)


def listed(title: str, entries: list[str]) -> None:
    say(f"   {title}: {len(entries) or 'none'}")
    for entry in sorted(entries)[:SHOWN]:
        say(f"      {entry}")
    if len(entries) > SHOWN:
        say(f"      ... and {len(entries) - SHOWN} more")


# ---------------------------------------------------------------- keys, as shared/store/src/keys.rs makes them


def organization(key: Key) -> str:
    return key[0].split("#")[1]


def due_partition(partition: str) -> str:
    """FNV-1a, as shared/store/src/item.rs spreads the due index."""
    value = 2_166_136_261
    for byte in partition.encode():
        value = ((value ^ byte) * 16_777_619) % 2**32
    return str(value % DUE_PARTITIONS)


def mode(identifier: str) -> str:
    return "test" if "_test_" in identifier else "live"


def credential(item: dict) -> Key:
    return f"CRED#{item['valueHash']}", "CRED"


def secrets_of(webhook: Key) -> Key:
    return f"SEC#{webhook[0].removeprefix('HOOK#')}", webhook[1]


def beside_webhook(key: Key, webhook: dict) -> list[Key]:
    """What goes with a webhook."""
    o, identifier = organization(key), webhook["id"]
    listens = f"HOOKS#{o}#{mode(identifier)}", identifier[-KSUID:]
    return [secrets_of(key), listens, (f"HEALTH#{o}#{identifier}", "HEALTH")]


# ---------------------------------------------------------------- tables


@dataclass
class Change:
    """What is written together."""

    what: str
    deletes: list[Key] = field(default_factory=list)
    writes: list[dict] = field(default_factory=list)


class Table:
    def __init__(self, dynamodb, name: str):
        self.dynamodb = dynamodb
        self.name = name
        self.read, self.write = TypeDeserializer().deserialize, TypeSerializer().serialize

    def describe(self) -> dict | None:
        try:
            return self.dynamodb.describe_table(TableName=self.name)["Table"]
        except self.dynamodb.exceptions.ResourceNotFoundException:
            return None

    def update(self, **changes: object) -> None:
        """One setting at a time, as DynamoDB wants it."""
        self.dynamodb.update_table(TableName=self.name, **changes)
        wait_until(f"table {self.name}", 600, lambda: self.describe()["TableStatus"] == "ACTIVE")

    def projection(self) -> dict:
        names = {f"#{name}": name for name in ATTRIBUTES}
        return {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}

    def plain(self, item: dict) -> tuple[Key, dict]:
        plain = {name: self.read(value) for name, value in item.items()}
        return (plain.pop("PK"), plain.pop("SK")), plain

    def scan(self) -> Items:
        values = {f":c{number}": {"S": name} for number, name in enumerate([*CLASSES, "MSG#"])}
        *classes, messages = values
        wanted = [f"begins_with(#PK, {name})" for name in classes]
        wanted.append(f"(begins_with(#PK, {messages}) AND attribute_exists(#inboundMedia))")
        request = {**self.projection(), "FilterExpression": " OR ".join(wanted), "ExpressionAttributeValues": values}

        def segment(number: int) -> Items:
            pages = self.dynamodb.get_paginator("scan").paginate(
                TableName=self.name, ConsistentRead=True, Segment=number, TotalSegments=SEGMENTS, **request
            )
            return dict(self.plain(item) for page in pages for item in page["Items"])

        found: Items = {}
        with ThreadPoolExecutor(SEGMENTS) as pool:
            for items in pool.map(segment, range(SEGMENTS)):
                found.update(items)
        return found

    def get(self, keys: list[Key]) -> Items:
        """Those of `keys` that there are."""
        found: Items = {}
        for start in range(0, len(keys), 100):
            wanted = [{"PK": {"S": partition}, "SK": {"S": sort}} for partition, sort in keys[start : start + 100]]
            while wanted:
                request = {self.name: {"Keys": wanted, "ConsistentRead": True, **self.projection()}}
                answer = self.dynamodb.batch_get_item(RequestItems=request)
                found.update(self.plain(item) for item in answer["Responses"].get(self.name, []))
                wanted = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
                if wanted:
                    time.sleep(0.2)
        return found

    def query(self, partition: str) -> Items:
        pages = self.dynamodb.get_paginator("query").paginate(
            TableName=self.name, KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": {"S": partition}}
        )
        return dict(self.plain(item) for page in pages for item in page["Items"])

    def put(self, key: Key, item: dict) -> dict:
        everything = {"PK": key[0], "SK": key[1], "v": 1, **item}
        return {"Put": {"TableName": self.name, "Item": {name: self.write(value) for name, value in everything.items()}}}

    def update_of(self, key: Key, text: str, values: dict, condition: str = "attribute_exists(PK)") -> dict:
        update = {
            "TableName": self.name,
            "Key": {"PK": {"S": key[0]}, "SK": {"S": key[1]}},
            "UpdateExpression": text,
            "ExpressionAttributeNames": {name: name[1:] for name in re.findall(r"#\w+", f"{text} {condition}")},
            "ExpressionAttributeValues": {name: self.write(value) for name, value in values.items()},
        }
        return {"Update": {**update, "ConditionExpression": condition} if condition else update}

    def commit(self, change: Change) -> None:
        deletes = [{"PK": {"S": partition}, "SK": {"S": sort}} for partition, sort in dict.fromkeys(change.deletes)]
        writes = [*change.writes, *({"Delete": {"TableName": self.name, "Key": key}} for key in deletes)]
        self.dynamodb.transact_write_items(TransactItems=writes)


def indexes(description: dict) -> dict[str, tuple]:
    found = {}
    for index in description.get("GlobalSecondaryIndexes") or []:
        projection = index["Projection"]
        found[index["IndexName"]] = (schema(index), projection["ProjectionType"], sorted(projection.get("NonKeyAttributes") or []))
    return found


def schema(description: dict) -> list[tuple[str, str]]:
    return sorted((key["KeyType"], key["AttributeName"]) for key in description["KeySchema"])


def types(description: dict) -> dict[str, str]:
    return {entry["AttributeName"]: entry["AttributeType"] for entry in description["AttributeDefinitions"]}


def check_schema(table: Table, wanted: dict) -> dict:
    """The description of a table whose keys and indexes are the template's."""
    found = table.describe()
    if found is None:
        raise Refused(f"There is no table {table.name} in this account and region.")
    if found["TableStatus"] not in ("ACTIVE", "UPDATING"):
        raise Refused(f"Table {table.name} is {found['TableStatus']}: its restoration has not ended yet.")
    if schema(found) != schema(wanted):
        raise Refused(f"The key of {table.name} is {schema(found)}, the template's is {schema(wanted)}: that is no table of this stack.")
    if indexes(found) != indexes(wanted):
        raise Refused(
            f"The indexes of {table.name} are {indexes(found)}, the template's are {indexes(wanted)}. Restore with all indexes, "
            "as is the default, or make the missing one and wait until it is active."
        )
    if types(found) != types(wanted):
        raise Refused(f"The key attributes of {table.name} are {types(found)}, the template's are {types(wanted)}.")
    waiting = [index["IndexName"] for index in found.get("GlobalSecondaryIndexes") or [] if index.get("IndexStatus", "ACTIVE") != "ACTIVE"]
    if waiting:
        raise Refused(f"Index {', '.join(waiting)} of {table.name} is not active yet: its restoration has not ended.")
    return found


def switch_on(table: Table, wanted: dict, hand: Hand) -> None:
    """What a restored table comes without, as the template has it."""
    found, dynamodb = table.describe(), table.dynamodb
    if wanted.get("BillingMode") == "PAY_PER_REQUEST" and found.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        hand("bill by request", lambda: table.update(BillingMode="PAY_PER_REQUEST"))
    if wanted.get("SSESpecification", {}).get("SSEEnabled") and found.get("SSEDescription", {}).get("Status") not in ("ENABLED", "ENABLING", "UPDATING"):
        hand("switch on encryption with the account's key", lambda: table.update(SSESpecification={"Enabled": True}))
    view = wanted["StreamSpecification"]["StreamViewType"]
    stream = found.get("StreamSpecification") or {}
    if stream.get("StreamEnabled") and stream.get("StreamViewType") != view:
        raise Refused(f"The stream of {table.name} shows {stream.get('StreamViewType')}, the template wants {view}: switch it off first.")
    if not stream.get("StreamEnabled"):
        specification = {"StreamEnabled": True, "StreamViewType": view}
        hand(f"switch on the stream ({view})", lambda: table.update(StreamSpecification=specification))
    attribute = wanted["TimeToLiveSpecification"]["AttributeName"]
    ttl = dynamodb.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    if ttl["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
        specification = {"AttributeName": attribute, "Enabled": True}
        hand(
            f"switch on expiry by `{attribute}`",
            lambda: dynamodb.update_time_to_live(TableName=table.name, TimeToLiveSpecification=specification),
        )
    elif ttl.get("AttributeName") != attribute:
        raise Refused(f"Items of {table.name} expire by `{ttl.get('AttributeName')}`, the template says `{attribute}`.")
    backups = dynamodb.describe_continuous_backups(TableName=table.name)["ContinuousBackupsDescription"]
    if backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") != "ENABLED":
        specification = {"PointInTimeRecoveryEnabled": True}
        hand(
            "switch on point-in-time recovery",
            lambda: dynamodb.update_continuous_backups(TableName=table.name, PointInTimeRecoverySpecification=specification),
        )
    if wanted.get("DeletionProtectionEnabled") and not found.get("DeletionProtectionEnabled"):
        hand("protect it from deletion", lambda: table.update(DeletionProtectionEnabled=True))


# ---------------------------------------------------------------- the stack


class Deployment:
    """A deployed stack, and the switch that stops it."""

    def __init__(self, client: Callable, name: str):
        self.name = name
        self.client = client
        self.cloudformation, self.functions_api, self.sqs = client("cloudformation"), client("lambda"), client("sqs")
        self.read()

    def read(self) -> None:
        try:
            stack = self.cloudformation.describe_stacks(StackName=self.name)["Stacks"][0]
        except ClientError as error:
            raise Refused(f"There is no stack {self.name} in this account and region: {error}") from error
        self.status = stack["StackStatus"]
        self.parameters = {entry["ParameterKey"]: entry.get("ParameterValue", "") for entry in stack.get("Parameters", [])}
        outputs = {entry["OutputKey"]: entry["OutputValue"] for entry in stack.get("Outputs", [])}
        if not set(PARAMETERS) <= set(self.parameters):
            raise Refused(f"Stack {self.name} is of an older release, which knows no restored table: deploy this one first.")
        self.table_name, self.bucket = outputs["TableName"], outputs["BucketName"]
        pages = self.cloudformation.get_paginator("list_stack_resources").paginate(StackName=self.name)
        self.resources = [resource for page in pages for resource in page["StackResourceSummaries"]]

    def physical(self, kind: str) -> dict[str, str]:
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for resource in self.resources
            if resource["ResourceType"] == kind and resource.get("PhysicalResourceId")
        }

    def template(self) -> dict:
        """What the template says of the table."""
        body = self.cloudformation.get_template(StackName=self.name, TemplateStage="Processed")["TemplateBody"]
        if not isinstance(body, dict):
            raise Refused(f"The processed template of {self.name} is not JSON.")
        return body["Resources"]["Table"]["Properties"]

    def functions(self) -> dict[str, dict]:
        """Those that use the table, by name."""
        found = {}
        for name in self.physical("AWS::Lambda::Function").values():
            configuration = self.functions_api.get_function_configuration(FunctionName=name)
            if "TABLE_NAME" in configuration.get("Environment", {}).get("Variables", {}):
                found[name] = configuration
        return found

    def mappings(self) -> dict[str, dict]:
        get = self.functions_api.get_event_source_mapping
        return {name: get(UUID=uuid) for name, uuid in self.physical("AWS::Lambda::EventSourceMapping").items()}

    def reserved(self, function: str) -> int | None:
        return self.functions_api.get_function_concurrency(FunctionName=function).get("ReservedConcurrentExecutions")

    def uses(self, table: Table) -> bool:
        """Whether functions and stream are this very table's; one that was restored under its old name has another stream."""
        found = table.describe() or {}
        sources = [mapping["EventSourceArn"] for mapping in self.mappings().values()]
        is_listening = (found.get("StreamSpecification") or {}).get("StreamEnabled") and found.get("LatestStreamArn") in sources
        return bool(is_listening) and all(
            function["Environment"]["Variables"]["TABLE_NAME"] == table.name for function in self.functions().values()
        )

    def is_stopped(self) -> bool:
        return any(self.reserved(function) == 0 for function in self.functions())

    def stop(self, hand: Hand, settle: float | None) -> None:
        """Nothing is started any more: requests get a 503 of the gateway, messages stay in their queues."""
        running = {name: mapping for name, mapping in self.mappings().items() if mapping["State"] not in ("Disabled", "Disabling")}
        if running:
            hand(f"disable {', '.join(sorted(running))}", lambda: self.set_mappings(running, enabled=False))
        functions = self.functions()
        started = {name: self.reserved(name) for name in functions}
        started = {name: reserved for name, reserved in started.items() if reserved != 0}
        for name, reserved in started.items():
            if reserved is not None:
                say(f"   Note: {name} has a reserved concurrency of {reserved}, which the start takes off.")
        stop = self.functions_api.put_function_concurrency
        if started:
            hand(
                f"stop {len(started)} functions (reserved concurrency 0)",
                lambda: [stop(FunctionName=name, ReservedConcurrentExecutions=0) for name in started],
            )
        if not hand.dry_run:
            self.settle(functions, settle)

    def set_mappings(self, mappings: dict[str, dict], enabled: bool) -> None:
        wanted = "Enabled" if enabled else "Disabled"
        uuids = [mapping["UUID"] for mapping in mappings.values()]
        state = lambda uuid: self.functions_api.get_event_source_mapping(UUID=uuid)["State"]
        wait_until("event source mappings", 300, lambda: all(state(uuid) in ("Enabled", "Disabled") for uuid in uuids))
        for uuid in uuids:
            self.functions_api.update_event_source_mapping(UUID=uuid, Enabled=enabled)
        wait_until("event source mappings", 300, lambda: all(state(uuid) == wanted for uuid in uuids))

    def settle(self, functions: dict[str, dict], seconds: float | None) -> None:
        """What is running ends; only the worker may take long, and then its queue shows messages in work."""
        timeouts = [configuration["Timeout"] for configuration in functions.values()]
        seconds = max(limit for limit in timeouts if limit <= PROMPT) if seconds is None else seconds
        say(f"   Waiting {seconds:g} s for what is running, and for the worker, which may take {max(timeouts)} s ...")
        time.sleep(seconds)
        queue = self.physical("AWS::SQS::Queue")["JobQueue"]
        deadline = time.monotonic() + max(timeouts) - seconds
        while time.monotonic() < deadline:
            attributes = self.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessagesNotVisible"])
            if attributes["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "0":
                return
            time.sleep(5)

    def start(self, hand: Hand) -> None:
        stopped = [name for name in self.functions() if self.reserved(name) == 0]
        start = self.functions_api.delete_function_concurrency
        if stopped:
            hand(f"start {len(stopped)} functions", lambda: [start(FunctionName=name) for name in stopped])
        resting = {name: mapping for name, mapping in self.mappings().items() if mapping["State"] not in ("Enabled", "Enabling")}
        if resting:
            hand(f"enable {', '.join(sorted(resting))}", lambda: self.set_mappings(resting, enabled=True))

    def switch(self, table: Table) -> None:
        """An update of two parameters; the template stays."""
        values = dict(zip(PARAMETERS, (table.name, table.describe()["LatestStreamArn"])))
        parameters = [
            {"ParameterKey": name, "ParameterValue": values[name]} if name in values else {"ParameterKey": name, "UsePreviousValue": True}
            for name in self.parameters
        ]
        try:
            self.cloudformation.update_stack(
                StackName=self.name,
                UsePreviousTemplate=True,
                Parameters=parameters,
                Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
            )
        except ClientError as error:
            if "No updates are to be performed" not in str(error):
                raise
        status = lambda: self.cloudformation.describe_stacks(StackName=self.name)["Stacks"][0]["StackStatus"]
        wait_until(f"stack {self.name}", 3600, lambda: not status().endswith("_IN_PROGRESS"))
        self.read()
        if not self.uses(table):
            raise Refused(f"The update of {self.name} ended as {self.status}, and it works on {self.table_name}. See the stack's events.")
        awake = [name for name in self.functions() if self.reserved(name) != 0]
        if awake:
            say(f"   Note: the update itself has started {', '.join(awake)}: while it ran they may have written to the table before.")


# ---------------------------------------------------------------- what must stay dead


class Reconciliation:
    """The restored table beside the one that was live; every change is made to `items` too."""

    def __init__(self, table: Table, hand: Hand, old: Table | None = None):
        self.table = table
        self.hand = hand
        self.old = old
        self.items = table.scan()
        self.partitions: dict[str, list[Key]] = defaultdict(list)
        for key in self.items:
            self.partitions[key[0]].append(key)
        self.at = now()

    def of(self, *classes: str) -> Iterator[tuple[Key, dict]]:
        return ((key, item) for key, item in list(self.items.items()) if key[0].startswith(classes))

    def under(self, partition: str) -> Items:
        return {key: self.items[key] for key in self.partitions[partition] if key in self.items}

    def make(self, change: Change) -> None:
        self.hand(change.what, lambda: self.table.commit(change))
        for key in change.deletes:
            self.items.pop(key, None)

    def removal_of_app(self, key: Key, app: dict) -> Change:
        """As `Change::delete_app` does it; the sweep clears what is left."""
        o, identifier = organization(key), app["id"]
        app_keys, webhooks = self.under(f"APPKEY#{o}#{identifier}"), self.under(f"HOOK#{o}#{identifier}")
        what = f"remove app {identifier} with its {len(app_keys)} keys and {len(webhooks)} webhooks"
        change = Change(what, [key, (f"APPSLUG#{o}", app["slug"])])
        for app_key, item in app_keys.items():
            change.deletes += [app_key, credential(item)]
        for webhook in webhooks:
            change.deletes += [webhook, secrets_of(webhook)]
        change.deletes += [(f"PGNUM#{o}", number) for number in app.get("systemNumbers", [])]
        numbers, listening = set(app.get("numbers", [])), {item["id"] for item in webhooks.values()}
        if numbers or listening:
            marker = f"GONE#{o}", key[1]
            remains = {"id": identifier, "duePartition": due_partition(marker[0]), "dueAt": millis(self.at)}
            remains |= {name: members for name, members in (("numbers", numbers), ("webhooks", listening)) if members}
            change.writes.append(self.table.put(marker, remains))
        return change

    def revoke_what_the_old_table_has_not(self, kept: set[str]) -> None:
        """Apps first: their keys, credentials and webhooks go with them."""
        is_kept = lambda item: bool(kept & {item.get("id"), item.get("keyId"), item.get("sessionId"), item.get("appId")})
        judged = [key for key, item in self.of("CRED#", "AKEY#", "APP#", "APPKEY#", "HOOK#") if not is_kept(item)]
        gone = set(judged) - set(self.old.get(judged))
        for key, app in self.of("APP#"):
            if key in gone:
                self.make(self.removal_of_app(key, app))
        for key, item in self.of("AKEY#", "APPKEY#"):
            if key in gone:
                kind = "admin key" if key[0].startswith("AKEY#") else "app key"
                self.make(Change(f"revoke {kind} {item['id']}", [key, credential(item)]))
        for key, webhook in self.of("HOOK#"):
            if key in gone:
                self.make(Change(f"remove webhook {webhook['id']}", [key, *beside_webhook(key, webhook)]))
        for key, item in self.of("CRED#"):
            if key in gone:
                self.make(Change(f"revoke the credential of {holder(item)}", [key]))
        self.keep_rotated_secrets()

    def keep_rotated_secrets(self) -> None:
        """A signing secret that was replaced since would be refused by its receiver, or be known to somebody."""
        secrets = dict(self.of("SEC#"))
        newer = self.old.get(list(secrets))
        for key, item in secrets.items():
            signing = {name: newer.get(key, item).get(name) for name in SIGNING}
            if signing == {name: item.get(name) for name in SIGNING}:
                continue
            there = {name: value for name, value in signing.items() if value is not None}
            text = "SET " + ", ".join(f"#{name} = :{name}" for name in there)
            if len(there) < len(signing):
                text += " REMOVE " + ", ".join(f"#{name}" for name in signing if name not in there)
            update = self.table.update_of(key, text, {f":{name}": value for name, value in there.items()})
            webhook = self.items.get((f"HOOK#{key[0].removeprefix('SEC#')}", key[1]), {}).get("id", key[1])
            self.make(Change(f"keep the rotated signing secret of webhook {webhook}", writes=[update]))
            self.items[key] = {**item, **signing}

    def revoke_all(self) -> None:
        for key, item in self.of("AKEY#", "APPKEY#"):
            self.make(Change(f"revoke {item['id']}", [key, credential(item)]))
        for key, item in self.of("CRED#"):
            self.make(Change(f"revoke the credential of {holder(item)}", [key]))
        # One that was deleted since must not hear of anything; nobody can tell which.
        for key, webhook in self.of("HOOK#"):
            if "disabledAt" not in webhook:
                text = "SET #disabledAt = :at, #updatedAt = :at, #disabledReason = :why ADD #revision :one"
                update = self.table.update_of(key, text, {":at": timestamp(self.at), ":why": DISABLED, ":one": 1})
                self.make(Change(f"disable webhook {webhook['id']}", writes=[update]))

    def revoke_what_no_list_shows(self) -> None:
        """A credential without its key could not be revoked by anybody."""
        proven = {credential(item) for _, item in self.of("AKEY#", "APPKEY#")}
        for key, item in self.of("CRED#"):
            if item.get("holder") != "session" and key not in proven:
                self.make(Change(f"revoke the credential of {holder(item)}, which no list shows", [key]))

    def tell_what_is_lost(self) -> None:
        """Made since the restore point."""
        lost = []
        for key, _ in self.of("ORG#"):
            if key[1] != "ORG":
                continue
            o = organization(key)
            apps = {**self.old.query(f"APP#{o}#live"), **self.old.query(f"APP#{o}#test")}
            found = {**apps, **self.old.query(f"AKEY#{o}#live"), **self.old.query(f"AKEY#{o}#test")}
            for app in apps.values():
                found |= self.old.query(f"APPKEY#{o}#{app['id']}") | self.old.query(f"HOOK#{o}#{app['id']}")
            lost += [f"{item['id']} of {o}" for key, item in found.items() if key not in self.items]
        listed("Keys, apps and webhooks made since, which are lost", lost)

    # ------------------------------------------------------------ counters

    def counted(self) -> dict[tuple[Key, str], int]:
        """What the counters behind the limits should say."""
        counts: dict[tuple[Key, str], int] = defaultdict(int)
        given = {(organization(key), key[1]): item.get("role") for key, item in self.of("PGNUM#")}
        for key, item in self.of("ORG#", "AKEY#", "APP#", "APPKEY#", "HOOK#", "NUM#", "WABP#", "WAPN#", "PGNUM#"):
            kind, o = key[0].split("#")[:2]
            if kind == "ORG" and key[1] == "ORG":
                for name in ("adminKeys", "apps", "phoneNumbers", "playgroundUsers", "chatBusinessProfiles", "chatPhoneNumbers"):
                    counts[(f"ORG#{o}", "COUNT"), name] += 0
            elif kind == "APP":
                counts[key, "keys"] += 0
                counts[key, "webhooks"] += 0
            # The playground's profile and the chat numbers of test apps are not counted: the apps are.
            name = {
                "AKEY": "adminKeys",
                "APP": "apps",
                "NUM": "phoneNumbers",
                "PGNUM": "playgroundUsers" if item.get("role") == "user" else None,
                "WABP": "chatBusinessProfiles" if not item.get("id", "").startswith("wabp_playground") else None,
                "WAPN": "chatPhoneNumbers" if given.get((o, item.get("displayPhoneNumber"))) != "system" else None,
            }.get(kind)
            if name:
                counts[(f"ORG#{o}", "COUNT"), name] += 1
            if kind in ("APPKEY", "HOOK"):
                identifier = item["appId"]
                app = f"APP#{o}#{mode(identifier)}", identifier[-KSUID:]
                if app in self.items:
                    counts[app, "keys" if kind == "APPKEY" else "webhooks"] += 1
        return counts | self.pending_uploads()

    def pending_uploads(self) -> dict[tuple[Key, str], int]:
        counts = {(key, "uploads"): 0 for key, _ in self.of("RATE#") if key[1] == "PENDING"}
        for key, media in self.of("MEDIA#"):
            counter = (f"RATE#{organization(key)}#{media.get('appId')}", "PENDING"), "uploads"
            if media.get("state") == "pending" and media.get("isDirect") and counter in counts:
                counts[counter] += 1
        return counts

    def mend_counters(self) -> None:
        for (key, name), count in self.counted().items():
            seen = int(self.items.get(key, {}).get(name, 0))
            if seen != count:
                whose = self.items.get(key, {}).get("id", organization(key))
                update = self.table.update_of(key, f"SET #{name} = :count", {":count": count}, condition="")
                self.make(Change(f"set {name} of {whose} from {seen} to {count}", writes=[update]))
                self.items.setdefault(key, {})[name] = count


def holder(item: dict) -> str:
    return item.get("keyId") or item.get("sessionId") or "an unknown holder"


# ---------------------------------------------------------------- media


def owner(name: str) -> Key | None:
    """The item that an object of the bucket belongs to."""
    match name.split("/"):
        case ["media" | "incoming", o, identifier]:
            return (f"MSG#{o}#{identifier}", "MSG") if identifier.startswith("msg_") else (f"MEDIA#{o}#{identifier}", "MEDIA")
    return None


def object_of(key: Key) -> str:
    _, o, identifier = key[0].split("#")
    return f"media/{o}/{identifier}"


class Media:
    """Items and bytes beside each other. Items are made before their bytes and go after them, so that this holds on a live table too."""

    def __init__(self, s3, bucket: str, found: Reconciliation, names: set[str]):
        self.s3 = s3
        self.bucket = bucket
        self.found = found
        self.table, self.hand = found.table, found.hand
        self.names = names

    @staticmethod
    def names_in(s3, bucket: str) -> set[str]:
        pages = s3.get_paginator("list_objects_v2")
        wanted = [pages.paginate(Bucket=bucket, Prefix=prefix) for prefix in ("media/", "incoming/")]
        return {entry["Key"] for listing in wanted for page in listing for entry in page.get("Contents", [])}

    def visible(self) -> dict[Key, dict]:
        """What readers are given an address of."""
        at = timestamp(self.found.at)
        media = {key: item for key, item in self.found.of("MEDIA#") if item.get("state") == "ready" and item["expiresAt"] > at}
        inbound = {
            key: item for key, item in self.found.of("MSG#")
            if item["inboundMedia"].get("expiresAt", "") > at and not item["inboundMedia"].get("isRemoved")
        }
        return media | inbound

    def exists(self, name: str) -> bool:
        try:
            self.s3.head_object(Bucket=self.bucket, Key=name)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                return False
            raise
        return True

    def has_versions(self) -> bool:
        return self.s3.get_bucket_versioning(Bucket=self.bucket).get("Status") is not None

    def hide(self, key: Key, why: str) -> None:
        """As `Change::hide_media` does it: nobody sees it any more, and the sweep removes it."""
        item, at = self.found.items[key], self.found.at
        values = {":now": timestamp(at), ":due": millis(at), ":partition": due_partition(key[0])}
        due = "#dueAt = :due, #duePartition = :partition"
        if key[0].startswith("MEDIA#"):
            text = f"SET #state = :deleted, #expiresAt = :now, {due}"
            values |= {":deleted": "deleted", ":seen": item["expiresAt"]}
            condition = "#expiresAt = :seen"
        else:
            text = f"SET #inboundMedia.#expiresAt = :now, {due} ADD #revision :one"
            values |= {":one": 1, ":seen": item["inboundMedia"]["expiresAt"]}
            condition = "#inboundMedia.#expiresAt = :seen"
        update = self.table.update_of(key, text, values, condition)
        try:
            self.found.make(Change(f"hide {key[0].split('#')[2]}: {why}", writes=[update]))
        except self.table.dynamodb.exceptions.TransactionCanceledException as cancelled:
            codes = {reason.get("Code") for reason in cancelled.response.get("CancellationReasons", [])}
            if "ConditionalCheckFailed" not in codes:
                raise
            say("      it was changed meanwhile, and is left as it is")

    def reconcile(self, delete_objects: bool) -> None:
        old, visible = self.found.old, self.visible()
        live = old.get(list(visible)) if old else {}
        is_deleted = lambda key: old is not None and live.get(key, {}).get("state") == "deleted"
        missing = [key for key in visible if object_of(key) not in self.names and not self.exists(object_of(key))]
        versions = self.has_versions() if missing else False
        restorable = []
        for key in visible:
            if key in missing:
                # Without the table that was live nobody can tell what its owner deleted from what was lost.
                if versions and (old is None or key in live) and not is_deleted(key):
                    restorable.append(object_of(key))
                else:
                    self.hide(key, "its bytes are gone")
            elif is_deleted(key):
                self.hide(key, "its owner deleted it since")
        if restorable:
            listed("Media whose bytes may be brought back from a version of the object (docs/restore.md)", restorable)
        self.orphans(delete_objects)

    def orphans(self, delete_objects: bool) -> None:
        owners = {name: owner(name) for name in self.names}
        doubtful = [key for key in owners.values() if key and key not in self.found.items]
        known = set(self.table.get(list(dict.fromkeys(doubtful)))) | set(self.found.items)
        orphans = sorted(name for name, key in owners.items() if key and key not in known)
        listed("Objects that no item names", orphans)
        if orphans and delete_objects:
            remove = lambda: [self.s3.delete_object(Bucket=self.bucket, Key=name) for name in orphans]
            self.hand(f"delete these {len(orphans)} objects", remove)
        elif orphans:
            say("   They are left: nobody can read them, and the bucket's own rule removes them. --delete-objects deletes them now.")


# ---------------------------------------------------------------- the whole


def choose_old_table(arguments: argparse.Namespace, deployment: Deployment, dynamodb, wanted: dict) -> Table | None:
    """The table that tells what was revoked since, or the operator's decision to do without."""
    current = Table(dynamodb, deployment.table_name)
    is_there = deployment.table_name != arguments.table and current.describe() is not None
    if not (arguments.old_table or arguments.revoke_all or arguments.keep_credentials):
        usual = f"The table before, {current.name}, is still there: take --old-table {current.name}." if is_there else "The table before is gone."
        raise Refused(
            "Keys, sessions, apps and webhooks that were deleted since the restore point would come to life again. Choose one:\n"
            "  --old-table NAME      what the table before does not have stays deleted\n"
            "  --revoke-all          every key and session is revoked, every webhook disabled\n"
            f"  --keep-credentials    nothing is revoked: whoever was shut out since comes in again\n{usual}"
        )
    if not arguments.old_table:
        return None
    if arguments.old_table == arguments.table:
        raise Refused("--old-table names the restored table itself.")
    if is_there and arguments.old_table != current.name:
        raise Refused(f"The stack works on {current.name}: only that knows what was revoked. --old-table {current.name}")
    old = Table(dynamodb, arguments.old_table)
    check_schema(old, wanted)
    return old


def restore(arguments: argparse.Namespace, deployment: Deployment, hand: Hand) -> None:
    dynamodb, s3 = deployment.client("dynamodb"), deployment.client("s3")
    table, wanted = Table(dynamodb, arguments.table), deployment.template()
    if deployment.status.endswith("_IN_PROGRESS"):
        raise Refused(f"Stack {deployment.name} is {deployment.status}: wait for it.")
    check_schema(table, wanted)
    is_live = deployment.uses(table)
    old = None if is_live else choose_old_table(arguments, deployment, dynamodb, wanted)
    say(f"Stack {deployment.name} works on {deployment.table_name}, table {table.name} has the template's keys and indexes.")
    say("What a restored table comes without")
    switch_on(table, wanted, hand)
    if not is_live:
        say("Stopping the service")
        deployment.stop(hand, arguments.settle)
    names = Media.names_in(s3, deployment.bucket)
    found = Reconciliation(table, hand, old)
    if not is_live:
        say("Counters as they were restored")
        found.mend_counters()
        say("Credentials")
        if old:
            found.revoke_what_the_old_table_has_not(set(arguments.keep))
            found.tell_what_is_lost()
        elif arguments.revoke_all:
            found.revoke_all()
        else:
            say("   Nothing is revoked: what was deleted since lives again.")
        found.revoke_what_no_list_shows()
        say("Counters after that")
        found.mend_counters()
    say("Media")
    Media(s3, deployment.bucket, found, names).reconcile(arguments.delete_objects)
    say("The stack")
    if not is_live:
        hand(f"put {deployment.name} onto {table.name}", lambda: deployment.switch(table))
    if not is_live or deployment.is_stopped():
        deployment.start(hand)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make restore", description="Puts a stack onto a restored copy of its table. See docs/restore.md.")
    parser.add_argument("--table", default="", help="the restored table")
    parser.add_argument("--stack", default="", help="a deployed stack; without it the running local one")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--old-table", metavar="NAME", help="the table before: what it does not have stays deleted")
    choice.add_argument("--revoke-all", action="store_true", help="revoke every key and session, disable every webhook")
    choice.add_argument("--keep-credentials", action="store_true", help="revoke nothing")
    parser.add_argument("--keep", metavar="ID", nargs="+", default=[], help="apps, keys and webhooks that come back although the old table has them not")
    parser.add_argument("--delete-objects", action="store_true", help="delete objects that no item names")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--settle", type=float, metavar="SECONDS", help="how long what is running may take to end")
    parser.add_argument("--stop", action="store_true", help="only stop the service")
    parser.add_argument("--start", action="store_true", help="only start it again, on the table that the stack has")
    arguments = parser.parse_args()
    if arguments.stack:
        client, name = boto3.client, arguments.stack
    else:
        client, name = Stack(int(read_environment(ENV)["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])).client, STACK
    hand, deployment = Hand(arguments.dry_run), None
    try:
        deployment = Deployment(client, name)
        if arguments.stop:
            deployment.stop(hand, arguments.settle)
        elif arguments.start:
            deployment.start(hand)
        elif arguments.table:
            restore(arguments, deployment, hand)
        else:
            raise Refused("Say which: make restore TABLE=<restored table> [STACK=messaging-api]")
    except (Refused, ClientError) as error:
        is_stopped = deployment is not None and deployment.is_stopped()
        hint = f"\nThe service is stopped: run this again, or start it on {deployment.table_name} with --start." if is_stopped else ""
        sys.exit(f"{error}{hint}")
    if hand.dry_run:
        say(f"Nothing was changed; {hand.count} steps would be taken.")
    else:
        say(f"Done: {hand.count} steps." if hand.count else "Nothing was to be done.")


if __name__ == "__main__":
    main()

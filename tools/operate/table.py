"""Compares the settings of a table with the template, and completes them."""

from tools.operate.steps import Refused, Steps, wait_until


class Table:
    def __init__(self, dynamodb, name: str):
        self.dynamodb = dynamodb
        self.name = name

    def describe(self) -> dict | None:
        try:
            return self.dynamodb.describe_table(TableName=self.name)["Table"]
        except self.dynamodb.exceptions.ResourceNotFoundException:
            return None

    def update(self, **changes: object) -> None:
        """Changes one setting, because DynamoDB accepts only one at a time, and waits."""
        self.dynamodb.update_table(TableName=self.name, **changes)
        wait_until(f"table {self.name}", 600, lambda: self.describe()["TableStatus"] == "ACTIVE")


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
    """Returns the table's description after checking that its keys and indexes match the template."""
    found = table.describe()
    if found is None:
        raise Refused(f"Table {table.name} does not exist in this account and region.")
    if found["TableStatus"] not in ("ACTIVE", "UPDATING"):
        raise Refused(f"Table {table.name} is {found['TableStatus']}: its restoration has not completed yet. Run this again later.")
    if schema(found) != schema(wanted):
        raise Refused(f"The key of {table.name} is {schema(found)}, the template's is {schema(wanted)}: the table does not belong to this stack.")
    if indexes(found) != indexes(wanted):
        raise Refused(
            f"The indexes of {table.name} are {indexes(found)}, the template's are {indexes(wanted)}. Restore with all indexes, "
            "which is the default, or create the missing index and wait until it is active."
        )
    if types(found) != types(wanted):
        raise Refused(f"The key attributes of {table.name} are {types(found)}, the template's are {types(wanted)}.")
    waiting = [index["IndexName"] for index in found.get("GlobalSecondaryIndexes") or [] if index.get("IndexStatus", "ACTIVE") != "ACTIVE"]
    if waiting:
        raise Refused(f"Index {', '.join(waiting)} of {table.name} is not active yet: its restoration has not completed. Run this again later.")
    return found


def switch_on(table: Table, wanted: dict, steps: Steps) -> None:
    """Applies the template's settings that a restored table lacks."""
    found, dynamodb = table.describe(), table.dynamodb
    if wanted.get("BillingMode") == "PAY_PER_REQUEST" and found.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        steps("switch to on-demand billing", lambda: table.update(BillingMode="PAY_PER_REQUEST"))
    key, encryption = wanted.get("SSESpecification", {}).get("KMSMasterKeyId"), found.get("SSEDescription", {})
    is_encrypted = encryption.get("Status") in ("ENABLED", "ENABLING", "UPDATING")
    if key and (not is_encrypted or encryption.get("KMSMasterKeyArn") != key):
        specification = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
        steps(f"encrypt with {key}", lambda: table.update(SSESpecification=specification))
    elif wanted.get("SSESpecification", {}).get("SSEEnabled") and not is_encrypted:
        steps("enable encryption with the account's key", lambda: table.update(SSESpecification={"Enabled": True}))
    view = wanted["StreamSpecification"]["StreamViewType"]
    stream = found.get("StreamSpecification") or {}
    if stream.get("StreamEnabled") and stream.get("StreamViewType") != view:
        raise Refused(f"The stream of {table.name} has view type {stream.get('StreamViewType')}, the template's is {view}. Switch the stream off first.")
    if not stream.get("StreamEnabled"):
        specification = {"StreamEnabled": True, "StreamViewType": view}
        steps(f"enable the stream ({view})", lambda: table.update(StreamSpecification=specification))
    attribute = wanted["TimeToLiveSpecification"]["AttributeName"]
    ttl = dynamodb.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    if ttl["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
        specification = {"AttributeName": attribute, "Enabled": True}
        steps(
            f"enable expiry by `{attribute}`",
            lambda: dynamodb.update_time_to_live(TableName=table.name, TimeToLiveSpecification=specification),
        )
    elif ttl.get("AttributeName") != attribute:
        raise Refused(f"Items of {table.name} expire by `{ttl.get('AttributeName')}`, the template says `{attribute}`.")
    backups = dynamodb.describe_continuous_backups(TableName=table.name)["ContinuousBackupsDescription"]
    if backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") != "ENABLED":
        specification = {"PointInTimeRecoveryEnabled": True}
        steps(
            "enable point-in-time recovery",
            lambda: dynamodb.update_continuous_backups(TableName=table.name, PointInTimeRecoverySpecification=specification),
        )
    if wanted.get("DeletionProtectionEnabled") and not found.get("DeletionProtectionEnabled"):
        steps("enable deletion protection", lambda: table.update(DeletionProtectionEnabled=True))

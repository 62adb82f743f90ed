"""The stream of the table that a stack works on: its own table, or a restored one outside the stack."""

import boto3

from tools.operate.installation import Installation
from tools.operate.table import Table
from tools.stack.project import say

# What the stream must show, so that usage can be counted.
VIEW_TYPE = "NEW_AND_OLD_IMAGES"


def view_type(table: Table) -> str | None:
    """What the stream of a table shows; `None` without a table or stream."""
    stream = (table.describe() or {}).get("StreamSpecification") or {}
    return stream["StreamViewType"] if stream.get("StreamEnabled") else None


class StreamInUse:
    def __init__(self, aws: boto3.Session, stack: str):
        found = Installation(aws, stack).live() or {}
        outputs = {entry["OutputKey"]: entry["OutputValue"] for entry in found.get("Outputs", [])}
        parameters = {entry["ParameterKey"]: entry.get("ParameterValue", "") for entry in found.get("Parameters", [])}
        self.is_restored = bool(parameters.get("RestoredTableName"))
        self.table = Table(aws.client("dynamodb"), outputs["TableName"]) if "TableName" in outputs else None

    def is_other(self) -> bool:
        """Whether the table has a stream of another view type than this release's."""
        return self.table is not None and view_type(self.table) not in (None, VIEW_TYPE)

    def renew(self) -> None:
        """Gives a restored table a stream of the right view type, also if this was interrupted. CloudFormation does it for the
        stack's own table."""
        if self.is_restored and self.table is not None and view_type(self.table) != VIEW_TYPE:
            say(f"   {self.table.name} gets a new stream ({VIEW_TYPE}).")
            if view_type(self.table) is not None:
                self.table.update(StreamSpecification={"StreamEnabled": False})
            self.table.update(StreamSpecification={"StreamEnabled": True, "StreamViewType": VIEW_TYPE})

    def parameters(self) -> dict[str, str]:
        """The parameter that names a restored table's stream: a deployment that was interrupted may not have set it."""
        if not self.is_restored or self.table is None:
            return {}
        return {"RestoredTableStreamArn": self.table.describe()["LatestStreamArn"]}

"""What a restored table lacks of the template's settings, by the answers of DynamoDB."""

import unittest
from unittest import mock

import boto3
from botocore.stub import Stubber

from tools.operate.steps import Steps
from tools.operate.table import Table, switch_on
from tools.stack.template import Evaluation, translated

KEY = "arn:aws:kms:eu-central-1:123456789012:key/1"


class Encryption(unittest.TestCase):
    def updates(self, has: dict, key: str = "") -> list[dict]:
        """Returns the encryption that is asked for, for a restored table with this one."""
        wanted = Evaluation(translated(), {"KmsKeyArn": key}).resources()["Table"]["Properties"]
        dynamodb = boto3.client("dynamodb", region_name="eu-central-1", aws_access_key_id="a", aws_secret_access_key="s")
        table = {
            "TableStatus": "ACTIVE",
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "DeletionProtectionEnabled": True,
            "SSEDescription": has,
        }
        with Stubber(dynamodb) as answers, mock.patch.object(Table, "update") as update:
            answers.add_response("describe_table", {"Table": table})
            answers.add_response("describe_time_to_live", {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}})
            recovery = {"PointInTimeRecoveryStatus": "ENABLED"}
            described = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
            answers.add_response("describe_continuous_backups", {"ContinuousBackupsDescription": described})
            switch_on(Table(dynamodb, "restored"), wanted, Steps(dry_run=False))
        return [call.kwargs["SSESpecification"] for call in update.call_args_list]

    def test_the_accounts_key(self):
        self.assertEqual(self.updates({}), [{"Enabled": True}])
        self.assertEqual(self.updates({"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "of AWS"}), [])

    def test_the_stacks_key(self):
        wanted = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY}
        for has in ({}, {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "of AWS"}):
            self.assertEqual(self.updates(has, KEY), [wanted])
        self.assertEqual(self.updates({"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY}, KEY), [])


if __name__ == "__main__":
    unittest.main()

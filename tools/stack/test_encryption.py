"""What is encrypted with which key, with and without a key of the customer and a carrier; and who may upload from a browser."""

import json
import unittest

from tools.stack.testing import evaluated, of_type

KEY = "arn:aws:kms:eu-central-1:123456789012:key/1"
CARRIER_KEY = {"Fn::GetAtt": ["CarrierKey", "Arn"]}
TOPICS = {"CarrierReceipts", "CarrierInbound"}


class Keys(unittest.TestCase):
    def test_a_key_encrypts_table_bucket_every_queue_and_every_topic(self):
        found = evaluated(KmsKeyArn=KEY, SmsCarrier="aws")
        self.assertEqual(found["Table"]["Properties"]["SSESpecification"], {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY})
        [rule] = found["Bucket"]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        expected = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}, "BucketKeyEnabled": True}
        self.assertEqual(rule, expected)
        queues, topics = of_type(found, "AWS::SQS::Queue"), of_type(found, "AWS::SNS::Topic")
        self.assertGreater(len(queues), 10)
        for name, queue in queues.items():
            self.assertEqual((queue["KmsMasterKeyId"], queue["SqsManagedSseEnabled"]), (KEY, False), name)
        self.assertEqual({name: topic["KmsMasterKeyId"] for name, topic in topics.items()}, dict.fromkeys(TOPICS, KEY))
        # The stack makes none of its own then.
        self.assertEqual(of_type(found, "AWS::KMS::Key"), {})
        [policy] = of_type(found, "AWS::IAM::Policy").values()
        [statement] = policy["PolicyDocument"]["Statement"]
        self.assertEqual((statement["Resource"], statement["Action"]), (KEY, ["kms:Decrypt", "kms:GenerateDataKey"]))

    def test_without_one_everything_is_encrypted_all_the_same_and_no_role_may_use_a_key(self):
        found = evaluated()
        self.assertEqual(found["Table"]["Properties"]["SSESpecification"], {"SSEEnabled": True})
        [rule] = found["Bucket"]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        self.assertEqual(rule, {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}})
        for name, queue in of_type(found, "AWS::SQS::Queue").items():
            self.assertEqual((queue.get("KmsMasterKeyId"), queue["SqsManagedSseEnabled"]), (None, True), name)
        self.assertNotIn("kms:", json.dumps([found[name] for name in found if found[name]["Type"] in ("AWS::IAM::Role", "AWS::IAM::Policy")]))
        self.assertEqual(of_type(found, "AWS::KMS::Key"), {})

    def test_topics_that_a_carrier_publishes_to_have_a_key_that_it_may_use(self):
        # AWS manages the policy of its own key for SNS, and admits no service to it.
        found = evaluated(SmsCarrier="aws")
        self.assertEqual({name: topic["KmsMasterKeyId"] for name, topic in of_type(found, "AWS::SNS::Topic").items()}, dict.fromkeys(TOPICS, CARRIER_KEY))
        [carrier] = [s for s in found["CarrierKey"]["Properties"]["KeyPolicy"]["Statement"] if "Service" in s["Principal"]]
        self.assertEqual(carrier["Principal"], {"Service": "sms-voice.amazonaws.com"})
        self.assertEqual(carrier["Action"], ["kms:GenerateDataKey*", "kms:Decrypt"])
        self.assertEqual(carrier["Condition"], {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}})
        without = of_type(evaluated(), "AWS::SNS::Topic")
        self.assertEqual({name: topic["KmsMasterKeyId"] for name, topic in without.items()}, dict.fromkeys(TOPICS, "alias/aws/sns"))


class Uploads(unittest.TestCase):
    """Browsers may upload directly from the installation's pages, and from nowhere else."""

    def origins(self, **parameters: str) -> list:
        [rule] = evaluated(**parameters)["Bucket"]["Properties"]["CorsConfiguration"]["CorsRules"]
        self.assertEqual((rule["AllowedMethods"], rule["AllowedHeaders"]), (["PUT"], ["content-type", "if-none-match"]))
        return rule["AllowedOrigins"]

    def test_the_apis_address_its_domain_and_the_pages(self):
        api = {"Fn::Sub": "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}"}
        self.assertEqual(self.origins(), [api])
        self.assertEqual(self.origins(DomainName="api.example.com"), [api, {"Fn::Sub": "https://${DomainName}"}])
        [first, pages] = self.origins(DocsUrl="https://docs.example.com/api")
        self.assertEqual(first, api)
        self.assertEqual(pages["Fn::Join"][0], "//")
        self.assertNotIn("*", json.dumps(self.origins(DocsUrl="https://docs.example.com/api", DomainName="api.example.com")))


if __name__ == "__main__":
    unittest.main()

"""Checks what the carrier needs of the template: the topics that it publishes to, and a highest price that it accepts."""

import gzip
import json
import unittest
from pathlib import Path

import botocore

from tools.stack.template import source
from tools.stack.testing import ACCOUNTS, evaluated, of_type


class CarrierTopics(unittest.TestCase):
    """What the carrier reports: carrier -> topic -> queue -> worker."""

    TOPICS = {"CarrierReceipts", "CarrierInbound"}

    def test_only_the_carrier_may_publish_and_only_for_this_account(self):
        policies = of_type(evaluated(), "AWS::SNS::TopicPolicy").values()
        for policy in policies:
            [topic] = policy["Topics"]
            [statement] = policy["PolicyDocument"]["Statement"]
            self.assertEqual(
                {name: statement[name] for name in ("Effect", "Principal", "Action", "Resource", "Condition")},
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "sms-voice.amazonaws.com"},
                    "Action": "sns:Publish",
                    "Resource": topic,
                    "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
                },
            )
        self.assertEqual({policy["Topics"][0]["Ref"] for policy in policies}, self.TOPICS)
        self.assertEqual(set(of_type(evaluated(), "AWS::SNS::Topic")), self.TOPICS)

    def test_both_topics_lead_to_the_queue_that_the_worker_reads(self):
        for account in ACCOUNTS:
            with self.subTest(account=account):
                resources = evaluated(AccountConcurrency=account, SmsCarrier="aws")
                queue = "JobQueue" if account == 10 else "CarrierQueue"
                subscriptions = of_type(resources, "AWS::SNS::Subscription").values()
                self.assertEqual({found["TopicArn"]["Ref"] for found in subscriptions}, self.TOPICS)
                for found in subscriptions:
                    self.assertEqual(found["Endpoint"], {"Fn::GetAtt": [queue, "Arn"]})
                    # A received message has no time but the envelope's.
                    self.assertFalse(found.get("RawMessageDelivery", False))
                    self.assertEqual(found["RedrivePolicy"], {"deadLetterTargetArn": {"Fn::GetAtt": ["CarrierDeadLetters", "Arn"]}})
                mappings = of_type(resources, "AWS::Lambda::EventSourceMapping").values()
                [mapping] = [found for found in mappings if found["EventSourceArn"] == {"Fn::GetAtt": [queue, "Arn"]}]
                self.assertEqual((mapping["FunctionName"], mapping.get("Enabled", True)), ({"Ref": "WorkerFunction"}, True))
                self.assertEqual(mapping["FunctionResponseTypes"], ["ReportBatchItemFailures"])
                [policy] = of_type(resources, "AWS::SQS::QueuePolicy").values()
                self.assertEqual(policy["Queues"], [{"Ref": queue}, {"Ref": "CarrierDeadLetters"}])
                [statement] = policy["PolicyDocument"]["Statement"]
                self.assertEqual({arn["Ref"] for arn in statement["Condition"]["ArnEquals"]["aws:SourceArn"]}, self.TOPICS)
                self.assertEqual([arn["Fn::GetAtt"][0] for arn in statement["Resource"]], [queue, "CarrierDeadLetters"])

    def test_the_carrier_sends_its_receipts_to_the_topic(self):
        [configuration] = of_type(evaluated(SmsCarrier="aws"), "AWS::SMSVOICE::ConfigurationSet").values()
        [destination] = configuration["EventDestinations"]
        self.assertEqual(destination["SnsDestination"], {"TopicArn": {"Ref": "CarrierReceipts"}})
        self.assertEqual((destination["Enabled"], destination["MatchingEventTypes"]), (True, ["TEXT_ALL", "MEDIA_ALL"]))
        stand_in = {"CarrierBaseUrl": "http://127.0.0.1:9"}
        for parameters, expected in (({"SmsCarrier": "aws"}, {"Ref": "CarrierConfigurationSet"}), ({}, ""), (stand_in, "stand-in")):
            functions = of_type(evaluated(**parameters), "AWS::Lambda::Function")
            for name in ("SendingFunction", "WorkerFunction"):
                self.assertEqual(functions[name]["Environment"]["Variables"]["CARRIER_CONFIGURATION_SET"], expected)

    def test_its_queue_is_read_only_if_something_can_be_in_it(self):
        stand_in = {"CarrierBaseUrl": "http://127.0.0.1:9"}
        local = {"LocalApiId": "0a51a51a"}
        for parameters, expected in (({}, False), ({"SmsCarrier": "aws"}, True), (stand_in, True), (local, True)):
            resources = evaluated(AccountConcurrency=50, **parameters)
            mappings = of_type(resources, "AWS::Lambda::EventSourceMapping").values()
            [mapping] = [found for found in mappings if found["EventSourceArn"] == {"Fn::GetAtt": ["CarrierQueue", "Arn"]}]
            self.assertEqual((mapping["Enabled"], "CarrierQueueAgeAlarm" in resources), (expected, expected), parameters)


class Prices(unittest.TestCase):
    def test_the_price_that_the_template_accepts_is_one_that_the_carrier_accepts(self):
        folder = Path(botocore.__file__).parent / "data" / "pinpoint-sms-voice-v2" / "2022-03-31"
        with gzip.open(folder / "service-2.json.gz") as model:
            price = json.load(model)["shapes"]["MaxPrice"]
        self.assertEqual(source()["Parameters"]["SmsMaxPrice"]["AllowedPattern"], f"^{price['pattern']}$")
        self.assertRegex(source()["Parameters"]["SmsMaxPrice"]["Default"], price["pattern"])
        # The pattern alone keeps to the bounds.
        self.assertEqual((price["min"], price["max"]), (len(".0"), len("00.00000")))


if __name__ == "__main__":
    unittest.main()

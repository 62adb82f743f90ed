"""Checks the alarms, the dashboard and the metrics of both levels of monitoring."""

import json
import re
import unittest

from tools.stack.template import Evaluation
from tools.stack.testing import TRANSLATED, evaluated, of_type


class Monitoring(unittest.TestCase):
    """Essential monitoring costs next to nothing; a Rust test injects each failure and sees one of its alarms."""

    EVERYTHING = {"AccountConcurrency": 1000, "SmsCarrier": "aws", "ExpectNotifications": "true"}

    def test_essential_has_ten_alarms_and_ten_metrics_at_most_and_no_dashboard(self):
        for parameters in ({}, self.EVERYTHING):
            resources = evaluated(**parameters)
            alarms = of_type(resources, "AWS::CloudWatch::Alarm")
            own = {found["MetricName"] for found in alarms.values() if found.get("Namespace") == {"Ref": "AWS::StackName"}}
            self.assertTrue(8 <= len(alarms) <= 10 and 5 <= len(own) <= 10, (sorted(alarms), own))
            self.assertFalse(any("Dimensions" in found for found in alarms.values() if found.get("MetricName") in own))
            self.assertEqual(of_type(resources, "AWS::CloudWatch::Dashboard"), {})
            self.assertNotIn("Dashboard", self.outputs(**parameters))

    def test_full_has_an_alarm_for_each_cause_and_a_dashboard(self):
        resources = evaluated(Monitoring="full", **self.EVERYTHING)
        alarms = of_type(resources, "AWS::CloudWatch::Alarm")
        self.assertGreater(len(alarms), 75)
        shared = {name for name in evaluated(**self.EVERYTHING) if name in alarms}
        self.assertEqual(shared, {"ServerErrorsAlarm", "JobQueueAgeAlarm", "CarrierQueueAgeAlarm", "NoNotificationsAlarm"})
        self.assertIn("Dashboard", resources)
        self.assertIn("Dashboard", self.outputs(Monitoring="full"))

    def test_every_alarm_notifies_the_topic(self):
        topic = "arn:aws:sns:eu-central-1:123456789012:alarms"
        for monitoring in ("essential", "full"):
            resources = evaluated(Monitoring=monitoring, AlarmTopicArn=topic, **self.EVERYTHING)
            for name, found in of_type(resources, "AWS::CloudWatch::Alarm").items():
                self.assertEqual(found.get("AlarmActions"), [topic], name)

    def test_functions_are_told(self):
        for monitoring in ("essential", "full"):
            functions = of_type(evaluated(Monitoring=monitoring), "AWS::Lambda::Function").values()
            told = {function["Environment"]["Variables"]["MONITORING"] for function in functions}
            self.assertEqual(told, {monitoring})

    def test_the_sweep_counts_the_messages_of_every_dead_letter_queue(self):
        queues = {name for name in of_type(evaluated(), "AWS::SQS::Queue") if name.endswith("DeadLetters")}
        variable = lambda **parameters: of_type(evaluated(**parameters), "AWS::Lambda::Function")["SweepFunction"]["Environment"]["Variables"]["DEAD_LETTER_QUEUE_URLS"]
        self.assertEqual(set(re.findall(r"\$\{(\w+)\}", variable()["Fn::Sub"])), queues)
        self.assertEqual(variable(Monitoring="full"), "")

    def outputs(self, **parameters: object) -> dict:
        evaluation = Evaluation(TRANSLATED, {name: str(value) for name, value in parameters.items()})
        outputs = TRANSLATED["Outputs"].items()
        return {name: found for name, found in outputs if "Condition" not in found or evaluation.condition(found["Condition"])}


class Gateway(unittest.TestCase):
    def test_it_publishes_no_metrics_that_cost_and_that_nobody_reads(self):
        [stage] = of_type(evaluated(), "AWS::ApiGatewayV2::Stage").values()
        self.assertNotIn("DetailedMetricsEnabled", str(stage))
        read = {json.dumps(alarm.get("Dimensions")) for alarm in of_type(evaluated(), "AWS::CloudWatch::Alarm").values()}
        self.assertFalse(any('"Route' in dimensions or '"Resource"' in dimensions for dimensions in read))


if __name__ == "__main__":
    unittest.main()

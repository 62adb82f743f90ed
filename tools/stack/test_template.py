"""Checks the template as CloudFormation deploys it: after SAM's transform, for different parameters."""

import json
import re
import subprocess
import unittest

from tools.stack.project import ROOT
from tools.stack.template import Evaluation, source, translated

TRANSLATED = translated()
ACCOUNTS = (10, 50, 100, 200, 500, 1000)
# Lambda accepts a reservation only if it leaves this much concurrency to the functions without one.
UNRESERVED = 100

# Properties whose names end in `Name` but whose values may be fixed, by type, each with the reason.
NAMES_THAT_MAY_BE_FIXED = {
    ("AWS::ApiGatewayV2::Api", "Name"): "a label: several APIs may have the same",
    ("AWS::ApiGatewayV2::Stage", "StageName"): "a name within the stack's own API",
    ("AWS::ApiGatewayV2::DomainName", "DomainName"): "the user asks for it",
    ("AWS::Route53::RecordSet", "Name"): "the user asks for it",
    ("AWS::CloudWatch::Alarm", "MetricName"): "not the alarm's name",
}


def of_type(resources: dict, kind: str) -> dict[str, dict]:
    return {name: resource.get("Properties", {}) for name, resource in resources.items() if resource["Type"] == kind}


def evaluated(**parameters: object) -> dict[str, dict]:
    return Evaluation(TRANSLATED, {name: str(value) for name, value in parameters.items()}).resources()


def is_resource(value: object) -> bool:
    """Whether a value refers to a resource of the template."""
    match value:
        case {"Ref": name} | {"Fn::GetAtt": [name, _]}:
            return name in TRANSLATED["Resources"]
    return False


class PhysicalNames(unittest.TestCase):
    def test_two_stacks_share_an_account_and_region(self):
        fixed = {
            (resource["Type"], name)
            for resource in TRANSLATED["Resources"].values()
            for name, value in resource.get("Properties", {}).items()
            if name.endswith("Name") and not is_resource(value)
        }
        self.assertEqual(fixed, set(NAMES_THAT_MAY_BE_FIXED))


class Concurrency(unittest.TestCase):
    def outcome(self, account: int) -> tuple[dict[str, int], dict[str, int], int]:
        """Returns reservations by function, maximum concurrency by queue, and batches of the stream in parallel."""
        resources = evaluated(AccountConcurrency=account)
        functions = of_type(resources, "AWS::Lambda::Function").items()
        key = "ReservedConcurrentExecutions"
        reserved = {name.removesuffix("Function"): found[key] for name, found in functions if key in found}
        mappings = of_type(resources, "AWS::Lambda::EventSourceMapping").values()
        enabled = [mapping for mapping in mappings if mapping.get("Enabled", True)]
        queues = {
            mapping["EventSourceArn"]["Fn::GetAtt"][0]: mapping["ScalingConfig"]["MaximumConcurrency"]
            for mapping in enabled
            if "ScalingConfig" in mapping
        }
        [parallel] = [mapping["ParallelizationFactor"] for mapping in enabled if "ParallelizationFactor" in mapping]
        self.assertEqual(len(queues), len(enabled) - 1, "every mapping of a queue has a maximum concurrency")
        return reserved, queues, parallel

    def test_a_new_account_has_no_reservation_and_the_smallest_mappings(self):
        reserved, queues, parallel = self.outcome(10)
        self.assertEqual((reserved, set(queues.values()), parallel), ({}, {2}, 1))
        self.assertEqual(evaluated(), evaluated(AccountConcurrency=10), "this is the default")

    def test_the_smallest_account_has_no_queues_of_their_own_for_sends_and_the_carrier(self):
        for account in ACCOUNTS:
            for variable, own in (("SEND", "Send"), ("CARRIER", "Carrier")):
                with self.subTest(account=account, queue=own):
                    resources = evaluated(AccountConcurrency=account)
                    functions = of_type(resources, "AWS::Lambda::Function").values()
                    variables = [function["Environment"]["Variables"] for function in functions if "Environment" in function]
                    name = "Job" if account == 10 else own
                    for kind, queue in (("QUEUE", f"{name}Queue"), ("DEAD_LETTER_QUEUE", f"{name}DeadLetters")):
                        key = f"{variable}_{kind}_URL"
                        self.assertEqual({str(found[key]) for found in variables if key in found}, {str({"Ref": queue})})
                    self.assertEqual(f"{own}Queue" in self.outcome(account)[1], account != 10)

    def test_a_hundred_has_no_reservation(self):
        reserved, queues, parallel = self.outcome(100)
        self.assertEqual((reserved, queues["DeliveryQueue"], queues["PatientDeliveryQueue"], parallel), ({}, 16, 8, 2))

    def test_a_thousand_reserves_for_notifications_sending_and_deliver(self):
        reserved, queues, parallel = self.outcome(1000)
        self.assertEqual(reserved, {"Notifications": 100, "Sending": 100, "Deliver": 150})
        self.assertEqual((queues["DeliveryQueue"], queues["PatientDeliveryQueue"], parallel), (100, 50, 8))

    def test_every_choice_is_one_that_lambda_accepts(self):
        self.assertEqual(tuple(source()["Parameters"]["AccountConcurrency"]["AllowedValues"]), ACCOUNTS)
        for account in ACCOUNTS:
            with self.subTest(account=account):
                reserved, queues, parallel = self.outcome(account)
                self.assertLessEqual(sum(reserved.values()), max(account - UNRESERVED, 0))
                self.assertTrue(all(2 <= maximum <= 1000 for maximum in queues.values()))
                self.assertTrue(1 <= parallel <= 10)
                # The mappings never use up the account: the API keeps at least a tenth.
                self.assertLessEqual(sum(queues.values()), account * 9 // 10)
                if reserved:
                    self.assertEqual(reserved["Deliver"], queues["DeliveryQueue"] + queues["PatientDeliveryQueue"])

    def test_the_guide_has_the_same_table(self):
        columns = ("notifications", "sending", "deliver", "deliveries", "patientDeliveries", "jobs", "sends", "carrier", "sweeps", "dispatches")
        guide = (ROOT / "docs" / "deploying.md").read_text().split("\n## Concurrency\n")[1].split("\n## ")[0]
        rows = [row.strip("|").split("|") for row in guide.splitlines() if re.match(r"\| [\d,]+ \|", row)]
        numbers = [[int(cell.replace(",", "").strip() or 0) for cell in row] for row in rows]
        mapping = source()["Mappings"]["Concurrency"]
        self.assertEqual(numbers, [[account, *(mapping[str(account)][name] for name in columns)] for account in ACCOUNTS])

    def test_more_concurrency_never_gives_less(self):
        outcomes = [self.outcome(account) for account in ACCOUNTS]
        for (_, fewer, slower), (_, more, faster) in zip(outcomes, outcomes[1:]):
            self.assertLessEqual(slower, faster)
            self.assertTrue(all(fewer[queue] <= more[queue] for queue in fewer))

    def test_dispatch_and_sweep_have_the_memory_that_was_chosen(self):
        resources = evaluated(DispatchMemoryMegabytes=512, SweepMemoryMegabytes=1024)
        functions = of_type(resources, "AWS::Lambda::Function")
        found = {name: functions[f"{name}Function"]["MemorySize"] for name in ("Dispatch", "Sweep")}
        self.assertEqual(found, {"Dispatch": "512", "Sweep": "1024"})


class Loops(unittest.TestCase):
    def test_lambda_lets_exactly_the_functions_loop_whose_queues_feed_themselves(self):
        resources = evaluated(SmsCarrier="aws")
        mappings = of_type(resources, "AWS::Lambda::EventSourceMapping").values()
        receives, sends = {}, {}
        for mapping in mappings:
            match mapping["EventSourceArn"]:
                case {"Fn::GetAtt": [queue, "Arn"]}:
                    receives.setdefault(mapping["FunctionName"]["Ref"], set()).add(queue)
        functions = of_type(resources, "AWS::Lambda::Function")
        for name, function in functions.items():
            [policy] = resources[function["Role"]["Fn::GetAtt"][0]]["Properties"]["Policies"]
            for statement in policy["PolicyDocument"]["Statement"]:
                if "sqs:SendMessage" in statement["Action"]:
                    sends.setdefault(name, set()).update(re.findall(r"'Fn::GetAtt': \['(\w+)', 'Arn'\]", str(statement)))

        def reached(start: str) -> set[str]:
            """Returns the functions that get messages because this one ran."""
            found, new = set(), {start}
            while new:
                queues = set().union(*(sends.get(name, set()) for name in new))
                new = {name for name, own in receives.items() if own & queues} - found
                found |= new
            return found

        looping = {name for name in functions if name in reached(name)}
        self.assertLessEqual({"WorkerFunction", "DeliverFunction"}, looping)
        allowed = {name for name, function in functions.items() if function.get("RecursiveLoop") == "Allow"}
        self.assertEqual(allowed, looping)


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
                resources = evaluated(AccountConcurrency=account)
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


class Roles(unittest.TestCase):
    def test_the_permissions_boundary_bounds_every_role(self):
        boundary = "arn:aws:iam::123456789012:policy/boundary"
        for parameters, expected in (({}, None), ({"PermissionsBoundaryArn": boundary}, boundary)):
            roles = of_type(evaluated(**parameters), "AWS::IAM::Role")
            found = {name: role.get("PermissionsBoundary") for name, role in roles.items()}
            self.assertEqual(found, dict.fromkeys(found, expected))
            self.assertEqual(set(found), set(of_type(source()["Resources"], "AWS::IAM::Role")), "SAM adds no role")


class EventDestinations(unittest.TestCase):
    QUEUE = "arn:aws:sqs:eu-central-1:123456789012:events"

    def own_and_others(self, role: dict) -> tuple[list, list]:
        """Returns the resources to which a role may send messages: the stack's own queues, and all others."""
        statements = [statement for policy in role["Policies"] for statement in policy["PolicyDocument"]["Statement"]]
        found = []
        for statement in statements:
            actions, resources = statement["Action"], statement["Resource"]
            if "sqs:SendMessage" in ([actions] if isinstance(actions, str) else actions):
                found += resources if isinstance(resources, list) else [resources]
        own = [resource for resource in found if "Fn::GetAtt" in resource]
        return own, [resource for resource in found if resource not in own]

    def test_only_deliver_may_send_to_other_queues_and_only_to_those_listed(self):
        for value, expected in (("", []), (f"{self.QUEUE},{self.QUEUE}.fifo", [{"Fn::Split": [",", f"{self.QUEUE},{self.QUEUE}.fifo"]}])):
            resources = evaluated(EventDestinations=value)
            for name, role in of_type(resources, "AWS::IAM::Role").items():
                if "Policies" in role:
                    _, others = self.own_and_others(role)
                    self.assertEqual(others, expected if name == "DeliverRole" else [], name)
            variables = of_type(resources, "AWS::Lambda::Function")["OperatorFunction"]["Environment"]["Variables"]
            self.assertEqual(variables["EVENT_DESTINATIONS"], value)

    def test_the_parameter_takes_queues_and_no_patterns(self):
        pattern = re.compile(source()["Parameters"]["EventDestinations"]["AllowedPattern"])
        for value in ("", self.QUEUE, f"{self.QUEUE},{self.QUEUE}.fifo", self.QUEUE.replace("arn:aws:", "arn:aws-us-gov:")):
            self.assertRegex(value, pattern)
        topic = self.QUEUE.replace("sqs", "sns")
        for value in ("*", f"{self.QUEUE}*", "arn:aws:sqs:*:123456789012:events", f"{self.QUEUE},", f"{self.QUEUE}, {self.QUEUE}", topic, "${AWS::StackName}"):
            self.assertNotRegex(value, pattern)


class Domains(unittest.TestCase):
    KINDS = ("AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping", "AWS::Route53::RecordSet")

    def test_a_domain_name_is_mapped_to_the_stage_and_its_record_needs_a_zone(self):
        domain = {"DomainName": "api.example.com", "DomainCertificateArn": "arn:aws:acm:x:123456789012:certificate/1"}
        zone = {"DomainHostedZoneId": "Z123"}
        for parameters, expected in (({}, 0), (domain, 2), ({**domain, **zone}, 3), (zone, 0)):
            found = [resource for resource in evaluated(**parameters).values() if resource["Type"] in self.KINDS]
            self.assertEqual(len(found), expected, parameters)
        [mapping] = of_type(evaluated(**domain), "AWS::ApiGatewayV2::ApiMapping").values()
        self.assertEqual(mapping, {"ApiId": {"Ref": "Api"}, "DomainName": {"Ref": "Domain"}, "Stage": {"Ref": "Stage"}})

    def test_the_api_names_itself_by_its_domain_name(self):
        evaluation = Evaluation(TRANSLATED, {"DomainName": "api.example.com"})
        outputs = evaluation.value(TRANSLATED["Outputs"])
        self.assertEqual(outputs["ApiUrl"]["Value"], {"Fn::Sub": "https://${DomainName}"})
        self.assertEqual(outputs["NotificationsUrl"]["Value"], {"Fn::Sub": "https://${DomainName}/v1/platform/notifications"})
        for function in of_type(evaluation.resources(), "AWS::Lambda::Function").values():
            self.assertEqual(function["Environment"]["Variables"]["DOCS_URL"], {"Fn::Sub": "https://${DomainName}"})
            self.assertIn("${DomainName}", str(function["Environment"]["Variables"]["API_HOSTS"]))


class Gateway(unittest.TestCase):
    def test_it_publishes_no_metrics_that_cost_and_that_nobody_reads(self):
        [stage] = of_type(evaluated(), "AWS::ApiGatewayV2::Stage").values()
        self.assertNotIn("DetailedMetricsEnabled", str(stage))
        read = {json.dumps(alarm.get("Dimensions")) for alarm in of_type(evaluated(), "AWS::CloudWatch::Alarm").values()}
        self.assertFalse(any('"Route' in dimensions or '"Resource"' in dimensions for dimensions in read))


class PlatformVersion(unittest.TestCase):
    """The version of the platform's API is written in one place: the parameter's default."""

    def test_only_the_template_names_the_version(self):
        version = source()["Parameters"]["PlatformApiVersion"]["Default"]
        command = ["git", "grep", "-lF", "-e", version, "--", "."]
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
        # The changelog may mention a change of version.
        self.assertEqual([name for name in found if name != "CHANGELOG.md"], ["infra/template.yaml"])


if __name__ == "__main__":
    unittest.main()

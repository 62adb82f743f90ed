"""Checks the template as CloudFormation deploys it: after SAM's transform, for different parameters."""

import gzip
import json
import re
import subprocess
import unittest
from pathlib import Path

import botocore

from tools.stack.project import ROOT
from tools.stack.template import Evaluation, source, translated

TRANSLATED = translated()
ACCOUNTS = (10, 50, 100, 200, 500, 1000)
# A table that is charged by request begins with four partitions, and its stream with a shard for each.
SHARDS = 4
# Lambda accepts a reservation only if it leaves this much concurrency to the functions without one.
UNRESERVED = 100

# Properties whose names end in `Name` but whose values may be fixed, by type, each with the reason.
NAMES_THAT_MAY_BE_FIXED = {
    ("AWS::ApiGatewayV2::Api", "Name"): "a label: several APIs may have the same",
    ("AWS::ApiGatewayV2::Stage", "StageName"): "a name within the stack's own API",
    ("AWS::ApiGatewayV2::DomainName", "DomainName"): "the user asks for it",
    ("AWS::Route53::RecordSet", "Name"): "the user asks for it",
    ("AWS::CloudWatch::Alarm", "MetricName"): "not the alarm's name",
    ("AWS::IAM::Policy", "PolicyName"): "a name within the stack's own roles",
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
        # With a carrier, so that its queue is read.
        resources = evaluated(AccountConcurrency=account, SmsCarrier="aws")
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

    def at_once(self, account: int) -> int:
        """Returns what the queues and the shards of a new table may take together."""
        _, queues, parallel = self.outcome(account)
        return sum(queues.values()) + SHARDS * parallel

    def test_the_smallest_account_is_as_small_as_lambda_permits_and_the_guide_says_what_to_expect(self):
        _, queues, parallel = self.outcome(10)
        self.assertEqual((len(queues), set(queues.values()), parallel, self.at_once(10)), (4, {2}, 1, 12))
        guide = (ROOT / "docs" / "deploying.md").read_text().split("\n## Concurrency\n")[1].split("\n## ")[0]
        self.assertIn("four queues × 2 + four shards × 1 = 12", guide)

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
                # Queues and stream together never use up the account: the API keeps at least a tenth. Only in the smallest,
                # the minimums of Lambda do not fit.
                self.assertLessEqual(sum(queues.values()), account * 9 // 10)
                self.assertLessEqual(self.at_once(account), 12 if account == 10 else account * 9 // 10)
                if reserved:
                    self.assertEqual(reserved["Deliver"], queues["DeliveryQueue"] + queues["PatientDeliveryQueue"])

    def test_the_guide_has_the_same_table(self):
        columns = ("notifications", "sending", "deliver", "deliveries", "patientDeliveries", "jobs", "sends", "carrier", "sweeps", "dispatches")
        guide = (ROOT / "docs" / "deploying.md").read_text().split("\n## Concurrency\n")[1].split("\n## ")[0]
        rows = [row.strip("|").split("|") for row in guide.splitlines() if re.match(r"\| [\d,]+ \|", row)]
        numbers = [[int(cell.replace(",", "").strip() or 0) for cell in row] for row in rows]
        self.assertEqual([row.pop() for row in numbers], [self.at_once(account) for account in ACCOUNTS])
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


class Release(unittest.TestCase):
    """What moves with the code is in a mapping, because `sam deploy` keeps the previous value of every parameter."""

    # Parameters that override a value of the mapping: where the value is, and another one.
    OVERRIDES = {
        "PlatformBaseUrl": (("Platform", "baseUrl"), "http://127.0.0.1:9"),
        "PlatformApiVersion": (("Platform", "apiVersion"), "v99.0"),
        "DispatchMemoryMegabytes": (("Memory", "dispatch"), "512"),
        "SweepMemoryMegabytes": (("Memory", "sweep"), "1024"),
    }

    def values(self, **parameters: object) -> dict[str, set[str]]:
        functions = of_type(evaluated(**parameters), "AWS::Lambda::Function")
        variables = [function["Environment"]["Variables"] for function in functions.values()]
        environment = lambda name: {found[name] for found in variables if name in found}
        return {
            "PlatformBaseUrl": environment("PLATFORM_BASE_URL"),
            "PlatformApiVersion": environment("PLATFORM_API_VERSION"),
            "DispatchMemoryMegabytes": {str(functions["DispatchFunction"]["MemorySize"])},
            "SweepMemoryMegabytes": {str(functions["SweepFunction"]["MemorySize"])},
        }

    def test_a_stack_that_never_set_them_has_those_of_the_release(self):
        template = source()
        of_the_release = {
            name: {str(template["Mappings"]["Release"][first][second])} for name, ((first, second), _) in self.OVERRIDES.items()
        }
        # What `sam deploy` sends for a parameter that an earlier deployment did not set: its previous value, the default then.
        previous = {name: template["Parameters"][name]["Default"] for name in self.OVERRIDES}
        self.assertEqual(set(previous.values()), {""})
        self.assertEqual(self.values(**previous), of_the_release)

    def test_each_can_be_overridden(self):
        for name, (_, value) in self.OVERRIDES.items():
            self.assertEqual(self.values(**{name: value})[name], {value})
            self.assertRegex(value, source()["Parameters"][name]["AllowedPattern"])

    def test_the_mapping_has_nothing_else(self):
        mapping = source()["Mappings"]["Release"]
        found = {(first, second) for first, values in mapping.items() for second in values}
        self.assertEqual(found, {place for place, _ in self.OVERRIDES.values()})

    def test_memory_that_lambda_would_refuse_is_refused_at_once(self):
        for name in ("DispatchMemoryMegabytes", "SweepMemoryMegabytes"):
            pattern = re.compile(source()["Parameters"][name]["AllowedPattern"])
            accepted = [number for number in range(0, 11000) if pattern.match(str(number))]
            self.assertEqual((accepted[0], accepted[-1], len(accepted)), (128, 3008, 3008 - 128 + 1))


class Prices(unittest.TestCase):
    def test_the_price_that_the_template_accepts_is_one_that_the_carrier_accepts(self):
        folder = Path(botocore.__file__).parent / "data" / "pinpoint-sms-voice-v2" / "2022-03-31"
        with gzip.open(folder / "service-2.json.gz") as model:
            price = json.load(model)["shapes"]["MaxPrice"]
        self.assertEqual(source()["Parameters"]["SmsMaxPrice"]["AllowedPattern"], f"^{price['pattern']}$")
        self.assertRegex(source()["Parameters"]["SmsMaxPrice"]["Default"], price["pattern"])
        # The pattern alone keeps to the bounds.
        self.assertEqual((price["min"], price["max"]), (len(".0"), len("00.00000")))


class PlatformVersion(unittest.TestCase):
    """The version of the platform's API is written in one place: the template's mapping."""

    def test_only_the_template_names_the_version(self):
        version = source()["Mappings"]["Release"]["Platform"]["apiVersion"]
        command = ["git", "grep", "-lF", "-e", version, "--", "."]
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
        # The changelog may mention a change of version.
        self.assertEqual([name for name in found if name != "CHANGELOG.md"], ["infra/template.yaml"])


if __name__ == "__main__":
    unittest.main()

"""Checks how much of an account's concurrency the functions take, and which of them may invoke themselves through a queue."""

import re
import unittest

from tools.stack.project import ROOT
from tools.stack.template import source
from tools.stack.testing import ACCOUNTS, evaluated, of_type

# A table that is charged by request begins with four partitions, and its stream with a shard for each.
SHARDS = 4
# Lambda accepts a reservation only if it leaves this much concurrency to the functions without one.
UNRESERVED = 100


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
        streams = [mapping for mapping in enabled if "ParallelizationFactor" in mapping]
        # The meter function takes a moment every twenty seconds for each shard. If it is throttled, counting is late.
        [parallel] = [each["ParallelizationFactor"] for each in streams if each["FunctionName"] != {"Ref": "MeterFunction"}]
        self.assertEqual(len(queues), len(enabled) - len(streams), "every mapping of a queue has a maximum concurrency")
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


if __name__ == "__main__":
    unittest.main()

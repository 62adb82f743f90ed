"""Checks the permissions that parameters change: the boundary of all roles, and the queues of customers."""

import re
import unittest

from tools.stack.template import source
from tools.stack.testing import evaluated, of_type


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


if __name__ == "__main__":
    unittest.main()

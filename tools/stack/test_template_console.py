"""Checks what the parameter `Console` leaves out of the template."""

import unittest

from tools.stack.template import source
from tools.stack.test_gateway_burst import dependencies, largest_burst, routes
from tools.stack.testing import evaluated, of_type

ROUTES = {"GET /console", "GET /console/{file}"}


class Console(unittest.TestCase):
    def served(self, **parameters: str) -> tuple[set[str], set[str], str]:
        """Returns the console's routes, their throttles, and what the function is told."""
        resources = evaluated(**parameters)
        keys = {route["RouteKey"] for route in of_type(resources, "AWS::ApiGatewayV2::Route").values()}
        [stage] = of_type(resources, "AWS::ApiGatewayV2::Stage").values()
        variables = resources["ReferenceFunction"]["Properties"]["Environment"]["Variables"]
        about = lambda names: {name for name in names if "/console" in name}  # noqa: E731
        return about(keys), about(stage["RouteSettings"]), variables["CONSOLE"]

    def test_it_is_served_unless_it_is_switched_off(self):
        self.assertEqual(self.served(), (ROUTES, ROUTES, "on"))
        self.assertEqual(self.served(Console="on"), (ROUTES, ROUTES, "on"))
        self.assertEqual(self.served(Console="off"), (set(), set(), "off"))

    def test_a_page_with_many_files_is_not_throttled(self):
        [stage] = of_type(evaluated(), "AWS::ApiGatewayV2::Stage").values()
        for route in ROUTES:
            self.assertEqual(stage["RouteSettings"][route], {"ThrottlingRateLimit": 10, "ThrottlingBurstLimit": 300})

    def test_the_routes_are_created_in_three_chains_before_the_stage_with_it_and_without(self):
        for setting in ("on", "off"):
            resources = evaluated(Console=setting)
            before = dependencies(resources)
            self.assertEqual(largest_burst(set(routes(resources)), before), 3, setting)
            self.assertEqual(set(routes(resources)) - before["Stage"], set(), setting)

    def test_the_function_knows_the_bucket_but_has_no_access_to_it(self):
        function = source()["Resources"]["ReferenceFunction"]["Properties"]
        self.assertEqual(function["Environment"]["Variables"]["STORAGE_ORIGIN"], {"Fn::Sub": "https://${Bucket}.s3.${AWS::Region}.${AWS::URLSuffix}"})
        policies = evaluated(SmsCarrier="aws", KmsKeyArn="arn:aws:kms:x:123456789012:key/1")["ReferenceRole"]["Properties"]["Policies"]
        actions = [action for policy in policies for statement in policy["PolicyDocument"]["Statement"] for action in statement["Action"]]
        self.assertEqual(actions, ["logs:CreateLogStream", "logs:PutLogEvents"])


if __name__ == "__main__":
    unittest.main()

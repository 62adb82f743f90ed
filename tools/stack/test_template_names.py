"""Checks the names in the template: physical names, which two stacks could both need, and the custom domain name."""

import unittest

from tools.stack.template import Evaluation
from tools.stack.testing import TRANSLATED, evaluated, of_type

# Properties whose names end in `Name` but whose values may be fixed, by type, each with the reason.
NAMES_THAT_MAY_BE_FIXED = {
    ("AWS::ApiGatewayV2::Api", "Name"): "a label: several APIs may have the same",
    ("AWS::ApiGatewayV2::Stage", "StageName"): "a name within the stack's own API",
    ("AWS::ApiGatewayV2::DomainName", "DomainName"): "the user asks for it",
    ("AWS::Route53::RecordSet", "Name"): "the user asks for it",
    ("AWS::CloudWatch::Alarm", "MetricName"): "not the alarm's name",
    ("AWS::IAM::Policy", "PolicyName"): "a name within the stack's own roles",
}


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


if __name__ == "__main__":
    unittest.main()

"""Compares docs/regions.md and the template with the data of CloudFormation and botocore, and lints all policies for every
partition of supported regions. `make check` lints the template (lint_regions.py)."""

import json
import tempfile
import unittest
from pathlib import Path

from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tools.ci.lint_regions import kinds_of_regions, lint
from tools.ci.regions import CARRIER_TYPE, in_the_condition, in_the_rule, page, regions, types
from tools.operate.policies import BOUNDARY, DEPLOYER, render
from tools.stack.project import ROOT

FOUND, _ = regions()
SUPPORTED = [region for region in FOUND if region.runs]
ACCOUNT = "123456789012"


class Regions(unittest.TestCase):
    def test_the_page_is_what_the_data_says(self):
        self.assertEqual((ROOT / "docs" / "regions.md").read_text(), page(), "write it again with tools.ci.regions")
        self.assertGreater(len(SUPPORTED), 30)

    def test_the_template_accepts_sms_exactly_where_it_exists(self):
        self.assertEqual(in_the_rule(), sorted(region.name for region in FOUND if region.has_sms))

    def test_the_template_leaves_out_what_cloudformation_does_not_know(self):
        unknown = [name for name in (r.name for r in SUPPORTED) if CARRIER_TYPE not in PROVIDER_SCHEMA_MANAGER.get_resource_types(name)]
        self.assertEqual(in_the_condition(), sorted(unknown))
        # More alternatives than these, a condition cannot have.
        self.assertLessEqual(len(in_the_condition()), 10)

    def test_every_supported_region_has_what_the_stack_needs(self):
        for region in SUPPORTED:
            offered = set(PROVIDER_SCHEMA_MANAGER.get_resource_types(region.name))
            self.assertEqual(types() - offered, set(), region.name)


class Clean(unittest.TestCase):
    """cfn-lint finds nothing."""

    def test_the_regions_of_a_kind_are_alike(self):
        kinds = kinds_of_regions()
        self.assertEqual(sorted(name for names in kinds.values() for name in names), sorted(region.name for region in SUPPORTED))
        self.assertEqual(len(kinds), 2, "regions with and without the carrier's resource; lint takes ten seconds for each kind")

    def test_the_policies(self):
        forms = [{"boundary": boundary, "key": key} for boundary in ("", "boundary") for key in ("", "key")]
        for partition, name in {region.partition: region.name for region in SUPPORTED}.items():
            arn = f"arn:{partition}:{{}}:{ACCOUNT}:{{}}"
            made = [
                render(
                    policy,
                    "messaging-api",
                    partition,
                    form["boundary"] and arn.format("iam:", "policy/boundary"),
                    form["key"] and arn.format(f"kms:{name}", "key/mrk-1"),
                )
                for policy in (*DEPLOYER, BOUNDARY)
                for form in forms
            ]
            resources = {
                f"Policy{number}": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": policy}}
                for number, policy in enumerate(made)
            }
            self.assertEqual(self.lint_of(resources, name), "", partition)

    def test_a_fault_in_a_policy_is_noticed(self):
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sns:NoSuchAction", "Resource": "nothing"}]}
        resources = {"Policy": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": policy}}}
        self.assertIn("nothing", self.lint_of(resources, "us-east-1"))

    def lint_of(self, resources: dict, *names: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "policies.json"
            file.write_text(json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}))
            return lint(file, "--regions", *names)


if __name__ == "__main__":
    unittest.main()

import copy
import unittest

from tools.ci.privileges import Privilege, Refused, UNSEEN, allowed, faults, used_by_lambda
from tools.stack.template import complete

TEMPLATE = complete()


class Privileges(unittest.TestCase):
    def setUp(self):
        self.template = copy.deepcopy(TEMPLATE)
        # The privileges that tests must use, so that the template is right.
        self.seen = allowed(TEMPLATE)[0] - used_by_lambda(TEMPLATE) - set(UNSEEN)

    def faults(self) -> list[str]:
        return faults(self.seen, self.template)

    def role(self, name: str) -> dict:
        return self.template["Resources"][f"{name}Role"]["Properties"]

    def statements(self, name: str) -> list[dict]:
        return self.role(name)["Policies"][0]["PolicyDocument"]["Statement"]

    def test_the_template_is_right(self):
        self.assertEqual(self.faults(), [])

    def test_what_is_used_must_be_allowed(self):
        privilege: Privilege = ("apps", "dynamodb:Scan", "TableInUse/APP#*")
        self.seen.add(privilege)
        self.assertEqual(self.faults(), [f"{' '.join(privilege)} is used but not allowed"])

    def test_what_is_allowed_must_be_used(self):
        self.seen.remove(("apps", "sqs:SendMessage", "DeliveryQueue"))
        self.assertEqual(self.faults(), ["apps sqs:SendMessage DeliveryQueue is allowed but never used"])

    def test_lambda_must_be_able_to_write_the_log_and_to_read_the_sources(self):
        for name, count in (("Reference", 2), ("Worker", 11), ("Deliver", 8), ("Dispatch", 7)):
            del self.statements(name)[: 1 if name == "Reference" else 3 if name == "Dispatch" else 2]
            missing = [fault for fault in self.faults() if fault.startswith(f"{name.lower()} ")]
            self.assertEqual((len(missing), {"is used but not allowed" in fault for fault in missing}), (count, {True}))

    def test_a_managed_policy_is_refused(self):
        self.role("Apps")["ManagedPolicyArns"] = ["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"]
        with self.assertRaisesRegex(Refused, "AppsRole has managed policies"):
            self.faults()

    def test_the_key_is_for_exactly_the_roles_that_use_what_it_encrypts(self):
        roles = self.template["Resources"]["KeyPolicy"]["Properties"]["Roles"]
        roles.remove({"Ref": "AppsRole"})
        roles.append({"Ref": "ReferenceRole"})
        expected = ["AppsRole uses what the key encrypts", "ReferenceRole uses nothing that the key encrypts"]
        self.assertEqual(self.faults(), [f"KeyPolicy: {fault}" for fault in expected])

    def test_nothing_else_escapes_into_a_policy_of_its_own(self):
        [statement] = self.template["Resources"]["KeyPolicy"]["Properties"]["PolicyDocument"]["Statement"]
        for name, value in (("Action", "kms:*"), ("Action", ["kms:Decrypt", "kms:GenerateDataKey", "s3:GetObject"]), ("Resource", "*")):
            before, statement[name] = statement[name], value
            with self.assertRaisesRegex(Refused, "KeyPolicy: only kms:Decrypt"):
                self.faults()
            statement[name] = before

    def test_every_resource_is_refused(self):
        self.statements("Apps")[0]["Resource"] = "*"
        with self.assertRaisesRegex(Refused, "is not a resource of the template"):
            self.faults()


if __name__ == "__main__":
    unittest.main()

import re
import unittest

from tools.ci.privileges import Refused, allowed
from tools.ci.table_access import access, shown
from tools.stack.project import ROOT
from tools.stack.template import complete


class TableAccess(unittest.TestCase):
    def test_a_cell_has_a_letter_for_each_kind_of_access(self):
        found = access(
            [
                ("apps", "dynamodb:PutItem", "TableInUse/HOOK#*"),
                ("apps", "dynamodb:Query", "TableInUse/HOOK#*"),
                ("apps", "dynamodb:ConditionCheckItem", "TableInUse/APP#*"),
                ("apps", "sqs:SendMessage", "DeliveryQueue"),
                ("dispatch", "dynamodb:GetRecords", "TableInUse/stream/*"),
                ("notifications", "dynamodb:GetItem", "TableInUse/CRED#warm-up"),
                ("sweep", "dynamodb:Query", "TableInUse/index/due"),
                ("sweep", "dynamodb:UpdateItem", "TableInUse(PK, SK, dueAt)"),
            ]
        )
        expected = """\
class                      apps  notifications  sweep
APP                        c
CRED#warm-up                     r
HOOK                       rw
any item: (PK, SK, dueAt)                       w
index/due                                       r"""
        self.assertEqual(shown(found), expected)

    def test_an_action_without_a_letter_is_refused(self):
        with self.assertRaisesRegex(Refused, "apps: dynamodb:Scan"):
            access([("apps", "dynamodb:Scan", "TableInUse/APP#*")])

    def test_the_policies_name_exactly_the_classes_of_the_code(self):
        code = (ROOT / "shared/store/src/keys/class.rs").read_text()
        classes = set(re.findall(r'^    \w+ = "(\w+)",$', code, re.MULTILINE))
        rows = access(allowed(complete())[0])
        self.assertEqual({name.split("#")[0] for name in rows if name.isupper() or "#" in name}, classes)

    def test_the_secrets_of_webhooks_are_read_by_two_functions(self):
        cells = access(allowed(complete())[0])["SEC"]
        self.assertEqual({function for function, letters in cells.items() if "r" in letters}, {"apps", "deliver"})


if __name__ == "__main__":
    unittest.main()

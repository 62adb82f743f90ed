import os
import stat
import unittest

from samcli.cli.types import CfnParameterOverridesType

from tools.stack.sam import parameter_file, sam_deploy

AWKWARD = (
    "",
    "plain",
    "a b",
    'quote " inside',
    '"in quotes"',
    "'in single quotes'",
    '"',
    "\\",
    '\\"',
    "\\\\ \\' \\n",
    "$HOME ${AWS::Region} {{resolve}} # not a comment: value",
    "true",
    "012",
    "é ☃ 𝄞",
    "a=b,c=d",
)


class ParametersOfSam(unittest.TestCase):
    def read(self, values: dict[str, str]) -> dict[str, str]:
        with parameter_file(values) as path:
            return CfnParameterOverridesType().convert((f"file://{path}",), None, None)

    def test_sam_reads_every_value_as_it_was(self):
        for value in AWKWARD:
            self.assertEqual(self.read({"Name": value}), {"Name": value})

    def test_only_this_user_can_read_the_file_and_it_does_not_stay(self):
        with parameter_file({"Name": "secret"}) as path:
            for found, mode in ((path, 0o600), (path.parent, 0o700)):
                self.assertEqual(stat.S_IMODE(os.stat(found).st_mode), mode)
        self.assertFalse(path.parent.exists())

    def test_the_command_names_the_file_and_no_value(self):
        with sam_deploy("stack", "eu-central-1", {"PlatformAppSecret": "hunter2"}) as command:
            self.assertNotIn("hunter2", " ".join(map(str, command)))
            self.assertIn("file://", str(command[-1]))


if __name__ == "__main__":
    unittest.main()

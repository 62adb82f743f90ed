"""Checks the values that come with a release: the version of the platform's API, addresses and memory."""

import re
import subprocess
import unittest

from tools.stack.project import ROOT
from tools.stack.template import source
from tools.stack.testing import evaluated, of_type


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

    def test_dispatch_and_sweep_have_the_memory_that_was_chosen(self):
        resources = evaluated(DispatchMemoryMegabytes=512, SweepMemoryMegabytes=1024)
        functions = of_type(resources, "AWS::Lambda::Function")
        found = {name: functions[f"{name}Function"]["MemorySize"] for name in ("Dispatch", "Sweep")}
        self.assertEqual(found, {"Dispatch": "512", "Sweep": "1024"})

    def test_the_mapping_has_nothing_else(self):
        mapping = source()["Mappings"]["Release"]
        found = {(first, second) for first, values in mapping.items() for second in values}
        self.assertEqual(found, {place for place, _ in self.OVERRIDES.values()})

    def test_memory_that_lambda_would_refuse_is_refused_at_once(self):
        for name in ("DispatchMemoryMegabytes", "SweepMemoryMegabytes"):
            pattern = re.compile(source()["Parameters"][name]["AllowedPattern"])
            accepted = [number for number in range(0, 11000) if pattern.match(str(number))]
            self.assertEqual((accepted[0], accepted[-1], len(accepted)), (128, 3008, 3008 - 128 + 1))


class PlatformVersion(unittest.TestCase):
    """The version of the platform's API is written in one place: the template's mapping."""

    def test_only_the_template_names_the_version(self):
        version = source()["Mappings"]["Release"]["Platform"]["apiVersion"]
        command = ["git", "grep", "-lF", "-e", version, "--", "."]
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
        # The changelog may mention a change of version, and the table of their ends names all versions.
        others = {"CHANGELOG.md", "shared/platform/src/versions.rs"}
        self.assertEqual([name for name in found if name not in others], ["infra/template.yaml"])


if __name__ == "__main__":
    unittest.main()

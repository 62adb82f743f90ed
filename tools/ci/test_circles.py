import tempfile
import textwrap
import unittest
from pathlib import Path

from tools.ci.circles import CLIENTS, SERVICE, circles, misplaced_crates, python_edges
from tools.stack.project import ROOT


class Circles(unittest.TestCase):
    def test_of_every_shape(self) -> None:
        for edges, expected in (
            ("ab ba", ["ab"]),
            ("ab bc cd db", ["bcd"]),
            ("ab ba bc cd dc", ["ab", "cd"]),
            ("ab bc ca bd db", ["abcd"]),
            ("ab bc ac", []),
            ("ab ac bd cd", []),
        ):
            with self.subTest(edges):
                found = circles([(Path(start), Path(end)) for start, end in edges.split()])
                self.assertEqual(["".join(map(str, circle)) for circle in found], expected)


class Python(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def names(self, edges: dict) -> dict[str, set[str]]:
        return {
            f"{start.relative_to(self.root)} -> {end.relative_to(self.root)}": names
            for (start, end), names in edges.items()
        }

    def test_imports_of_every_kind(self) -> None:
        self.write(
            {
                "tools/__init__.py": "",
                "tools/guard/__init__.py": "from .guard import Guard",
                "tools/guard/guard.py": "from .gateway import through_gateway\nclass Guard: ...",
                "tools/guard/gateway.py": "if TYPE_CHECKING:\n    from .guard import Exchange",
                "tools/guard/test_guard.py": "from tools.stack import run",
                "tools/stack/__init__.py": "",
                "tools/stack/run.py": "import tools.stack.stack\ndef f():\n    from tools.guard import Guard",
                "tools/stack/stack.py": "import json\nfrom tools.stack import paths",
                "tools/stack/paths.py": "",
            }
        )
        edges = python_edges(self.root / "tools")
        self.assertEqual(
            set(self.names(edges)),
            {
                "tools/guard/__init__.py -> tools/guard/guard.py",
                "tools/guard/guard.py -> tools/guard/gateway.py",
                "tools/guard/gateway.py -> tools/guard/guard.py",
                "tools/stack/run.py -> tools/stack/stack.py",
                "tools/stack/run.py -> tools/guard/__init__.py",
                "tools/stack/stack.py -> tools/stack/paths.py",
            },
        )
        found = [[path.name for path in circle] for circle in circles(edges)]
        self.assertEqual(found, [["gateway.py", "guard.py"]])


class Crates(unittest.TestCase):
    def faults(self, crates: dict[str, str], **described: str | None) -> list[str]:
        """Returns the faults of crates, each with the names of those that it uses."""
        folders = {name.rsplit("/", 1)[-1]: f"/checkout/{name}" for name in crates}
        packages = [
            {
                "name": name.rsplit("/", 1)[-1],
                "manifest_path": f"/checkout/{name}/Cargo.toml",
                "dependencies": [
                    {"name": used, "kind": None, "path": folders[used], **described} for used in uses.split()
                ],
            }
            for name, uses in crates.items()
        ]
        return misplaced_crates(packages, Path("/checkout"))

    def test_downwards(self) -> None:
        crates = {
            "shared/domain": "",
            "shared/store": "domain",
            "shared/api": "store domain",
            "functions/apps": "api domain",
            "tools/operate": "store",
            "contract": "apps",
            "tests": "contract apps operate",
            "fuzz": "tests domain",
            "clients/messaging-client": "",
            "cli": "messaging-client",
        }
        self.assertEqual(self.faults(crates), [])

    def test_every_other_direction_is_named(self) -> None:
        for user, used, allowed in (
            ("shared/store", "shared/api", "aws, domain, web"),
            ("shared/domain", "tests", "no crate of the workspace"),
            ("shared/inbound", "shared/api", "views, platform, carrier, issuer, runtime, store, aws, domain, web"),
            ("shared/aws", "functions/apps", "domain, web"),
            ("functions/chat", "functions/apps", "outbound, accounts, inbound, api, views, platform, carrier, issuer, runtime, store, aws, domain, web"),
            ("tests/bench", "functions/apps", "outbound, accounts, inbound, api, views, platform, carrier, issuer, runtime, store, aws, domain, web"),
            ("cli", "shared/domain", "messaging-client"),
            ("shared/aws", "clients/messaging-client", "domain, web"),
        ):
            with self.subTest(f"{user} uses {used}"):
                fault = f"{user} uses {used}, which is not in a lower layer. Allowed: {allowed}."
                self.assertEqual(self.faults({used: "", user: used.rsplit("/", 1)[-1]}), [fault])

    def test_a_crate_without_a_layer(self) -> None:
        fault = "shared/odd has no layer. Add it to tools/ci/circles.py and docs/architecture.md."
        self.assertEqual(self.faults({"shared/odd": "domain", "shared/domain": ""}), [fault])
        using = "shared/domain uses shared/odd, which is not in a lower layer. Allowed: no crate of the workspace."
        self.assertEqual(self.faults({"shared/odd": "", "shared/domain": "odd"}), [using, fault])

    def test_only_the_tests_of_a_crate_may_use_a_higher_layer(self) -> None:
        crates = {"shared/domain": "tests", "tests": ""}
        for kind, count in ((None, 1), ("build", 1), ("dev", 0)):
            with self.subTest(kind):
                self.assertEqual(len(self.faults(crates, kind=kind)), count)

    def test_a_crate_of_a_registry_may_have_the_name_of_one_of_ours(self) -> None:
        self.assertEqual(self.faults({"shared/domain": "api", "shared/api": ""}, path=None), [])

    def test_the_document_states_the_same_layers(self) -> None:
        page = (ROOT / "docs" / "architecture.md").read_text()
        for group in (SERVICE, CLIENTS):
            layers = [names[0] if len(names) == 1 else f"{{{', '.join(names)}}}" for names in group]
            self.assertIn(f"`{' → '.join(layers)}`", " ".join(page.split()))


if __name__ == "__main__":
    unittest.main()

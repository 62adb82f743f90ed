"""Computes from the translated template how many changes of API Gateway CloudFormation may make at the same time: what does
not depend on each other is created in parallel, and the control plane throttles."""

import copy
import re
import unittest
from collections.abc import Iterator

from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tools.stack.project import REGION, ROOT
from tools.stack.template import translated

TEMPLATE = translated()
GATEWAY, ROUTE, STAGE = "AWS::ApiGatewayV2::", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage"
# What API Gateway accepts per second, and at once, of all requests that change or read APIs
# (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html).
RATE, BURST = 10, 40
# Routes that a release may add.
NEW_ROUTES = 40
# What CloudFormation accepts in a template.
MOST_RESOURCES = 500

Resources = dict[str, dict]


def referenced(node: object) -> Iterator[str]:
    match node:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [str(name), *_]}:
            yield name
        case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), _]}:
            yield from re.findall(r"\$\{(\w+)", text)
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from referenced(inner)


def dependencies(resources: Resources) -> dict[str, set[str]]:
    """Returns, for each resource, everything that exists before CloudFormation creates it."""
    direct = {}
    for name, resource in resources.items():
        wanted = resource.get("DependsOn", [])
        named = {wanted} if isinstance(wanted, str) else set(wanted)
        # What metadata refers to is a dependency, too.
        parts = [resource.get("Properties", {}), resource.get("Metadata", {})]
        direct[name] = (named | set(referenced(parts))) & set(resources)
    found: dict[str, set[str]] = {}

    def before(name: str) -> set[str]:
        if name not in found:
            found[name] = set()
            found[name] = direct[name].union(*(before(other) for other in direct[name]))
        return found[name]

    for name in resources:
        before(name)
    return found


def largest_burst(names: set[str], before: dict[str, set[str]]) -> int:
    """Returns the size of the largest set of resources of which none waits for another: by Dilworth's theorem, as many as the
    chains that are needed to cover them, which is their number without the pairs of a largest matching."""
    partner: dict[str, str] = {}

    def match(name: str, tried: set[str]) -> bool:
        for other in sorted(before[name] & names):
            if other not in tried:
                tried.add(other)
                if other not in partner or match(partner[other], tried):
                    partner[other] = name
                    return True
        return False

    return len(names) - sum(match(name, set()) for name in sorted(names))


def of_gateway(resources: Resources) -> set[str]:
    return {name for name, resource in resources.items() if resource["Type"].startswith(GATEWAY)}


def calls(kind: str) -> int:
    """Returns how many requests the creation of a resource takes at most, as its schema lists them."""
    permissions = PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, kind).schema["handlers"]["create"]["permissions"]
    return sum(action.startswith("apigateway:") for action in permissions)


def routes(resources: Resources) -> list[str]:
    """The routes, in the order of the template."""
    return [name for name, resource in resources.items() if resource["Type"] == ROUTE]


def next_of(route: dict) -> str | None:
    """Returns the route on which a route depends directly: in its metadata, if a condition can leave that one out."""
    match route:
        case {"DependsOn": str(name)} | {"Metadata": {"DependsOn": {"Fn::If": [_, {"Ref": name}, _]}}}:
            return name
    return None


def with_new_routes(below: list[str]) -> tuple[Resources, set[str]]:
    """Returns the resources with a new route below each of these, as docs/adding-an-operation.md says, and the new names."""
    resources = copy.deepcopy(TEMPLATE["Resources"])
    added = set()
    for number, above in enumerate(below):
        name = f"New{number}Route"
        added.add(name)
        new = copy.deepcopy(resources[above])
        resources[above]["DependsOn"] = name
        resources[name] = new
    return resources, added


class Creation(unittest.TestCase):
    def test_what_is_created_at_once_stays_within_the_rate(self):
        resources = TEMPLATE["Resources"]
        burst = largest_burst(of_gateway(resources), dependencies(resources))
        # Even if each took only a second, without using up the burst.
        self.assertLessEqual(burst, RATE)
        most = max(calls(resources[name]["Type"]) for name in of_gateway(resources) if resources[name]["Type"] != f"{GATEWAY}DomainName")
        self.assertLessEqual(burst * most + calls(f"{GATEWAY}DomainName"), BURST)

    def test_three_routes_are_created_at_once(self):
        resources = TEMPLATE["Resources"]
        self.assertEqual(largest_burst(set(routes(resources)), dependencies(resources)), 3)
        self.assertGreater(len(routes(resources)), 100)

    def test_the_stage_comes_after_all_routes(self):
        before = dependencies(TEMPLATE["Resources"])
        [stage] = [name for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == STAGE]
        self.assertEqual(set(routes(TEMPLATE["Resources"])) - before[stage], set())

    def test_every_route_depends_on_the_route_below_it(self):
        resources = TEMPLATE["Resources"]
        ends = {name for name in routes(resources) if next_of(resources[name]) is None}
        self.assertEqual(len(ends), 3, f"the last routes of apps, chat and reference depend on nothing: {sorted(ends)}")
        for above, below in zip(routes(resources), routes(resources)[1:]):
            if above not in ends:
                self.assertEqual(next_of(resources[above]), below, f"{above} needs the line `DependsOn: {below}`")

    def test_nothing_depends_on_what_a_condition_leaves_out(self):
        resources = TEMPLATE["Resources"]
        for name, resource in resources.items():
            wanted = resource.get("DependsOn", [])
            for other in [wanted] if isinstance(wanted, str) else wanted:
                needed = resources[other].get("Condition")
                self.assertIn(needed, (None, resource.get("Condition")), f"{name} depends on {other}")

    def test_a_dependency_that_is_forgotten_is_noticed(self):
        resources = copy.deepcopy(TEMPLATE["Resources"])
        for name in routes(resources):
            resources[name].pop("DependsOn", None)
            resources[name].pop("Metadata", None)
        self.assertGreater(largest_burst(of_gateway(resources), dependencies(resources)), BURST)


class Update(unittest.TestCase):
    """An update that adds routes to a stage that deploys each of them."""

    def burst(self, below: list[str]) -> int:
        resources, added = with_new_routes(below)
        before = dependencies(resources)
        [stage] = [name for name, resource in resources.items() if resource["Type"] == STAGE]
        self.assertEqual(len(added), NEW_ROUTES)
        self.assertEqual(added - before[stage], set(), "the stage, whose settings may name the new routes, comes after them")
        return largest_burst(added | {stage}, before)

    def test_routes_in_one_place(self):
        middle = next(name for name in routes(TEMPLATE["Resources"]) if "ChatTemplates" in name)
        self.assertEqual(self.burst([middle] * NEW_ROUTES), 1)

    def test_routes_all_over_the_template(self):
        every = routes(TEMPLATE["Resources"])
        self.assertLessEqual(self.burst(every[:: len(every) // NEW_ROUTES][:NEW_ROUTES]), 3)

    def test_a_new_function_with_routes(self):
        resources, added = with_new_routes([routes(TEMPLATE["Resources"])[0]] * NEW_ROUTES)
        resources["NewIntegration"] = copy.deepcopy(resources["AppsIntegration"])
        self.assertLessEqual(largest_burst(added | {"NewIntegration"}, dependencies(resources)), RATE)

    def test_they_fit_into_the_template(self):
        self.assertLessEqual(len(TEMPLATE["Resources"]) + NEW_ROUTES, MOST_RESOURCES)

    def test_the_guide_says_how(self):
        guide = (ROOT / "docs" / "adding-an-operation.md").read_text()
        self.assertIn("`DependsOn`", guide)


if __name__ == "__main__":
    unittest.main()

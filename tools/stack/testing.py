"""The template as CloudFormation deploys it, for tests: after SAM's transform, for different parameters."""

from tools.stack.template import Evaluation, translated

TRANSLATED = translated()
# The values that the parameter AccountConcurrency allows.
ACCOUNTS = (10, 50, 100, 200, 500, 1000)


def of_type(resources: dict, kind: str) -> dict[str, dict]:
    return {name: resource.get("Properties", {}) for name, resource in resources.items() if resource["Type"] == kind}


def evaluated(**parameters: object) -> dict[str, dict]:
    return Evaluation(TRANSLATED, {name: str(value) for name, value in parameters.items()}).resources()

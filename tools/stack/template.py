"""The template as CloudFormation deploys it: translated from SAM, and evaluated for given parameters. Runs in the virtual
environment of the deploy tools."""

import pickle
from functools import lru_cache
from pathlib import Path

import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from tools.stack.project import REGION, ROOT

TEMPLATE = ROOT / "infra" / "template.yaml"

# What `!Ref AWS::NoValue` evaluates to: the property that holds it is left out.
NO_VALUE = object()


@lru_cache(maxsize=2)
def parsed(text: str) -> bytes:
    """Returns the parsed text, pickled: parsing takes a second, and each caller gets a copy to change."""
    return pickle.dumps(yaml_parse(text))


def source(template: Path = TEMPLATE) -> dict:
    """Returns a template as it is written, with intrinsic functions in their long form."""
    return pickle.loads(parsed(template.read_text()))


@lru_cache(maxsize=2)
def transformed(text: str) -> bytes:
    template = pickle.loads(parsed(text))
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = f"s3://code/{Path(resource['Properties']['CodeUri']).name}"
    translator = Translator({}, Parser(), boto_session=boto3.Session(region_name=REGION))
    found = translator.translate(template, {})
    # Otherwise the translator complains at the end of the process.
    translator.metrics.publish()
    return pickle.dumps(found)


def translated() -> dict:
    """Returns the template after SAM's transform. The code of a function is at an S3 key of the function's name."""
    return pickle.loads(transformed(TEMPLATE.read_text()))


def complete() -> dict:
    """Returns the translated template as it is deployed with a carrier, with destinations of events, with a key and with an identity
    provider, so that roles have all their statements."""
    template = translated()
    parameters = {
        "SmsCarrier": "aws",
        "EventDestinations": "EventDestinations",
        "KmsKeyArn": "KmsKeyArn",
        "SignInClientSecret": "Secret",
    }
    return {**template, "Resources": Evaluation(template, parameters).resources()}


def defaults(template: dict) -> dict[str, str]:
    return {name: str(entry["Default"]) for name, entry in template["Parameters"].items() if "Default" in entry}


class Evaluation:
    """Evaluates conditions, mappings and references to parameters. References to resources stay as they are."""

    def __init__(self, template: dict, parameters: dict[str, str] | None = None):
        self.template = template
        self.parameters = {**defaults(template), **(parameters or {})}

    def condition(self, name: str) -> bool:
        return self.value(self.template["Conditions"][name])

    def resources(self) -> dict[str, dict]:
        """Returns the resources whose condition holds, evaluated."""
        return {
            name: self.value({key: part for key, part in resource.items() if key != "Condition"})
            for name, resource in self.template["Resources"].items()
            if "Condition" not in resource or self.condition(resource["Condition"])
        }

    def value(self, node: object) -> object:
        match node:
            case {"Ref": "AWS::NoValue"}:
                return NO_VALUE
            case {"Ref": name} if name in self.parameters:
                return self.parameters[name]
            case {"Condition": str(name)} if len(node) == 1:
                return self.condition(name)
            case {"Fn::If": [name, yes, no]}:
                return self.value(yes if self.condition(name) else no)
            case {"Fn::Equals": [left, right]}:
                return str(self.value(left)) == str(self.value(right))
            case {"Fn::Not": [inner]}:
                return not self.value(inner)
            case {"Fn::And": parts}:
                return all(map(self.value, parts))
            case {"Fn::Or": parts}:
                return any(map(self.value, parts))
            case {"Fn::FindInMap": [name, *keys]}:
                first, second = (str(self.value(key)) for key in keys)
                return self.template["Mappings"][name][first][second]
            case dict():
                values = {key: self.value(inner) for key, inner in node.items()}
                return {key: value for key, value in values.items() if value is not NO_VALUE}
            case list():
                return [value for value in map(self.value, node) if value is not NO_VALUE]
        return node

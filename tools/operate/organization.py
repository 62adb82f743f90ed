"""`make organization NAME=... [STACK=...]`: creates an organization and prints its first credentials as one JSON line."""

import json
import sys

import boto3

from tools.stack.environment import read_environment
from tools.stack.project import ENV
from tools.stack.stack import Stack


def deployed(stack_name: str, request: dict) -> dict:
    """Invokes the operator function on AWS, with the credentials in your environment."""
    outputs = boto3.client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"][0]["Outputs"]
    function = next(output["OutputValue"] for output in outputs if output["OutputKey"] == "OperatorFunction")
    answer = boto3.client("lambda").invoke(FunctionName=function, Payload=json.dumps(request))
    reply = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        sys.exit(f"The operator function failed: {reply.get('errorMessage', reply)}")
    return reply


def main() -> None:
    name, stack_name = sys.argv[1:3]
    if not name.strip():
        sys.exit('NAME is missing. Usage: make organization NAME="Acme" [STACK=messaging-api]')
    request = {"operation": "createOrganization", "name": name}
    if stack_name:
        reply = deployed(stack_name, request)
    else:
        port = int(read_environment(ENV)["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])
        reply = Stack(port).operate(request)
    print(json.dumps(reply))


if __name__ == "__main__":
    main()

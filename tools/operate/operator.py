"""Invokes the operator function, of the local stack or on AWS."""

import json
import os
import sys

import boto3
from botocore.config import Config

from tools.stack.environment import read_environment
from tools.stack.project import ENV
from tools.stack.stack import Stack

# The function may run for 90 seconds, and the invocation of a slow one is not repeated.
PATIENCE = Config(read_timeout=100, retries={"total_max_attempts": 1})


def deployed(stack_name: str, request: dict) -> dict:
    """Invokes the function on AWS, with the credentials in your environment."""
    aws = boto3.Session(region_name=os.environ.get("REGION") or None)
    outputs = aws.client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"][0]["Outputs"]
    function = next(output["OutputValue"] for output in outputs if output["OutputKey"] == "OperatorFunction")
    answer = aws.client("lambda", config=PATIENCE).invoke(FunctionName=function, Payload=json.dumps(request))
    reply = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        sys.exit(f"The operator function failed: {reply.get('errorMessage', reply)}")
    return reply


def operate(stack_name: str, request: dict) -> dict:
    """Invokes the function of a stack on AWS, or of the local one if the name is empty."""
    if stack_name:
        return deployed(stack_name, request)
    port = int(read_environment(ENV)["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])
    return Stack(port).operate(request)

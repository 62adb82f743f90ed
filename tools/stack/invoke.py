"""`make invoke EVENT=events/<function>/<operation>.json`: sends one sample event to a function of the local stack."""

import json
import sys
from pathlib import Path

from tools.stack.environment import read_environment, stack_port
from tools.stack.placeholders import SIGNATURE, Placeholders, filled
from tools.stack.project import ENV
from tools.stack.stack import Stack


def invoke(stack: Stack, values: dict[str, str], path: Path) -> dict:
    """Returns the function's response; the event's folder names the function."""
    placeholders = Placeholders(stack, {**values, "SIGNATURE": SIGNATURE})
    try:
        event = filled(placeholders, path.read_text())
        function = stack.resource(f"{path.resolve().parent.name.capitalize()}Function")
        answer = stack.client("lambda").invoke(FunctionName=function, Payload=event)
        reply = json.loads(answer["Payload"].read())
    finally:
        placeholders.clean_up()
    if "FunctionError" in answer:
        sys.exit(f"The function failed: {reply.get('errorMessage', reply)}")
    return reply


def main() -> None:
    path = Path(sys.argv[1])
    if not path.is_file():
        sys.exit(f"Event file {path} does not exist. Usage: make invoke EVENT=events/<function>/<operation>.json")
    values = read_environment(ENV)
    reply = invoke(Stack(stack_port(ENV)), values, path)
    body = reply.get("body")
    if body and reply["headers"].get("content-type") == "application/json":
        reply["body"] = json.loads(body)
    print(json.dumps(reply, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

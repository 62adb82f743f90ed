"""The deployment that is verified, with the organizations, receiver and AWS access that checks use."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tools.verify.aws import Aws
from tools.verify.client import Client
from tools.verify.organization import Organization
from tools.verify.receiver import Receiver


@dataclass
class Target:
    client: Client
    first: Organization
    second: Organization
    receiver: Receiver | None
    # The stack behind the API; None without AWS credentials or a stack's name.
    aws: Aws | None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def is_emulator(self) -> bool:
        return urlsplit(self.client.base_url).path.startswith("/_aws/execute-api/")

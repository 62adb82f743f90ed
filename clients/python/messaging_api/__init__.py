"""The client of the messaging API: WhatsApp, SMS and MMS from your own AWS account."""

from . import webhooks
from ._content import UploadSource
from ._errors import MessagingError
from ._generated.errors import *  # noqa: F403
from ._generated.events import *  # noqa: F403
from ._generated.methods import AsyncMessaging, Messaging
from ._generated.types import *  # noqa: F403
from ._lists import AsyncList, List, Page
from ._options import ApiKey, AsyncApiKey, Clock, Options, PostOptions
from ._progress import Progress
from ._resource import Resource
from ._response import Response

__all__ = [
    "ApiKey", "AsyncApiKey", "AsyncList", "AsyncMessaging", "Clock", "List", "Messaging", "MessagingError", "Options",
    "Page", "PostOptions", "Progress", "Resource", "Response", "UploadSource", "webhooks",
]

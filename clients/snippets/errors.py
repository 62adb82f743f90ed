import os

from messaging_api import Messaging

client = Messaging()
from_ = os.environ["FROM"]
# snippet
from messaging_api import InvalidRequestError, ProviderError

try:
    client.chat.messages.send(from_=from_, to="+99910131026", type="text", text={"body": "Hello!"})
except ProviderError as error:
    print("WhatsApp:", error.provider and error.provider.code, error)
except InvalidRequestError as error:
    print("A mistake in:", error.param, error)

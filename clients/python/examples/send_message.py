"""Sends a WhatsApp message and an SMS in test mode, and waits until they have arrived.

``MESSAGING_API_KEY`` is the key of a test app, and ``MESSAGING_BASE_URL`` the address of the installation.
"""

from messaging_api import Messaging, MessagingError

client = Messaging()
to = "+12025550123"

for number in client.phone_numbers.list():
    if number.kind == "chat":
        sent = client.chat.messages.send(from_=number.id, to=to, type="text", text={"body": "Hello!"})
        message = client.chat.messages.wait_for(sent.id, status="READ")
        print("WhatsApp:", message.outcome, message.recipients[0].status)
    else:
        sms = client.sms.send(from_=number.id, to=to, text="Hello!")
        delivered = client.sms.wait_for(sms.id, status="DELIVERED")
        print("SMS:", delivered.outcome, delivered.status)

try:
    client.sms.send(from_="+12025550100", to="12025550123", text="Hello!")
except MessagingError as error:
    print(type(error).__name__, error.code, error.param, error.request_id)

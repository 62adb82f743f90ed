import os

from messaging_api import Messaging

admin = Messaging(api_key=os.environ["ADMIN_KEY"])
# snippet
webhook = admin.organization.apps.webhooks.create(
    os.environ["APP_ID"], url="https://example.com/hooks", events=["messages.chat.received"],
    headers={"X-Team": "blue"}, options={"idempotency_key": "tour-1"},
)
print(webhook.id, webhook.secret)

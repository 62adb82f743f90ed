import os

from messaging_api import Messaging

admin = Messaging(api_key=os.environ["ADMIN_KEY"])
settings = admin.organization.settings.get()
print(settings.name, settings.message_retention_days)

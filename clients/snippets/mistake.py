import os

from messaging_api import Messaging

admin = Messaging(api_key=os.environ["ADMIN_KEY"])
# snippet
from messaging_api import InvalidRequestError

try:
    admin.organization.phone_numbers.create(number="0151 123456")
except InvalidRequestError as error:
    print(error.code, error.param, error)

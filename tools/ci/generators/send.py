"""Sends a chat message and an SMS and finds them in lists, with the client that openapi-python-client generated."""

import os

from messaging_api_client import AuthenticatedClient, models
from messaging_api_client.api.messages import chat_messages_list, chat_messages_send, sms_list, sms_send
from messaging_api_client.api.numbers import phone_numbers_list
from messaging_api_client.types import UNSET

TO = "+12025550143"
REFERENCE = "openapi-python-client"


def numbers_of_the_app(client: AuthenticatedClient) -> list:
    numbers, cursor = [], UNSET
    while cursor is not None:
        page = phone_numbers_list.sync(client=client, limit=1, cursor=cursor)
        assert isinstance(page, models.AppNumberList) and len(page.data) <= 1, page
        numbers += page.data
        cursor = page.next_cursor
    return numbers


def main() -> None:
    client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["TEST_APP_KEY"])
    numbers = numbers_of_the_app(client)
    chat_number = next(number for number in numbers if isinstance(number, models.AppChatPhoneNumber))
    sms_number = next(number for number in numbers if isinstance(number, models.AppPhoneNumber))

    body = models.SendTextMessage(
        from_=chat_number.id,
        to=TO,
        type_=models.SendTextMessageType.TEXT,
        text=models.SendText(body="Hello"),
        client_reference=REFERENCE,
    )
    chat = chat_messages_send.sync_detailed(client=client, body=body)
    assert chat.status_code == 201 and chat.parsed.outcome == models.MessageOutcome.ACCEPTED, chat
    assert chat.parsed.text_body == "Hello", chat

    body = models.SendSms(from_=sms_number.id, to=TO, text="Hello", client_reference=REFERENCE)
    sms = sms_send.sync_detailed(client=client, body=body)
    assert sms.status_code == 201 and sms.parsed.outcome == models.MessageOutcome.ACCEPTED, sms
    assert sms.parsed.text == "Hello", sms

    page = chat_messages_list.sync(client=client, chat_phone_number_id=chat_number.id, client_reference=REFERENCE)
    assert page.data[0].id == chat.parsed.id, page
    page = sms_list.sync(client=client, phone_number_id=sms_number.id, client_reference=REFERENCE)
    assert page.data[0].id == sms.parsed.id, page

    body = models.SendSms(from_=sms_number.id, to="+1", text="Hello")
    refused = sms_send.sync_detailed(client=client, body=body)
    assert refused.status_code == 400 and refused.parsed.error.code == "invalid_phone_number", refused


if __name__ == "__main__":
    main()

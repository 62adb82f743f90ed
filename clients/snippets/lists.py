from messaging_api import Messaging

client = Messaging()
# snippet
for each in client.chat.messages.list(contact="+12025550123"):
    print(each.created_at, each.direction, each.text_body)
page = client.chat.messages.list(limit=2).page()
print(len(page.data), page.next_cursor)

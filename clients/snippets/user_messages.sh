cat > /tmp/handler.py <<'PYTHON'
import http.server, json

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        print(event["type"], event["data"].get("type", event["data"].get("phoneNumber")), flush=True)
        self.send_response(204)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", 9098), Handler).serve_forever()
PYTHON
python3 /tmp/handler.py > /tmp/handled.txt 2>/dev/null &
until curl -s -o /dev/null http://127.0.0.1:9098/; do sleep 0.2; done
HOOK_ID=$(api /v1/webhooks -d '{"url": "http://127.0.0.1:9098/", "events": ["messages.chat.received", "contacts.chat.updated"]}' | field '["id"]')
user() { api /v1/playground/chat/inbound -d "{\"from\": \"+12015550123\", \"profileName\": \"Ann\", $1}"; }
ORDER_ID=$(user '"type": "order", "order": {"catalogId": "c-1", "items": [{"productRetailerId": "sku-1", "quantity": 2, "itemPrice": 9.5, "currency": "EUR"}]}' | field '["id"]')
user "\"type\": \"reaction\", \"reaction\": {\"messageId\": \"$ORDER_ID\", \"emoji\": \"🎉\"}" > /dev/null
user '"type": "system", "system": {"kind": "number_changed", "newNumber": "+12015550199"}' > /dev/null
for wait in $(seq 480); do
  api "/v1/webhooks/$HOOK_ID/deliveries" > /tmp/handled.json
  [ $(grep -o '"DELIVERED"' /tmp/handled.json | wc -l) -ge 4 ] && break; sleep 0.5
done
kill %1
sort /tmp/handled.txt

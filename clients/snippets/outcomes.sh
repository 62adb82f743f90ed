curl -s $MESSAGING_BASE_URL/v1/chat/messages -H "Authorization: Bearer $MESSAGING_API_KEY" -H "Content-Type: application/json" \
  -d '{"from": "'$FROM'", "to": "+99930006", "type": "text", "text": {"body": "Hello!"}}' | tee /tmp/unknown.json
MESSAGE_ID=$(grep -o 'msg_wa_[A-Za-z0-9_]*' /tmp/unknown.json | head -n 1)
until curl -s $MESSAGING_BASE_URL/v1/chat/messages/$MESSAGE_ID -H "Authorization: Bearer $MESSAGING_API_KEY" | grep '"outcome":"ACCEPTED"'
do sleep 1; done

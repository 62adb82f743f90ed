curl -s $MESSAGING_BASE_URL/v1/chat/messages -H "Authorization: Bearer $MESSAGING_API_KEY" -H "Content-Type: application/json" \
  -d '{"from": "'$FROM'", "to": "+99910131026", "type": "text", "text": {"body": "Hello!"}}'

curl -s $MESSAGING_BASE_URL/v1/chat/messages -H "Authorization: Bearer $MESSAGING_API_KEY" -H "Content-Type: application/json" \
  -d '{"from": "'$FROM'", "to": "+12025550123", "type": "text", "text": {"body": "Hello!"}}'
curl -s "$MESSAGING_BASE_URL/v1/chat/messages?chatPhoneNumberId=$FROM&limit=1" -H "Authorization: Bearer $MESSAGING_API_KEY"

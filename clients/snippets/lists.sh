curl -s "$MESSAGING_BASE_URL/v1/chat/messages?contact=%2B12025550123&limit=2" -H "Authorization: Bearer $MESSAGING_API_KEY"

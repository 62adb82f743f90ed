curl -s "$MESSAGING_BASE_URL/v1/events?after=oldest&limit=2" -H "Authorization: Bearer $MESSAGING_API_KEY"

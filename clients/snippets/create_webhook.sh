curl -s $BASE_URL/v1/organization/apps/$APP_ID/webhooks -H "Authorization: Bearer $ADMIN_KEY" \
  -H 'Content-Type: application/json' -H 'Idempotency-Key: tour-1' \
  -d '{"url": "https://example.com/hooks", "events": ["messages.chat.received"], "headers": {"X-Team": "blue"}}'

for attempt in first second; do
  curl -s $MESSAGING_BASE_URL/v1/chat/messages -H "Authorization: Bearer $MESSAGING_API_KEY" \
    -H "Content-Type: application/json" -H "Idempotency-Key: order-7-shipped" \
    -d '{"from": "'$FROM'", "to": "+12025550123", "type": "text", "text": {"body": "Order 7 is on its way."}}'
done

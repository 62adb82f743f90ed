KEY=lost-$RANDOM$RANDOM
send +99930006 -H "Idempotency-Key: $KEY" | field '["outcome"]'
for wait in $(seq 120); do
  send +99930006 -H "Idempotency-Key: $KEY" > /tmp/lost.json
  grep -q '"ACCEPTED"' /tmp/lost.json && break; sleep 0.5
done
echo "resolved: $(field '["outcome"]' < /tmp/lost.json)"

curl -s $BASE_URL/v1/organization/phone-numbers -H "Authorization: Bearer $ADMIN_KEY" -H 'Content-Type: application/json' \
  -d '{"number": "0151 123456"}'
curl -s $BASE_URL/v1/organization/settings -H "Authorization: Bearer $APP_KEY"

. .local/env
export ADMIN_KEY APP_ID
curl -s $BASE_URL/v1/organization/settings -H "Authorization: Bearer $ADMIN_KEY"
messaging --local api GET /v1/organization/settings

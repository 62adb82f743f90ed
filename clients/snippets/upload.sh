echo 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==' | base64 -d > /tmp/dot.png
curl -s $BASE_URL/v1/media -H "Authorization: Bearer $APP_KEY" -F file=@/tmp/dot.png
curl -s "$(messaging --local upload /tmp/dot.png --get url)" | cmp - /tmp/dot.png && echo "the same picture"

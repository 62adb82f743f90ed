for code in $(curl -s $BASE_URL/v1/errors | python3 -c 'import json, sys; print(*(e["code"] for e in json.load(sys.stdin)["data"]))'); do
  api /v1/chat/messages -X POST -H "Playground-Error: $code" | field '["error"]["code"]'
done > /tmp/codes.txt
echo "$(sort -u /tmp/codes.txt | wc -l) codes"

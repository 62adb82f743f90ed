// Receivers that verify what they get. Those of clients/receivers run in CI as they are.
import fastapi from "../../../../clients/receivers/fastapi_app.py?raw";
import express from "../../../../clients/receivers/express.ts?raw";
import { INSTALL } from "../../core/install";

export interface Snippet {
  label: string;
  /** What to know before it is used. */
  note: string;
  code: string;
}

const CURL = `# Sends a signed event to your receiver, as the service would.
URL=http://localhost:3000/webhooks
BODY='{"id":"evt_1","type":"messages.chat.received","data":{"textBody":"Hello"}}'
TIME=$(date +%s)
KEY=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')
SIGNATURE=$(printf %s "evt_1.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -i "$URL" -H 'Content-Type: application/json' -d "$BODY" \\
  -H 'webhook-id: evt_1' -H "webhook-timestamp: $TIME" -H "webhook-signature: v1,$SIGNATURE"
`;

const QUEUE = `import os

import boto3
from messaging_api import webhooks

queue = boto3.client("sqs")
url = os.environ["QUEUE_URL"]
while True:
    found = queue.receive_message(QueueUrl=url, MessageAttributeNames=["All"], WaitTimeSeconds=20)
    for message in found.get("Messages", []):
        headers = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
        event = webhooks.verify(message["Body"].encode(), headers, os.environ["WEBHOOK_SECRET"])
        print("Received:", event.type, event.id, flush=True)
        queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
`;

const SECRET = "The secret comes from the environment, as WEBHOOK_SECRET.";

export function snippetsOf(isQueue: boolean): Snippet[] {
  if (isQueue) return [{ label: "Python", note: `pip install messaging-api boto3. ${SECRET} ${INSTALL.Python.until}`, code: QUEUE }];
  return [
    { label: "TypeScript", note: `With Express: npm install express @messaging-api/client. ${SECRET} ${INSTALL.TypeScript.until}`, code: express },
    { label: "Python", note: `With FastAPI: pip install fastapi uvicorn messaging-api. ${SECRET} ${INSTALL.Python.until}`, code: fastapi },
    { label: "curl", note: `Tries your receiver from the command line: it should respond with 2xx, and with 400 once the body is changed. ${SECRET}`, code: CURL },
  ];
}

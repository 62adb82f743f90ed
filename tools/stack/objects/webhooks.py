"""Webhooks, their test events, deliveries and recoveries, and queues as the addresses of webhooks."""

from tools.stack.objects.base import Objects


class WebhookObjects(Objects):
    tested_webhook: dict | None = None
    recovery_id: str | None = None

    def make_webhook_id(self) -> str:
        body = {"url": "https://example.com/hooks", "events": ["messages.sms.received"]}
        path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks"
        webhook = self.post(path, "ADMIN_KEY", body)["id"]
        self.to_delete.append(f"{path}/{webhook}")
        return webhook

    def tested(self) -> dict:
        """Creates a webhook and a delivery, once per sample. Returns the delivery."""
        if self.tested_webhook is None:
            webhook = self.make_webhook_id()
            path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks/{webhook}/test"
            self.tested_webhook = self.post(path, "ADMIN_KEY", {})
        return self.tested_webhook

    def make_tested_webhook_id(self) -> str:
        return self.tested()["webhookId"]

    def make_delivery_id(self) -> str:
        return self.tested()["id"]

    def make_event_id(self) -> str:
        return self.tested()["eventId"]

    def make_recovery_id(self) -> str:
        """Starts a recovery, once per sample, because a webhook has one at a time."""
        if self.recovery_id is None:
            path = f"/v1/organization/apps/{self.values['APP_ID']}/webhooks/{self.make_tested_webhook_id()}/recover"
            self.recovery_id = self.post(path, "ADMIN_KEY", {"since": "2026-01-01T00:00:00Z"})["id"]
        return self.recovery_id

    def make_allowed_queue_arn(self) -> str:
        arn = self.values["EVENT_QUEUE_ARN"]
        self.stack.operate({"operation": "allowDestination", "organizationId": self.values["ORGANIZATION_ID"], "arn": arn})
        return arn

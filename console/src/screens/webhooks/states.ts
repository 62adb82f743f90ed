// The states of webhooks, deliveries and attempts, in words.
import type { Attention, Webhook, WebhookDelivery, WebhookDeliveryAttempt } from "messaging";

import { duration, remaining, type Tone } from "../../core/text";

export interface State {
  label: string;
  tone: Tone;
}

/** Whether the receiver has accepted the event. */
export function hasSucceeded({ statusCode, error }: WebhookDeliveryAttempt): boolean {
  return error === undefined && statusCode !== undefined && statusCode >= 200 && statusCode < 300;
}

/** The state of a webhook. A single failure is shown long before the service counts the receiver as failing. */
export function stateOf(webhook: Webhook, attention?: Attention, latest: readonly WebhookDelivery[] = []): State {
  if (webhook.disabledAt) return { label: "Disabled", tone: "bad" };
  if (attention?.kind === "WEBHOOK_FAILING") return { label: "Failing", tone: "bad" };
  const last = lastTried(latest);
  if (last?.status === "FAILED") return { label: "Last delivery failed", tone: "warn" };
  if (last && isRetried(last)) return { label: "Last delivery failed so far", tone: "warn" };
  return { label: "Enabled", tone: "good" };
}

/** Whether a delivery has failed so far and will be attempted again. */
export function isRetried({ status, attempts }: WebhookDelivery): boolean {
  const last = attempts.at(-1);
  return status === "PENDING" && last !== undefined && !hasSucceeded(last);
}

/** The newest delivery that says something about the receiver: one that was attempted. */
export function lastTried(latest: readonly WebhookDelivery[]): WebhookDelivery | undefined {
  return latest.find((delivery) => delivery.status !== "SKIPPED" && delivery.attempts.length > 0);
}

export function deliveryState(delivery: WebhookDelivery): State {
  if (delivery.status === "DELIVERED") return { label: "Delivered", tone: "good" };
  if (delivery.status === "FAILED") return { label: "Failed", tone: "bad" };
  if (delivery.status === "SKIPPED") return { label: "Not sent", tone: "warn" };
  if (isRetried(delivery)) return { label: "Retrying", tone: "warn" };
  return { label: "Pending", tone: "busy" };
}

/** The result of an attempt: "204 in 35 ms". */
export function outcomeOf({ statusCode, error, durationMs }: WebhookDeliveryAttempt): string {
  const result = statusCode === undefined ? (error ?? "No response").replace(/\.$/, "") : `${statusCode}`;
  return `${result} ${statusCode === undefined ? "· " : "in "}${duration(durationMs)}`;
}

/** How long it is until a time: in seconds, if that is within a minute. */
export function awayFor(timestamp: string): string {
  const milliseconds = new Date(timestamp).getTime() - Date.now();
  if (milliseconds <= 0) return "any moment";
  return milliseconds < 60_000 ? `in ${Math.ceil(milliseconds / 1000)} s` : `in ${remaining(milliseconds)}`;
}

/** Whether an address is that of an SQS queue. */
export function isQueue(address: string): boolean {
  return address.trim().startsWith("arn:");
}

/** A short name of an address: the host, or the queue. */
export function nameOf(address: string): string {
  if (isQueue(address)) return address.split(":").at(-1) || address;
  try {
    return new URL(address).host || address;
  } catch {
    return address;
  }
}

/** The heading for a webhook: its address without the scheme, as long as it fits. */
export function titleOf(address: string): string {
  const short = isQueue(address) ? nameOf(address) : address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return short.length > 80 ? `${short.slice(0, 79)}…` : short;
}

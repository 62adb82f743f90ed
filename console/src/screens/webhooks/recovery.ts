// Which deliveries a recovery covers, as entered and as the API expects it.
import type { EventName, RecoverableDeliveryStatus, RecoverWebhook } from "messaging";

import { fromLocal } from "../../core/local";

export const STATUSES: [RecoverableDeliveryStatus, string, string][] = [
  ["FAILED", "Failed", "All attempts failed, or the receiver responded with 410"],
  ["SKIPPED", "Not sent", "The webhook was disabled at the time"],
  ["DELIVERED", "Delivered", "Only for a receiver that lost its data: it gets them a second time"],
];

export interface Entered {
  since: string;
  until: string;
  statuses: RecoverableDeliveryStatus[];
  /** Empty for all. */
  events: string[];
}

export function selectionOf({ since, until, statuses, events }: Entered): RecoverWebhook {
  const end = fromLocal(until);
  return {
    since: fromLocal(since) ?? "",
    ...(end ? { until: end } : {}),
    statuses,
    ...(events.length > 0 ? { eventTypes: events as EventName[] } : {}),
  };
}

/** The id of the recovery that is still running, if an error names one. */
export function runningIn(problem: unknown): string | undefined {
  return problem instanceof Error ? /\brcv_\w+/.exec(problem.message)?.[0] : undefined;
}

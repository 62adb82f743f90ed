// The filters of the log, as the API and the address name them.
import type { AuditEntry } from "messaging";

import { isTestId, mode } from "../../../core/mode.svelte";

export const FILTERS = ["actor", "action", "target", "outcome", "since", "until"] as const;

/** Whether an entry belongs to the mode. A live key sees those of both. */
export function isOfMode(entry: AuditEntry): boolean {
  const isTest = isOfTest(entry);
  return isTest === undefined || isTest === (mode.current === "test");
}

/** Whether an entry is one of test mode, by the ids in it; nothing if they do not say it. */
function isOfTest({ target, actor, outcome }: AuditEntry): boolean | undefined {
  if (target) return target.kind === "TEMPLATE" ? undefined : isTestId(target.id);
  if (actor.kind === "KEY" && actor.id) return isTestId(actor.id);
  // It was denied to a key of a session, of either mode.
  return outcome === "DENIED" ? undefined : false;
}

// Which requests are repeated after a failure, and when.
import { MessagingError } from "./errors.ts";
import { ConnectionError } from "./generated/errors.ts";
import type { Clock } from "./options.ts";

/** The bound of the first wait, in milliseconds. Each retry doubles it, up to the longest. */
const FIRST = 500;
const LONGEST = 8000;
/** A longer `Retry-After`, in seconds, is left to the caller. */
const PATIENCE = 60;

/** Returns how many milliseconds to wait before a request is repeated, or `undefined` if it must not be. `isSafe` says
 * that a second execution has no second effect. Without it, only what the service has not executed is repeated. */
export function waitAfter(error: unknown, isSafe: boolean, retry: number, clock: Clock): number | undefined {
  if (!(error instanceof MessagingError)) return undefined;
  const { status = 0, retryAfter } = error;
  const isLost = error instanceof ConnectionError;
  const isPassing = isLost || [502, 503, 504].includes(status) || (status === 409 && retryAfter !== undefined);
  const isUnexecuted = status === 429 || (isLost && wasRefused(error.cause));
  const isRepeated = (isUnexecuted || (isSafe && isPassing)) && (retryAfter ?? 0) <= PATIENCE;
  return isRepeated ? (retryAfter ?? 0) * 1000 + backoff(retry, clock) : undefined;
}

/** Returns a wait from 0 up to a bound that doubles: full jitter, so that clients do not return together. */
export function backoff(retry: number, clock: Clock): number {
  return clock.random() * Math.min(LONGEST, FIRST * 2 ** retry);
}

/** Whether nothing was sent because nobody listened. Only Node.js tells. */
function wasRefused(error: unknown): boolean {
  const { code, cause, errors } = (error ?? {}) as { code?: string; cause?: unknown; errors?: unknown[] };
  if (code === "ECONNREFUSED") return true;
  return errors?.length ? errors.every(wasRefused) : cause !== undefined && wasRefused(cause);
}

/** Whether an error may pass: of the network, of a limit, or of the service. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof MessagingError)) return false;
  return error instanceof ConnectionError || error.status === 429 || (error.status ?? 0) >= 500;
}

// The error of a response.
import type { ErrorFacts, MessagingError } from "./errors.ts";
import { BY_STATUS, InternalError, InvalidRequestError, ProviderError } from "./generated/errors.ts";

type Details = ErrorFacts & { type?: string; message?: string; doc_url?: string; additional_info?: string[] };
/** All forms of the body: `{error: {…}}`, `{error: "…"}`, and the gateway's `{message: "…"}`. */
type Body = { error?: string | Details; message?: string };

/** Makes the error of a response. `body` is what its text says as JSON, or the text. */
export function errorOf({ status, headers }: Response, body: unknown, now: number): MessagingError {
  const { error, message } = (typeof body === "object" && body !== null ? body : {}) as Body;
  const { code, param, provider, ...more } = typeof error === "object" && error !== null ? error : {};
  const text = more.message ?? (typeof error === "string" ? error : message);
  const ids = { requestId: requestIdOf(headers), messageId: headers.get("x-message-id") ?? undefined };
  const hints = { docUrl: more.doc_url, additionalInfo: more.additional_info, retryAfter: retryAfterOf(headers, now) };
  const other = more.type === "provider_error" ? ProviderError : InvalidRequestError;
  const Class = BY_STATUS[status] ?? (status >= 400 && status < 500 ? other : InternalError);
  const words = typeof text === "string" ? text : `The service responded with status ${status}.`;
  return new Class(words, { status, code, param, provider, ...ids, ...hints, headers, body });
}

/** The request's id: the service's, or the gateway's. */
export function requestIdOf(headers: Headers): string | undefined {
  return headers.get("x-request-id") ?? headers.get("apigw-requestid") ?? undefined;
}

/** Returns the seconds of `Retry-After`, which is a number or a date. */
function retryAfterOf(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim();
  const seconds = text && /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text ?? "") - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

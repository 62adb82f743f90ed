// The base of what methods throw. There is a class of it for each meaning.
import type { ErrorCode, ErrorProvider, Open } from "./generated/types.ts";

/** What is known about an error. */
export interface ErrorFacts {
  /** The HTTP status, if there was a response. */ readonly status?: number;
  /** A machine-readable code, if one fits. Treat an unknown one like none. */ readonly code?: Open<ErrorCode>;
  /** The field, path parameter, query parameter or header with the error. */ readonly param?: string;
  /** The error of WhatsApp or of the SMS carrier. */ readonly provider?: ErrorProvider;
  /** Quote it when you report a problem. */ readonly requestId?: string;
  /** The message that was stored although it was not sent. */ readonly messageId?: string;
  /** The documentation of the code. */ readonly docUrl?: string;
  /** Hints that may help. */ readonly additionalInfo?: string[];
  /** After how many seconds a retry may succeed. */ readonly retryAfter?: number;
  /** The headers of the response. */ readonly headers?: Headers;
  /** The body as it came. */ readonly body?: unknown;
}

/** The base class of all errors, and the class of mistakes in a call. */
export class MessagingError extends Error {
  constructor(message: string, facts: ErrorFacts = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    Object.assign(this, Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)));
  }
}
export interface MessagingError extends ErrorFacts {}

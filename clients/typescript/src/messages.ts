// Waiting for what becomes of a message.
import type { Call } from "./call.ts";
import { TimeoutError } from "./generated/errors.ts";
import type { ChatMessageRecipientStatus, MessageOutcome, SmsMessageStatus } from "./generated/types.ts";
import { Namespace } from "./namespace.ts";
import type { Options } from "./options.ts";

/** What to wait for: a status that every recipient of a message of WhatsApp reaches, or an SMS, or an outcome. */
export type WaitTarget<Message = unknown> = { status: StatusOf<Message> } | { outcome: MessageOutcome };

type StatusOf<Message> = Message extends { status: unknown } ? SmsMessageStatus : ChatMessageRecipientStatus;

/** The options of waiting. */
export interface WaitOptions extends Options {
  /** How long to wait at most, in milliseconds: 60,000 by default. */ patience?: number;
  /** The time between two requests, in milliseconds: 1,000 by default. */ interval?: number;
}

/** The parts of a message that say what became of it. */
type State = { status?: string; outcome?: string; recipients?: { status: string }[] };

const STEPS = ["QUEUED", "SENT", "DELIVERED", "READ"];

/** The methods of messages. */
export abstract class Messages<Message extends object> extends Namespace {
  abstract get(messageId: string, options?: Options): Call<Message>;

  /** Gets a message again until it has a status or a later one, or an outcome. It also returns a message that can no
   * longer get there, because it failed: look at what is returned.
   * @throws {TimeoutError} The message did not get there in time. `body` is the message as it was last. */
  async waitFor(messageId: string, awaited: WaitTarget<Message>, options: WaitOptions = {}): Promise<Message> {
    const { patience = 60_000, interval = 1000, ...each } = options;
    const { clock } = this.core;
    for (const end = clock.now() + patience; ; ) {
      const message = await this.get(messageId, each);
      if (isOver(message, awaited)) return message;
      const left = end - clock.now();
      if (left <= 0)
        throw new TimeoutError(`${messageId} did not get there within ${patience} ms.`, { messageId, body: message });
      await clock.sleep(Math.min(interval, left), each.signal);
    }
  }
}

function isOver({ status, outcome = "", recipients = [] }: State, awaited: { status: string } | { outcome: string }): boolean {
  if (outcome === "REFUSED" || outcome === "EXPIRED") return true;
  if ("outcome" in awaited) return outcome === awaited.outcome || outcome === "ACCEPTED";
  const wanted = STEPS.indexOf(awaited.status);
  const isDone = (known: string) =>
    known === awaited.status || known === "FAILED" || (wanted >= 0 && STEPS.indexOf(known) >= wanted);
  const statuses = status === undefined ? recipients.map((recipient) => recipient.status) : [status];
  return statuses.length > 0 && statuses.every(isDone);
}

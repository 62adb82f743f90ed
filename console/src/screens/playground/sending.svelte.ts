// A message that is sent to see its outcome.
import { MessagingError, type ChatMessageDetails, type SmsMessage } from "messaging";

import { Action } from "../../core/action.svelte";
import { isWatched } from "../../core/awake";
import { send } from "../../core/clients";
import { ask, askAs, type Request } from "../../core/request";
import { session } from "../../core/session.svelte";
import { digitsOf, type Choice } from "./choice.svelte";

type Sent = ChatMessageDetails | SmsMessage;
/** How often the message is read again. The slowest statuses come after 4 seconds. */
const LOOKS = 6;
const PAUSE = 1500;

export class Sending {
  readonly action = new Action();
  /** The message as it was last read, or the one that an error left behind. */
  message = $state.raw<Sent>();
  isBusy = $state(false);
  #turn = 0;

  /** The error of the API, if it was one. */
  get error(): MessagingError | undefined {
    return this.action.problem instanceof MessagingError ? this.action.problem : undefined;
  }

  get messageId(): string | undefined {
    return this.message?.id ?? this.error?.messageId;
  }

  async run(request: Request): Promise<void> {
    if (this.isBusy) return;
    const turn = ++this.#turn;
    this.isBusy = true;
    this.message = undefined;
    // A retry would hide the error that the reader wants to see.
    this.message = (await this.action.run(request, { maxRetries: 0 })) as Sent | undefined;
    // A message that was rejected says why in plain words; the error has the provider's.
    if (!this.message && this.messageId) this.message = await read(this.messageId);
    this.isBusy = false;
    if (this.message && !this.error) void this.#follow(this.message, turn);
  }

  /** Forgets the outcome of the last message. */
  clear(): void {
    this.#turn += 1;
    this.message = this.action.problem = undefined;
  }

  async #follow({ id }: { id: string }, turn: number): Promise<void> {
    for (let look = 0; look < LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (!isWatched()) continue;
      const found = await read(id);
      if (turn !== this.#turn) return;
      if (found) this.message = found;
    }
  }
}

/** Reads a message; nothing if that fails, as what is shown already stays and the next look retries. */
async function read(id: string): Promise<Sent | undefined> {
  const request = id.startsWith("msg_sms_") ? ask("organization.sms.messages.get", id) : ask("organization.chat.messages.get", id);
  if (!session.may(request.name)) return undefined;
  return send<string>(request).then((found) => found as unknown as Sent, () => undefined);
}

/** The request that sends a short text to a recipient by the channel that was chosen. */
export function textTo(choice: Choice, to: string): Request {
  const from = choice.number ? digitsOf(choice.number) : "";
  const body = "Hello from the playground";
  if (choice.channel === "sms") return askAs(choice.appId ?? "", "sms.send", { from, to, text: body });
  return askAs(choice.appId ?? "", "chat.messages.send", { from, to, type: "text", text: { body } });
}

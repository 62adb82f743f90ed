// A message that is being written, and the request that sends it.
import type { ChatTemplate, Media, SendChatMessage, SendMedia } from "messaging";

import type { Channel } from "../../core/message";
import { askAs, type Request } from "../../core/request";
import type { Sender } from "./directory.svelte";
import { formOf, templateOf, type Values } from "./templates";

export type Kind = "text" | "template" | "media" | "sms";

/** A phone number as people write it. */
export const EXAMPLE = "+1 201 555 0123";

export const KINDS: Record<Kind, string> = { text: "Text", template: "Template", media: "Media", sms: "SMS" };

/** Marks of direction that come with numbers that are copied from elsewhere. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The recipient as it is sent: spaces and punctuation of phone numbers with a country do not matter, and 00 stands for +. */
export function recipientOf(typed: string): string {
  const text = typed.replace(MARKS, "").trim();
  return /^(\+|00)[\d\s()./-]*$/.test(text) ? `+${text.replace(/^00/, "").replace(/\D/g, "")}` : text;
}

/** What is wrong with a recipient, in the words of the form. */
export function wrongOf(typed: string, channel: Channel): string | undefined {
  const to = recipientOf(typed);
  if (to === "" || /^\+\d{7,15}$/.test(to)) return undefined;
  if (/^\+\d*$/.test(to)) return `To must have 7 to 15 digits with the country, such as ${EXAMPLE}.`;
  if (channel === "chat" && /^[A-Za-z]\S*$/.test(to)) return undefined;
  return `To must begin with + or 00 and the country, such as ${EXAMPLE}.`;
}

export class Draft {
  kind = $state<Kind>("text");
  text = $state("");
  caption = $state("");
  isVoiceNote = $state(false);
  media = $state.raw<Media>();
  template = $state.raw<ChatTemplate>();
  values = $state<Values>({});

  /** Chooses a template. Values and files are reset, as another template has other variables. */
  choose(template: ChatTemplate | undefined): void {
    this.template = template;
    this.values = {};
    this.media = undefined;
  }

  get isEmpty(): boolean {
    return !this.text && !this.media;
  }

  clear(): void {
    this.text = "";
    this.caption = "";
    this.media = undefined;
    this.values = {};
  }

  /** The request that sends what is written so far. */
  request(appId: string, sender: Sender, typed: string): Request<"chat.messages.send" | "sms.send"> {
    const to = recipientOf(typed);
    if (this.kind === "sms") {
      return askAs(appId, "sms.send", { from: sender.number, to, ...(this.text && { text: this.text }), ...(this.media && { mediaId: this.media.id }) }) as Request<"chat.messages.send" | "sms.send">;
    }
    const recipient = to.startsWith("+") || to === "" ? { to } : { toUserId: to };
    return askAs(appId, "chat.messages.send", { from: sender.number, ...recipient, ...this.#content() } as SendChatMessage) as Request<"chat.messages.send" | "sms.send">;
  }

  /** What is missing before it can be sent. */
  missing(to: string): string | undefined {
    if (recipientOf(to) === "") return "Enter a recipient first.";
    if (wrongOf(to, this.kind === "sms" ? "sms" : "chat")) return "Correct the recipient first.";
    return this.missingContent();
  }

  /** The same without the recipient. */
  missingContent(): string | undefined {
    if (this.kind === "text" && !this.text.trim()) return "Write a text first.";
    if (this.kind === "sms" && !this.text.trim() && !this.media) return "Write a text or add a file first.";
    if (this.kind === "media" && !this.media) return "Choose a file first.";
    return this.kind === "template" ? this.#missingOfTemplate() : undefined;
  }

  #missingOfTemplate(): string | undefined {
    if (!this.template) return "Choose a template first.";
    const { variables, media, whyNot } = formOf(this.template);
    if (whyNot) return whyNot;
    if (media && !this.media) return "Choose a file for the header first.";
    const empty = variables.find(({ key, isOptional }) => !isOptional && !this.values[key]?.trim());
    return empty && `Fill in “${empty.label}” first.`;
  }

  #content(): object {
    if (this.kind === "template") {
      return { type: "template", template: this.template ? templateOf(this.template, this.values, this.media?.id) : { name: "", language: "" } };
    }
    if (this.kind === "media") return this.#mediaContent();
    return { type: "text", text: { body: this.text } };
  }

  #mediaContent(): object {
    const kind = this.media?.mediaType ?? "image";
    const hasCaption = this.caption && ["image", "video", "document"].includes(kind);
    const content: SendMedia = {
      mediaId: this.media?.id ?? "",
      ...(hasCaption && { caption: this.caption }),
      ...(kind === "document" && this.media && { fileName: this.media.fileName }),
      ...(kind === "audio" && this.isVoiceNote && { isVoiceNote: true }),
    };
    return { type: kind, [kind]: content };
  }
}

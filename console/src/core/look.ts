// How WhatsApp shows a template, made of its components. Examples stand for the variables, or the values of a message.
import { listOf, objectOf, textOf, type Json } from "./json";

/** What stands in place of the variables of a message, instead of the examples, and the picture of its header. */
export interface Given {
  header: Record<string, string>;
  body: Record<string, string>;
  picture?: string | undefined;
}

/** A piece of text with WhatsApp's marks. */
export interface Piece {
  text: string;
  tag: "" | "strong" | "em" | "s" | "code";
}

export interface Look {
  header?: { format: string; text: string; picture: string | undefined } | undefined;
  offer?: { text: string; expires: boolean } | undefined;
  body: Piece[];
  footer: string;
  buttons: { type: string; text: string; detail: string }[];
  cards: Look[];
}

/** `pictures` are the addresses of uploaded examples, by their media ids. */
export function lookOf(components: unknown, category?: string, pictures: Record<string, string> = {}, given?: Given): Look {
  const all = listOf(components);
  const of = (type: string) => all.find((one) => one["type"] === type);
  const [header, body, offer] = [of("HEADER"), of("BODY"), of("LIMITED_TIME_OFFER")?.["limited_time_offer"]];
  const isCode = category === "AUTHENTICATION" && !body?.["text"];
  return {
    header: header && { format: textOf(header["format"]), text: shown(header, "header_text", given?.header), picture: given ? given.picture : pictures[textOf(objectOf(header["example"])["mediaId"])] },
    offer: offer ? { text: textOf(objectOf(offer)["text"]), expires: objectOf(offer)["has_expiration"] === true } : undefined,
    body: piecesOf(isCode ? codeText(body) : shown(body, "body_text", given?.body)),
    footer: footerOf(of("FOOTER")),
    buttons: listOf(of("BUTTONS")?.["buttons"]).map(buttonOf),
    cards: listOf(of("CAROUSEL")?.["cards"]).map((card) => lookOf(card["components"], category, pictures)),
  };
}

function shown(part: Json | undefined, name: string, given?: Record<string, string>): string {
  if (given) return filled(textOf(part?.["text"]), given);
  const example = objectOf(part?.["example"]);
  const named = listOf(example[`${name}_named_params`]).map((one) => [textOf(one["param_name"]), textOf(one["example"])]);
  const positional = [example[name]].flat(2).map((value, at) => [`${at + 1}`, textOf(value)]);
  return filled(textOf(part?.["text"]), Object.fromEntries([...positional, ...named]));
}

/** Puts values where the variables are. A variable without a value stays as it is. */
function filled(text: string, values: Record<string, string>): string {
  return text.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (whole, name: string) => values[name] || whole);
}

/** The text that WhatsApp writes in English. */
function codeText(body: Json | undefined): string {
  return `*123456* is your verification code.${body?.["add_security_recommendation"] === true ? " For your security, do not share this code." : ""}`;
}

function footerOf(part: Json | undefined): string {
  const minutes = part?.["code_expiration_minutes"];
  return minutes === undefined ? textOf(part?.["text"]) : `This code expires in ${String(minutes)} ${minutes === 1 ? "minute" : "minutes"}.`;
}

function buttonOf(part: Json): Look["buttons"][number] {
  const type = textOf(part["type"]);
  const [example = ""] = [part["example"]].flat().map(textOf);
  if (type === "OTP") return { type, text: textOf(part["otp_type"]) === "COPY_CODE" ? textOf(part["text"]) || "Copy code" : textOf(part["autofill_text"]) || "Autofill", detail: "" };
  if (type === "COPY_CODE") return { type, text: textOf(part["text"]) || "Copy offer code", detail: example };
  if (type === "URL") return { type, text: textOf(part["text"]), detail: example || textOf(part["url"]) };
  return { type, text: textOf(part["text"]), detail: textOf(part["phone_number"]) };
}

const MARKS: [RegExp, Piece["tag"]][] = [
  [/^```([^`]+)```/, "code"],
  [/^\*([^\s*](?:[^*\n]*[^\s*])?)\*(?!\w)/, "strong"],
  [/^_([^\s_](?:[^_\n]*[^\s_])?)_(?!\w)/, "em"],
  [/^~([^\s~](?:[^~\n]*[^\s~])?)~(?!\w)/, "s"],
];

/** Splits a text at WhatsApp's marks: `*bold*`, `_italic_`, `~struck~` and three backquotes for code. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const found = /\w/.test(text[at - 1] ?? "") ? undefined : markAt(text.slice(at, at + 1100));
    if (!found) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain) pieces.push({ text: plain, tag: "" });
    plain = "";
    pieces.push({ text: found.text, tag: found.tag });
    at += found.length;
  }
  return plain ? [...pieces, { text: plain, tag: "" }] : pieces;
}

function markAt(text: string): (Piece & { length: number }) | undefined {
  if (!"*_~`".includes(text[0] ?? " ")) return undefined;
  for (const [mark, tag] of MARKS) {
    const found = mark.exec(text);
    if (found) return { text: found[1] ?? "", tag, length: found[0].length };
  }
  return undefined;
}

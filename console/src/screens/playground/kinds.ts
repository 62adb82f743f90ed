// What a user can send besides texts, with example data.
import type { SimulateInboundChat } from "messaging";

import type { Line } from "./line";

/** A message of the user, without the numbers. */
export type Said = Omit<SimulateInboundChat, "from" | "to">;

export interface Kind {
  label: string;
  about: string;
  /** What is said; nothing if there is no message that it could refer to. */
  make: (last: Line | undefined) => Said | undefined;
}

const order = { catalogId: "catalog-1", text: "As soon as possible, please.", items: [{ productRetailerId: "sku-1", quantity: 2, itemPrice: 9.5, currency: "EUR" }] };
const referral = { sourceUrl: "https://example.com/summer", sourceId: "1201", sourceType: "ad", headline: "Summer sale", body: "Everything must go", mediaType: "image" };
export const PLACE: Said = { type: "location", location: { latitude: 52.521918, longitude: 13.413215, name: "Alexanderplatz", address: "10178 Berlin" } };

export const KINDS: Kind[] = [
  { label: "Location", about: "Alexanderplatz in Berlin", make: () => PLACE },
  {
    label: "Contact card",
    about: "Ada Lovelace with a phone number",
    make: () => ({ type: "contacts", contacts: [{ name: { formattedName: "Ada Lovelace", firstName: "Ada" }, phones: [{ phone: "+12015550188" }] }] }),
  },
  {
    label: "Reaction",
    about: "👍 to the last message of the app",
    make: (last) => last && { type: "reaction", reaction: { messageId: last.id, emoji: "👍" } },
  },
  {
    label: "Reply",
    about: "A text that quotes the last message of the app",
    make: (last) => last && { type: "text", text: { body: "Yes, that is right." }, replyTo: last.id },
  },
  { label: "Order", about: "Two of a product from a catalog", make: () => ({ type: "order", order }) },
  {
    label: "Text from an advertisement",
    about: "The first message of a user who tapped an ad",
    make: () => ({ type: "text", text: { body: "I saw your advertisement." }, referral }),
  },
  { label: "Unsupported message", about: "A kind that WhatsApp does not pass on", make: () => ({ type: "unsupported" }) },
];

// What the API's values for templates mean, and what to do.
import type { ButtonType, HeaderFormat, Layout, OtpType } from "./draft";

/** What a status means, and what can be done. Others speak for themselves. */
const STATUS: Record<string, string> = {
  APPROVED: "It can be sent.",
  PENDING: "WhatsApp is reviewing it. It can be sent once it is approved.",
  IN_APPEAL: "WhatsApp is reviewing an appeal against its rejection.",
  REJECTED: "WhatsApp rejected it. Edit it, and WhatsApp reviews it again.",
  PAUSED: "WhatsApp paused it because recipients blocked or reported it. It becomes available again on its own. Edit it to have it reviewed again.",
  DISABLED: "WhatsApp disabled it because it was paused too often. Create another template.",
  ARCHIVED: "It was archived and cannot be sent.",
  LIMIT_EXCEEDED: "The account has more templates than WhatsApp allows. Delete some that are no longer used.",
  PENDING_DELETION: "WhatsApp is deleting it.",
  DELETED: "It was deleted at WhatsApp.",
};

/** WhatsApp's reasons for a rejection. */
const REASON: Record<string, string> = {
  INVALID_FORMAT: "Frequent causes: variables stand next to each other, are not numbered in order, or contain special characters.",
  ABUSIVE_CONTENT: "Its content violates WhatsApp's policies. Rewrite it.",
  INCORRECT_CATEGORY: "Its category does not fit its content. Choose the other category.",
  PROMOTIONAL: "It advertises something, so it needs the category Marketing.",
  TAG_CONTENT_MISMATCH: "Its language or category does not fit its content. Correct one of them.",
  SCAM: "WhatsApp considers it fraudulent. Do not ask for passwords, card numbers or other sensitive data.",
  NONE: "WhatsApp gave no reason.",
};

export const meaningOf = (status: string): string | undefined => STATUS[status];
export const reasonOf = (reason: string | undefined): string | undefined => (reason ? REASON[reason.toUpperCase()] : undefined);

export const EDITABLE = ["APPROVED", "REJECTED", "PAUSED"];
export const FILTERS = ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"];

export const FORMATS: Record<HeaderFormat, string> = {
  NONE: "None",
  TEXT: "Text",
  IMAGE: "Image",
  VIDEO: "Video",
  GIF: "Animated GIF",
  DOCUMENT: "Document",
  LOCATION: "Location",
  PRODUCT: "Product",
};

export const LAYOUTS: Record<Layout, string> = {
  PLAIN: "Standard",
  CAROUSEL: "Carousel of cards",
  OFFER: "Limited-time offer",
  CATALOG: "Catalog",
  PRODUCTS: "Several products",
  PRODUCT: "One product",
};

export const BUTTONS: Record<ButtonType, string> = {
  QUICK_REPLY: "Quick reply",
  URL: "Website",
  PHONE_NUMBER: "Phone number",
  COPY_CODE: "Copy code",
  FLOW: "Flow",
  VOICE_CALL: "WhatsApp call",
  CATALOG: "View catalog",
  MPM: "View items",
  SPM: "View product",
};

export const OTP: Record<OtpType, string> = {
  COPY_CODE: "Copy the code",
  ONE_TAP: "Fill it in with one tap",
  ZERO_TAP: "Fill it in without a tap",
};

/** What a header's example file can be. */
export const FILES: Partial<Record<HeaderFormat, { accept: string; says: string }>> = {
  IMAGE: { accept: "image/jpeg,image/png", says: "JPEG or PNG, at most 5 MiB." },
  VIDEO: { accept: "video/mp4", says: "MP4, at most 16 MiB." },
  GIF: { accept: "video/mp4", says: "MP4, at most 3.5 MiB. WhatsApp may refuse it in messages through its Cloud API." },
  DOCUMENT: { accept: "application/pdf", says: "PDF, at most 16 MiB." },
};

export const LANGUAGES: [string, string][] = [
  ["ar", "Arabic"], ["bn", "Bengali"], ["zh_CN", "Chinese (China)"], ["zh_HK", "Chinese (Hong Kong)"], ["zh_TW", "Chinese (Taiwan)"], ["cs", "Czech"], ["da", "Danish"],
  ["nl", "Dutch"], ["en", "English"], ["en_GB", "English (UK)"], ["en_US", "English (US)"], ["fi", "Finnish"], ["fr", "French"], ["de", "German"], ["el", "Greek"], ["he", "Hebrew"],
  ["hi", "Hindi"], ["hu", "Hungarian"], ["id", "Indonesian"], ["it", "Italian"], ["ja", "Japanese"], ["ko", "Korean"], ["ms", "Malay"], ["nb", "Norwegian"], ["fa", "Persian"],
  ["pl", "Polish"], ["pt_BR", "Portuguese (Brazil)"], ["pt_PT", "Portuguese (Portugal)"], ["ro", "Romanian"], ["ru", "Russian"], ["es", "Spanish"], ["es_AR", "Spanish (Argentina)"],
  ["es_MX", "Spanish (Mexico)"], ["es_ES", "Spanish (Spain)"], ["sw", "Swahili"], ["sv", "Swedish"], ["th", "Thai"], ["tr", "Turkish"], ["uk", "Ukrainian"], ["ur", "Urdu"], ["vi", "Vietnamese"],
];

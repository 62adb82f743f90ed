// The fields of each type of button.
import type { Button, ButtonType } from "./draft";

export interface ButtonField {
  name: Exclude<keyof Button, "id" | "type">;
  label: string;
  hint: string;
  limit: number;
}

const TEXT: ButtonField = { name: "text", label: "Text", hint: "", limit: 25 };
const FIXED: ButtonField = { ...TEXT, hint: "WhatsApp fixes this text. In languages other than English, write WhatsApp's translation." };

export const BUTTON_FIELDS: Record<ButtonType, ButtonField[]> = {
  QUICK_REPLY: [TEXT],
  URL: [
    TEXT,
    { name: "url", label: "Address", hint: "https://…, with at most one variable {{1}} at its end.", limit: 2000 },
    { name: "example", label: "Example address", hint: "The whole address, with a value for the variable.", limit: 2000 },
  ],
  PHONE_NUMBER: [TEXT, { name: "phone_number", label: "Phone number", hint: "With the country's code, such as +12015550123.", limit: 20 }],
  COPY_CODE: [{ name: "example", label: "Code", hint: "An example. Each message has a code of its own.", limit: 15 }],
  FLOW: [
    TEXT,
    { name: "flow_id", label: "Flow id", hint: "WhatsApp's id of the flow.", limit: 200 },
    { name: "navigate_screen", label: "First screen", hint: "Optional.", limit: 200 },
  ],
  VOICE_CALL: [TEXT],
  CATALOG: [FIXED],
  MPM: [FIXED],
  SPM: [FIXED],
};

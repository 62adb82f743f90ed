import { Messaging } from "@messaging-api/client";

const admin = new Messaging({ apiKey: process.env.ADMIN_KEY });
// snippet
import { InvalidRequestError } from "@messaging-api/client";

try {
  await admin.organization.phoneNumbers.create({ number: "0151 123456" });
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error;
  console.log(error.code, error.param, error.message);
}

import { Messaging } from "@messaging-api/client";

const admin = new Messaging({ apiKey: process.env.ADMIN_KEY });
const settings = await admin.organization.settings.get();
console.log(settings.name, settings.messageRetentionDays);

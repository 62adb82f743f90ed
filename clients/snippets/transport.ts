import { Messaging, type Clock, type Fetch } from "@messaging-api/client";

const sent: string[] = [];
const fetch: Fetch = async (_url, { body }) => {
  sent.push(String(body));
  if (sent.length === 1) return Response.json({ message: "Service Unavailable" }, { status: 503 });
  return Response.json({ id: "msg_sms_1", outcome: "PENDING" }, { status: 202 });
};

let time = 1_800_000_000_000;
const sleep = async (milliseconds: number) => void (time += milliseconds);
const clock: Clock = { now: () => time, random: () => 0.5, sleep };

const tested = new Messaging({ apiKey: "k", baseUrl: "https://api.example.com", fetch, clock });
const sms = await tested.sms.send({ from: "ph_1", to: "+12025550123", text: "Hello!", queue: true });
console.log(sms.outcome, "after", sent.length, "requests");

import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = "+12015550123";
const items = [{ productRetailerId: "sku-1", quantity: 2, itemPrice: 9.5, currency: "EUR" }];
const order = await client.playground.chat.simulateInbound({
  from, profileName: "Ann", type: "order", order: { catalogId: "c-1", items },
});
const reaction = { messageId: order.id, emoji: "🎉" };
const reacted = await client.playground.chat.simulateInbound({ from, type: "reaction", reaction });
console.log(order.type, reacted.type);

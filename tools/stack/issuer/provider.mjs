// An identity provider for the local stack and the tests: the certified oidc-provider, with pages on which anybody signs in by
// typing an address. node provider.mjs PORT REDIRECT_URL; the client's secret is in CLIENT_SECRET.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The package lies where the tools are, not beside this file.
const { resolve } = createRequire(`${process.env.TOOLS}/package.json`);
const { default: Provider } = await import(pathToFileURL(resolve("oidc-provider")));

const [port, redirect] = process.argv.slice(2);
const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: "local-stack",
      client_secret: process.env.CLIENT_SECRET,
      redirect_uris: [redirect],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  // The account is the address. One that begins with `unverified` is not verified.
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: !id.startsWith("unverified") }),
  }),
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  // As all large providers do, with the address in the id token.
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: true } },
  cookies: { keys: [process.env.CLIENT_SECRET] },
});
createServer(provider.callback()).listen(Number(port), "localhost");

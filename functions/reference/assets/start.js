// Renders the OpenAPI document. The options keep the renderer from loading anything from other hosts.
const target = document.querySelector("#reference");
const { document: path, docs, api } = target.dataset;
// The address that the page came from. "Test request" uses it, unless it is the documentation's own address.
const base = new URL(".", location.href).href.replace(/\/$/, "");
Scalar.createApiReference(target, {
  url: new URL(path, location.href).href,
  servers: [{ url: docs === base ? api : base }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: true,
});

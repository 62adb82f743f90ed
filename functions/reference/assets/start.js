// Renders the OpenAPI document. The options keep the renderer from loading anything from other hosts.
const target = document.querySelector("#reference");
Scalar.createApiReference(target, {
  url: new URL(target.dataset.document, location.href).href,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: true,
});

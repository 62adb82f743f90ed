// Finds imports without a file ending as bundlers do: `./hey` is hey/index.ts, `./client.gen` is client.gen.ts.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, nextResolve) {
    const endings = specifier.startsWith(".") ? [".ts", "/index.ts"] : [];
    const found = endings.find((ending) => existsSync(new URL(specifier + ending, context.parentURL)));
    return nextResolve(specifier + (found ?? ""), context);
  },
});

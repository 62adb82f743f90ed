import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { operations } from "./operations.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // The local stack has a path prefix, so no address starts with a slash.
  base: "./",
  publicDir: false,
  // The library is built in from its sources: the console cannot lag behind the API.
  resolve: { alias: { messaging: here("../clients/typescript/src/index.ts") } },
  plugins: [operations(), svelte()],
  experimental: {
    // The page is `<prefix>/console`, and its files are `<prefix>/console/<file>`.
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `./console/${file}` : { relative: true }),
  },
  build: {
    target: "es2022",
    // tools/stack/console.py names the folder; this is for people who run `vite build` themselves.
    outDir: here("../target/console/by-hand"),
    emptyOutDir: true,
    // Files are in one folder, and the policy of the page allows neither scripts nor styles in it.
    assetsDir: "",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One style sheet, and one file with what screens share: a screen is one request more.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } } },
    // tools/ci/console/sources.py measures what the manifest lists.
    manifest: true,
    // The licences of what is in the bundle, as they must be shipped with it.
    license: { fileName: "licences.txt" },
    // Sizes are checked compressed, by the tool.
    reportCompressedSize: false,
  },
});

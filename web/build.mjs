// Builds the pages: of each one script and one style, with nothing in them that depends on the machine or the day.
import { build } from "esbuild";

const target = process.argv[2] ?? "../src/wherefrom/web/static";
const shared = { bundle: true, minify: true, charset: "utf8", legalComments: "none", target: "es2022", logLevel: "warning" };
await build({
  ...shared,
  entryPoints: ["src/main.tsx"],
  outfile: `${target}/explorer.js`,
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
});
// The playground, with the editor; its own worker, and the font of its icons.
await build({
  ...shared,
  entryPoints: ["src/playground.tsx"],
  outfile: `${target}/playground.js`,
  legalComments: "eof",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".ttf": "file" },
  assetNames: "playground",
});
await build({
  ...shared,
  entryPoints: ["monaco-editor/editor/editor.worker.js"],
  outfile: `${target}/playground.worker.js`,
  format: "iife",
});
await build({ ...shared, entryPoints: ["src/style.css"], outfile: `${target}/explorer.css` });

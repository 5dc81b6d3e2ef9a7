// Bundles the editor for the test, into the directory that is named: build.mjs TARGET
import { build } from "esbuild";

const outdir = process.argv[2];
const shared = { bundle: true, format: "esm", target: "es2022", logLevel: "warning", outdir };
await build({ ...shared, entryPoints: { client: "client.ts" }, splitting: false, loader: { ".ttf": "dataurl", ".svg": "dataurl", ".png": "dataurl", ".wasm": "file", ".mp3": "empty", ".html": "empty" } });
await build({ ...shared, format: "iife", entryPoints: { worker: "@codingame/monaco-vscode-editor-api/esm/vs/editor/editor.worker.js" } });

// The licences of what a bundle is made of: notices.mjs FOLDER TARGET, where FOLDER has package-lock.json, installed.
// Every package that is not for building alone has its own text there, with the notices of what it contains in turn.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, target] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const parts = ["Third-party notices\n\nThis product contains the following packages, each under its own licence.\n"];
for (const [place, entry] of Object.entries(packages)) {
  if (!place || entry.dev) continue;
  const files = readdirSync(join(folder, place)).filter((name) => /^(licen[cs]e|copying|notice|third-?party-?notices)/i.test(name));
  if (!files.some((name) => /^(licen[cs]e|copying)/i.test(name))) throw new Error(`${place} has no text of its licence`);
  const title = `${place.split("node_modules/").pop()} ${entry.version} (${entry.license})`;
  parts.push(`${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n`);
  for (const name of files.sort()) {
    const text = readFileSync(join(folder, place, name), "utf8").replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    parts.push(`${text.replace(/[ \t]+$/gm, "").trim()}\n`);
  }
}
writeFileSync(target, parts.join("\n"));

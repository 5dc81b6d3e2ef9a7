// What is on the page: resources of a catalog, or the composites of a value, as one list of items with attributes.
import type { GraphDocument, Json, Leaf, Place } from "./data";

export interface Attribute {
  name: string;
  path: string;
  value: Json;
}

export interface Item extends Place {
  path: string;
  label: string;
  type: string;
  container: string | null;
  children: Item[];
  attributes: Attribute[];
  /** Everything that a search looks at, in lower case. */
  words: string;
}

export interface Model {
  items: Item[];
  roots: Item[];
  byPath: Map<string, Item>;
  types: Map<string, Item[]>;
  graph: GraphDocument | null;
}

interface Catalog {
  resources: { type: string; title: string; file?: string; line?: number; parameters?: Record<string, Json> }[];
}

/** Before the path of a resource: the content of the file that it points at. */
const CONTENT = "content of ";

export function catalogModel(catalog: Catalog, graph: GraphDocument, contents: { path: string; value: Json }[] = []): Model {
  const resources = new Map(catalog.resources.map((resource) => [`${resource.type}[${resource.title}]`, resource]));
  const items = graph.nodes.map((node): Item => {
    const resource = resources.get(node.name);
    const attributes = Object.entries(resource?.parameters ?? {}).map(([name, value]) => ({
      name,
      path: `${node.name}.${name}`,
      value,
    }));
    return {
      path: node.name,
      label: node.name,
      type: node.name.slice(0, node.name.indexOf("[")),
      container: node.container,
      children: [],
      attributes,
      file: node.file ?? resource?.file,
      line: node.line ?? resource?.line,
      column: node.column,
      words: "",
    };
  });
  const byName = new Map(items.map((item) => [item.path, item]));
  for (const { path, value } of contents) {
    const whose = path.slice(CONTENT.length);
    let end = whose.length;
    while (end > 0 && !byName.has(whose.slice(0, end))) end = whose.lastIndexOf("/", end - 1);
    byName.get(whose.slice(0, end))?.attributes.push({ name: `content${whose.slice(end)}`, path, value });
  }
  return finished(items, graph);
}

/** The items of a value: its composites, each with the values right below it. */
export function valueModel(outputs: { path: string; value: Json }[], language: string): Model {
  const items = new Map<string, Item>();
  const seen = new Set<string>();
  const item = (path: string, label: string, container: string | null): Item => {
    let known = items.get(path);
    if (!known) {
      known = { path, label, type: "set", container, children: [], attributes: [], words: "" };
      items.set(path, known);
    }
    return known;
  };
  for (const output of outputs) {
    const steps = stepsOf(output.path, language);
    let around: Item = item("", "the value", null);
    steps.forEach((step, at) => {
      const last = at === steps.length - 1;
      if (!seen.has(step.path)) {
        seen.add(step.path);
        around.attributes.push({ name: step.name, path: step.path, value: last ? output.value : undefined! });
      }
      if (!last) around = item(step.path, step.name, around.path);
    });
  }
  for (const composite of [...items.values()].reverse()) {
    const names = composite.attributes.map((attribute) => attribute.name);
    composite.type = names.length && names.every((name, at) => name === `[${at}]`) ? "list" : "set";
    for (const attribute of composite.attributes) {
      const inner = items.get(attribute.path);
      if (attribute.value === undefined && inner) attribute.value = valueOf(inner);
    }
  }
  return finished([...items.values()], null);
}

function valueOf(item: Item): Json {
  if (item.type === "list") return item.attributes.map((attribute) => attribute.value);
  return Object.fromEntries(item.attributes.map((attribute) => [attribute.name, attribute.value]));
}

function stepsOf(path: string, language: string): { name: string; path: string }[] {
  const pattern = language === "nix" ? /\.?("(?:[^"\\]|\\.)*"|[^."[\]]+)|(\[\d+\])/g : /:?([^:]+)/g;
  return [...path.matchAll(pattern)].map((step) => ({
    name: step[1] ?? step[2] ?? "",
    path: path.slice(0, step.index + step[0].length),
  }));
}

function finished(items: Item[], graph: GraphDocument | null): Model {
  const byPath = new Map(items.map((item) => [item.path, item]));
  const roots: Item[] = [];
  const types = new Map<string, Item[]>();
  for (const item of items) {
    const container = item.container === null ? undefined : byPath.get(item.container);
    (container ? container.children : roots).push(item);
    const same = types.get(item.type);
    if (same) same.push(item);
    else types.set(item.type, [item]);
    const values = item.attributes.map(({ name, value }) => `${name}\n${typeof value === "string" ? value : JSON.stringify(value)}`);
    item.words = `${item.path}\n${item.file ?? ""}\n${values.join("\n")}`.toLowerCase();
  }
  return { items, roots, byPath, types: new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1))), graph };
}

/** The item that a path is about, and the attribute, if it names one. */
export function located(model: Model, path: string): { item: Item; attribute: Attribute | null } | null {
  const item = model.byPath.get(path);
  if (item) return { item, attribute: null };
  if (path.startsWith(CONTENT)) {
    for (const owner of model.types.get("File") ?? []) {
      const attribute = owner.attributes.find((each) => each.path === path);
      if (attribute) return { item: owner, attribute };
    }
  }
  // The longest item that the path begins with: titles may hold dots and brackets.
  let best: Item | null = null;
  for (let end = path.length - 1; end > 0 && !best; end--) {
    if (".[:".includes(path[end] ?? "")) best = model.byPath.get(path.slice(0, end)) ?? null;
  }
  best ??= model.byPath.get("") ?? null;
  if (!best) return null;
  const attribute = best.attributes.find((each) => path === each.path || isBelow(path, each.path)) ?? null;
  return attribute || !model.byPath.has("") ? { item: best, attribute } : null;
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && ".[:".includes(path[above.length] ?? " ");
}

/** Items in which all words of a search occur; of a file of a machine with a line of it, the file. */
export function searched(items: Item[], text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return items;
  const files = words.map((word) => word.replace(/^(.*\/.*):\d+$/, "$1"));
  return items.filter((item) => words.every((word, at) => item.words.includes(word) || item.words.includes(files[at]!)));
}

/** A path as it stands in an address, and the line of a text that is asked for: `File[/etc/motd] line 3`. */
export function withoutLine(path: string): { path: string; line?: string } {
  const shape = /^(.*) line (\d+)$/s.exec(path);
  return shape ? { path: shape[1]!, line: shape[2]! } : { path };
}

// --- words -----------------------------------------------------------------------------------------------------------

export function shown(value: Json | undefined, limit = 120): string {
  const text = value === undefined ? "" : JSON.stringify(value) ?? "";
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

export function placeText(place: Place): string {
  if (!place.file) return "";
  return place.line ? `${lastName(place.file)}:${place.line}` : lastName(place.file);
}

/** The same with the directory: levels of data often have files of the same name. */
export function longPlaceText(place: Place): string {
  const name = (place.file ?? "").split("/").slice(-2).join("/");
  return place.line ? `${name}:${place.line}` : name;
}

/** Enough of a name to know the file by. */
export function lastName(file: string): string {
  return file.split("/").slice(-1)[0] ?? file;
}

export function leafName(leaf: Leaf): string {
  if (leaf.kind === "literal") return (leaf.text ?? shown(leaf.value)).split("\n")[0]!.slice(0, 60) || "''";
  if (leaf.kind === "hiera") return `data ${leaf.key ?? ""}`;
  if (leaf.kind === "node") return "node name";
  return `${leaf.kind} ${leaf.name ?? ""}`.trim();
}

/** An input as `wherefrom impact` names it. */
export function leafTarget(leaf: Leaf): string {
  if (leaf.kind === "literal" || leaf.kind === "reference" || leaf.kind === "option") return `${leaf.file}:${leaf.line}:${leaf.column}`;
  if (leaf.kind === "hiera") return `hiera:${leaf.key ?? ""}`;
  return `${leaf.kind}:${leaf.name ?? ""}`;
}

export function leafKey(leaf: Leaf): string {
  return [leaf.kind, leaf.name ?? leaf.key ?? "", leaf.file ?? "", leaf.line ?? "", leaf.column ?? ""].join("\n");
}

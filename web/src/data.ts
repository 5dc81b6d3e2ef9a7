// Where answers come from: the server that sent the page, or the page itself, if it is a report.
// Both give the same documents; nothing else in the page knows which it is.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A place in a source, as far as one is known. */
export interface Place {
  file?: string;
  line?: number;
  column?: number;
}

/** An input: a literal, a fact, a datum of Hiera, the node's name, ... */
export interface Leaf extends Place {
  kind: string;
  name?: string;
  key?: string;
  text?: string;
  value?: Json;
  absent?: boolean;
  detail?: string;
}

export interface Hand extends Place {
  how: string;
}

export interface Decision extends Place {
  text: string;
  depends: Leaf[];
}

export interface Rung extends Place {
  layer: string;
  level: string;
  status: string;
  value?: Json;
  because?: Leaf[];
  message?: string;
}

export interface Definition {
  status: string;
  priority: number;
  words?: string;
  order?: number;
  order_words?: string;
  via?: string;
  place?: Place;
  value?: Json;
  text?: string;
  conditions?: { text: string; value: Json; place?: Place; rests_on?: ({ option: string; value: Json } & Place)[] }[];
}

export interface Option {
  path: string;
  type?: string;
  description?: string;
  declarations?: Place[];
  definitions: Definition[];
  parts?: ({ key: string | number; value: Json; definitions: number[] } & Place)[];
}

export type Term = Leaf | { op: string; args: Term[]; keys?: string[]; elided?: boolean };

export interface Explanation {
  path: string;
  value: Json;
  where: Leaf | null;
  expression: Term;
  depends: Leaf[];
  chain: Hand[];
  hidden: ({ value: Json; why: string } & Place)[];
  by?: string;
  guards?: (Hand & { depends: Leaf[] })[];
  order?: ({ key: string; because: Hand[] } & Place)[];
  decisions?: Decision[];
  passed?: Place & { text: string };
  template?: Place & { text: string };
  from?: Leaf[];
  ladder?: Rung[];
  changes_with?: { inputs: string[]; literals: Leaf[]; names: number };
  option?: Option;
  options?: { path: string; value: Json; definitions: (Place & { words: string })[] }[];
  folded?: { steps: number; inputs: number };
  error?: Json;
}

export interface Fragment extends Place {
  text: string;
  kind: string;
  where?: Leaf;
  formula?: string;
  depends: Leaf[];
}

export interface Impact {
  inputs: Leaf[];
  affected: { path: string; value: Json }[];
  unaffected: number;
  known?: boolean;
}

export interface Proposal {
  kinds: string[];
  sets: string[];
  files: { file: string; new: boolean; lines: { sign: string; line: number; text: string }[] }[];
  patch: string;
  changes: { path: string }[];
  nodes: { node: string; changes: { path: string }[] }[];
  broken: { node: string; message: string }[];
}

/** What an output should be, and edits that make it so. */
export interface Wishes {
  wishes: { path: string; value: Json; wanted?: Json }[];
  proposals: Proposal[];
  obstacles: { what: string; because: string }[];
}

export interface Edit {
  before: string[];
  after: string[];
  before_place: string;
  after_place: string;
}

export interface Difference {
  path: string;
  change: "added" | "removed" | "changed" | "order";
  before?: Json;
  after?: Json;
  edits: Edit[];
  definition?: string;
}

export interface GraphDocument {
  nodes: ({ name: string; container: string | null } & Place)[];
  arrows: ({ source: string; target: string; kind: "before" | "notify" } & Place)[];
  cycles: string[][];
}

/** First and last place of something, from 1; the last column is behind it. */
export interface Extent {
  line: number;
  column: number;
  last_line: number;
  last_column: number;
}

/** The expression at a place of a source, and what it gave; without values, none ran there. */
export interface At extends Extent {
  text: string;
  count: number;
  distinct: number;
  values: { value: string; count: number; in: string; words: string }[];
}

/** A line or an edit of a fleet, with how many nodes and outputs it touches. */
export interface Bar {
  label: string;
  nodes: number;
  outputs: number;
  words: string;
}

export interface Fleet {
  reach: { nodes: number; lines: number; bars: Bar[]; sharing: { nodes: number; lines: number }[] };
  causes?: { nodes: number; changed: number; causes: number; bars: Bar[] };
}

export interface Subject {
  title: string;
  nodes: string[];
  node: string | null;
  since?: string;
  language: "puppet" | "smartfrog" | "nix" | null;
  fleet?: boolean;
  playground?: boolean;
}

export interface Problem extends Place {
  severity: string;
  message: string;
  help?: string;
  end_line?: number;
  end_column?: number;
}

/** A question that was refused: what is wrong with the configuration, or with the question. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly document: { error?: string; text?: string; problems?: Problem[] },
  ) {
    super(document.error ?? "no answer");
  }
}

export type Asked = Record<string, string | undefined>;

type Packed = { pieces: Json[]; answers: Record<string, { ok?: Json; status?: number; refusal?: object }> };

export class Documents {
  private known = new Map<string, Promise<unknown>>();
  private packed: Packed | null = null;
  /** How long the last answer to each question took, in milliseconds. */
  readonly timings: Record<string, number> = {};

  /** Documents for this page: unpacked from it, if it is a report. */
  static async open(): Promise<Documents> {
    const documents = new Documents();
    const element = document.getElementById("documents");
    if (element) {
      documents.packed = await unpacked(element.textContent ?? "");
      element.remove();
    }
    return documents;
  }

  /** Whether everything is inside of the page. */
  get embedded(): boolean {
    return this.packed !== null;
  }

  ask<T>(question: string, asked: Asked = {}): Promise<T> {
    const pairs = given(asked);
    const key = keyOf(question, pairs);
    let answer = this.known.get(key);
    if (!answer) {
      answer = this.packed ? this.lookup(key) : this.fetched(question, pairs);
      this.known.set(key, answer);
      answer.catch(() => this.known.delete(key));
    }
    return answer as Promise<T>;
  }

  /** Ask about texts that are too long for an address; such answers are not kept. */
  async send<T>(question: string, asked: Asked): Promise<T> {
    const response = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(Object.fromEntries(given(asked))),
    });
    const document = await response.json();
    if (!response.ok) throw new Refused(response.status, document);
    return document as T;
  }

  /** Whether the report has an answer to this. */
  has(question: string, asked: Asked = {}): boolean {
    if (!this.packed) return true;
    return keyOf(question, given(asked)) in this.packed.answers;
  }

  /** The report's own answer, at once. */
  inside<T>(question: string, asked: Asked): T | undefined {
    const answer = this.packed?.answers[keyOf(question, given(asked))]?.ok;
    return answer === undefined ? undefined : (this.whole(answer) as T);
  }

  forget(): void {
    this.known.clear();
  }

  private async lookup(key: string): Promise<unknown> {
    const answer = this.packed!.answers[key];
    if (!answer) throw new Refused(404, { error: "this report has no answer to that: `wherefrom serve` has" });
    if (answer.refusal) throw new Refused(answer.status ?? 422, answer.refusal);
    return this.whole(answer.ok as Json);
  }

  /** A document with the shared pieces put back. */
  private whole(document: Json): Json {
    if (Array.isArray(document)) return document.map((item) => this.whole(item));
    if (document === null || typeof document !== "object") return document;
    const keys = Object.keys(document);
    if (keys.length === 1 && keys[0] === "$") return this.packed!.pieces[document["$"] as number] as Json;
    return Object.fromEntries(keys.map((key) => [key, this.whole(document[key] as Json)]));
  }

  private async fetched(question: string, pairs: [string, string][]): Promise<unknown> {
    const began = performance.now();
    const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const response = await fetch(`api/${question}${query ? `?${query}` : ""}`);
    const document = await response.json();
    this.timings[question] = performance.now() - began;
    if (!response.ok) throw new Refused(response.status, document);
    return document;
  }
}

/** The parameters that are given, in the order in which a report names them. */
function given(asked: Asked): [string, string][] {
  const pairs = Object.entries(asked).filter((pair): pair is [string, string] => !!pair[1]);
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

function keyOf(question: string, pairs: [string, string][]): string {
  return [question, ...pairs.map(([name, value]) => `${name}=${value}`)].join("\n");
}

async function unpacked(text: string): Promise<Packed> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// What every view needs: the documents, what they are about, and the input whose impact is shown.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Asked, type Documents, type Explanation, type Impact, type Leaf, Refused, type Subject } from "./data";
import { leafTarget, type Model } from "./model";

export interface Lit {
  input: string;
  document: Impact;
  /** The attributes that have something in them that may change, and the items that have one. */
  attributes: Set<string>;
  items: Set<string>;
}

export interface Shared {
  documents: Documents;
  subject: Subject;
  node: string;
  model: Model;
  /** Grows when files have changed. */
  version: number;
  impactMode: boolean;
  lit: Lit | null;
  inputs: Leaf[];
  /** What a click on an input does: show its impact. */
  pick: (input: string) => void;
}

export const Context = createContext<Shared>(null!);

export function useShared(): Shared {
  return useContext(Context);
}

export interface Answer<T> {
  value?: T;
  problem?: Refused;
  waiting: boolean;
}

/** The answer to a question, asked again when the question or a file changes. */
export function useAnswer<T>(question: string | null, asked: Asked = {}): Answer<T> {
  const { documents, node, version } = useShared();
  const [answer, setAnswer] = useState<Answer<T>>({ waiting: true });
  const key = JSON.stringify([question, asked, node, version]);
  useEffect(() => {
    if (question === null) {
      setAnswer({ waiting: false });
      return;
    }
    let current = true;
    setAnswer((before) => ({ ...before, waiting: true }));
    documents.ask<T>(question, { node, ...asked }).then(
      (value) => current && setAnswer({ value, waiting: false }),
      (problem: unknown) => current && setAnswer({ problem: refused(problem), waiting: false }),
    );
    return () => {
      current = false;
    };
  }, [key]);
  return answer;
}

export function refused(problem: unknown): Refused {
  if (problem instanceof Refused) return problem;
  return new Refused(0, { error: "the server does not answer; is `wherefrom serve` still running?" });
}

/** The impact of an input. In a report it is read off the explanations, which name every input of every output. */
export async function impactOf(documents: Documents, node: string, input: string): Promise<Impact> {
  if (!documents.embedded) return documents.ask<Impact>("impact", { node, input });
  const affected: Impact["affected"] = [];
  const inputs = new Map<string, Leaf>();
  let unaffected = 0;
  const { outputs } = await documents.ask<{ outputs: { path: string }[] }>("outputs", { node });
  for (const { path } of outputs) {
    const explanation = documents.inside<Explanation>("explain", { node, path });
    if (!explanation) continue;
    const hits = explanation.depends.filter((leaf) => names(input, leaf));
    for (const leaf of hits) inputs.set(JSON.stringify(leaf), leaf);
    if (hits.length) affected.push({ path: explanation.path, value: explanation.value });
    else unaffected++;
  }
  return { inputs: [...inputs.values()], affected, unaffected, ...(affected.length ? {} : { known: false }) };
}

/** Whether an input as one asks for it names this one: itself, a part of it, or a whole that it is part of. */
function names(input: string, leaf: Leaf): boolean {
  const target = leafTarget(leaf);
  if (target === input) return true;
  if (leaf.kind === "literal" || leaf.kind === "reference") return false;
  const kind = input.slice(0, input.indexOf(":"));
  const name = input.slice(input.indexOf(":") + 1);
  const own = target.slice(target.indexOf(":") + 1);
  if (kind === "node" && leaf.kind === "trusted") return ["", "certname", "hostname", "domain"].includes(own.split(".")[0]!);
  if (kind !== (leaf.kind === "hiera" ? "hiera" : leaf.kind)) return false;
  return !name || !own || isPart(own, name) || isPart(name, own);
}

function isPart(name: string, whole: string): boolean {
  return name.startsWith(`${whole}.`) || name.startsWith(`${whole}[`);
}

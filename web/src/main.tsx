// The page: what is shown, where the reader is in it, and what lights up.
import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Catalog } from "./catalog";
import { Context, type Lit, impactOf, refused, type Shared } from "./context";
import { Documents, type GraphDocument, type Json, type Leaf, type Place, type Refused, type Subject } from "./data";
import { DiffView } from "./diff";
import { FleetView } from "./fleet";
import { GraphView } from "./graph";
import { ImpactView, InputsView } from "./impact";
import { catalogModel, located, type Model, valueModel, withoutLine } from "./model";
import { Navigator } from "./navigator";
import { go, goNode, hashOf, useRoute, type View } from "./state";
import { StepsView } from "./steps";
import { Story } from "./story";
import { Trouble } from "./words";

const LOOK_EVERY = 1000;
const MANY = 2000;

interface Loaded {
  node: string;
  model: Model;
  inputs: Leaf[];
}

const EMPTY: Model = { items: [], roots: [], byPath: new Map(), types: new Map(), graph: null };

async function load(documents: Documents, subject: Subject, node: string): Promise<Loaded> {
  if (subject.language === "puppet") {
    const [catalog, graph, { contents }] = await Promise.all([
      documents.ask<Parameters<typeof catalogModel>[0]>("compile", { node }),
      documents.ask<GraphDocument>("graph", { node }),
      documents.ask<{ contents: { path: string; value: Json }[] }>("contents", { node }),
    ]);
    return { node, model: catalogModel(catalog, graph, contents), inputs: [] };
  }
  const { outputs } = await documents.ask<{ outputs: { path: string; value: Json }[] }>("outputs", { node });
  return { node, model: valueModel(outputs, subject.language ?? ""), inputs: [] };
}

function App({ documents, first }: { documents: Documents; first: Subject }) {
  const route = useRoute();
  const [subject, setSubject] = useState(first);
  const node = route.node || subject.node || "";
  const [version, setVersion] = useState(0);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [query, setQuery] = useState("");
  const [mode, setMode] = useState(false);
  const [lit, setLit] = useState<Lit | null>(null);
  const [at, setAt] = useState<Place | null>(null);
  const [path, setPath] = useState(route.view === "catalog" ? withoutLine(route.rest).path : "");
  const search = useRef<HTMLInputElement>(null);
  const help = useRef<HTMLDialogElement>(null);

  // What is shown, again whenever the node or a file changes.
  useEffect(() => {
    let current = true;
    load(documents, subject, node).then(
      (result) => {
        if (!current) return;
        setLoaded(result);
        setProblem(null);
        performance.mark("wherefrom-shown");
      },
      (reason: unknown) => current && setProblem(refused(reason)),
    );
    return () => {
      current = false;
    };
  }, [subject, node, version]);

  // All inputs: at once where that is quick, else when they are wanted.
  const wanted = loaded !== null && (mode || route.view === "inputs" || route.view === "diff" || loaded.model.items.length < MANY);
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    documents.ask<{ inputs: Leaf[] }>("inputs", { node }).then(
      ({ inputs }) => current && setLoaded((before) => before && { ...before, inputs }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [wanted, loaded?.model, node]);

  // Live: look now and then whether a file has changed.
  useEffect(() => {
    if (documents.embedded) return;
    let seen: number | null = null;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        const state = (await (await fetch("api/state")).json()) as { version: number };
        if (seen !== null && state.version !== seen) {
          documents.forget();
          setSubject(await documents.ask<Subject>("subject"));
          setVersion(state.version);
        }
        seen = state.version;
      } catch {
        // the server is gone; the next question says so
      }
    }, LOOK_EVERY);
    return () => clearInterval(timer);
  }, []);

  // The impact of the input in the address.
  const input = route.view === "impact" ? route.rest : "";
  const model = loaded?.model ?? EMPTY;
  useEffect(() => {
    if (route.view === "impact") setMode(true);
    if (!input || !loaded) return;
    let current = true;
    impactOf(documents, node, input).then(
      (document) => {
        if (!current) return;
        const attributes = new Set<string>();
        const items = new Set<string>();
        for (const { path: each } of document.affected) {
          const place = located(model, each);
          if (place?.attribute) attributes.add(place.attribute.path);
          // A resource does not change with what it contains; a composite value does.
          for (let item = place?.item; item && !items.has(item.path); item = model.byPath.get(item.container ?? "\0")) {
            items.add(item.path);
            if (subject.language === "puppet") break;
            attributes.add(item.path);
          }
        }
        setLit({ input, document, attributes, items });
        setProblem(null);
      },
      (reason: unknown) => current && setProblem(refused(reason)),
    );
    return () => {
      current = false;
    };
  }, [route.view, input, loaded?.model, node]);

  useEffect(() => {
    setAt(null);
    if (route.view === "catalog") setPath(withoutLine(route.rest).path);
    document.title = `${route.rest || subject.title} · wherefrom`;
  }, [route.view, route.rest]);

  const pick = useCallback((target: string) => {
    setMode(true);
    go("impact", target);
  }, []);
  const leave = useCallback(() => {
    setMode(false);
    setLit(null);
    setProblem(null);
    if (location.hash.startsWith("#/impact") || location.hash.startsWith("#/inputs")) go("catalog", path);
  }, [path]);

  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key === "Escape") {
        if (typing) {
          setQuery("");
          (event.target as HTMLElement).blur();
        } else if (!help.current?.open) leave();
        return;
      }
      if (typing) return;
      const keys: Record<string, () => void> = {
        "/": () => search.current?.focus(),
        "?": () => help.current?.showModal(),
        c: () => go("catalog", path),
        g: () => go("graph", located(model, path)?.item.path ?? ""),
        d: () => go("diff", ""),
        s: () => go("steps", ""),
        i: () => (mode ? leave() : go("impact", "")),
        t: () => document.querySelector<HTMLElement>(".tree")?.focus(),
        a: () => document.querySelector<HTMLElement>(".attribute th button")?.focus(),
        w: () => document.querySelector<HTMLElement>(".story")?.focus(),
      };
      const action = keys[event.key];
      if (action) {
        event.preventDefault();
        action();
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [path, model, mode, leave]);

  const shared = useMemo<Shared>(
    () => ({ documents, subject, node, model, version, impactMode: mode, lit: mode ? lit : null, inputs: loaded?.inputs ?? [], pick }),
    [documents, subject, node, model, version, mode, lit, loaded?.inputs, pick],
  );
  const view: View = route.view;
  const litPlace = view === "impact" && lit?.input === input ? (lit.document.inputs.find((leaf) => leaf.line) ?? null) : null;
  const { path: shownPath, line }: { path: string; line?: string } = view === "catalog" ? withoutLine(route.rest) : { path };
  const wide = view === "graph" || view === "diff" || view === "steps" || view === "fleet";
  const tab = (name: View, rest: string, text: string) => (
    <a class="tab" href={hashOf(name, rest)} aria-current={view === name ? "page" : undefined}>
      {text}
    </a>
  );
  return (
    <Context.Provider value={shared}>
      <header>
        <a class="brand" href="#" title={subject.title}>
          wherefrom
        </a>
        <div class="search">
          <input
            ref={search}
            type="search"
            aria-label="search titles, types, values and files"
            placeholder="title, type, value, file or /path:line"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "ArrowDown" || event.key === "Enter") {
                document.querySelector<HTMLElement>(".tree")?.focus();
                if (event.key === "Enter") document.querySelector<HTMLElement>(".tree .row")?.click();
                event.preventDefault();
              }
            }}
          />
          <kbd>/</kbd>
        </div>
        {subject.nodes.length > 1 ? (
          <select class="nodes" aria-label="node" value={node} onChange={(event) => goNode(event.currentTarget.value)}>
            {subject.nodes.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        ) : node ? (
          <span class="node-name">{node}</span>
        ) : null}
        <nav class="tabs" aria-label="views">
          {tab("catalog", path, subject.language === "puppet" ? "catalog" : "value")}
          {subject.language === "puppet" ? tab("graph", located(model, path)?.item.path ?? "", "graph") : null}
          {tab("diff", "", "diff")}
          {tab("steps", "", "steps")}
          {subject.fleet ? tab("fleet", "", "fleet") : null}
          {subject.playground ? (
            <a class="tab" href={`playground${node ? `?node=${encodeURIComponent(node)}` : ""}`} title="edit a copy, and see what changes">
              playground
            </a>
          ) : null}
        </nav>
        <span class="space" />
        <button class="tab" aria-pressed={mode} onClick={() => (mode ? leave() : go("impact", ""))}>
          impact mode
        </button>
        <button class="tab" aria-label="light or dark" title="light or dark" onClick={turnTheme}>
          ◐
        </button>
        <button class="tab" aria-label="keys" title="keys" onClick={() => help.current?.showModal()}>
          ?
        </button>
      </header>
      {problem ? <Trouble problem={problem} lead={loaded ? "It does not compile; below is the last result:" : undefined} /> : null}
      <div class={`columns${wide ? " two-columns" : ""}${mode ? " impact" : ""}`}>
        {loaded ? <Navigator path={shownPath} query={query} /> : <nav class="navigator" aria-label="loading" />}
        {!loaded ? (
          <main class="middle">{problem ? null : <p class="hint">…</p>}</main>
        ) : view === "catalog" ? (
          <Catalog path={shownPath} onGo={setAt} />
        ) : view === "graph" ? (
          <GraphView centre={route.rest} />
        ) : view === "diff" ? (
          <DiffView rest={route.rest} />
        ) : view === "steps" ? (
          <StepsView rest={route.rest} />
        ) : view === "fleet" ? (
          <FleetView />
        ) : view === "inputs" ? (
          <InputsView kind={route.rest || "fact"} />
        ) : (
          <ImpactView input={input} />
        )}
        {loaded && !wide ? <Story path={shownPath} line={line} at={at ?? litPlace} onGo={setAt} /> : null}
      </div>
      <dialog ref={help} aria-label="keys">
        <h2>keys</h2>
        <dl class="keys">
          {KEYS.map(([key, what]) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
        <form method="dialog">
          <button>close</button>
        </form>
      </dialog>
    </Context.Provider>
  );
}

const KEYS: [string, string][] = [
  ["/", "search; Enter opens the first"],
  ["t", "the tree: arrows move, open and close; Enter goes to the attributes"],
  ["a", "the attributes: arrows move, Enter asks where it came from"],
  ["w", "the story of the value"],
  ["c g d s", "catalog, graph, diff, steps"],
  ["n p", "in steps: next, previous"],
  ["i", "impact mode"],
  ["Esc", "leave the search or impact mode"],
];

function turnTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset["theme"] ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
}

async function start(): Promise<void> {
  const root = document.getElementById("page")!;
  root.textContent = "";
  try {
    const documents = await Documents.open();
    const subject = await documents.ask<Subject>("subject");
    render(<App documents={documents} first={subject} />, root);
  } catch (reason) {
    render(<Trouble problem={refused(reason)} />, root);
  }
}

void start();

// The playground: a copy of a file is edited, and what it changes is shown beside it. Nothing is written anywhere.
// A page of its own, since its editor (Monaco) is large; the explorer's page loads nothing of it.
import "monaco-editor/editor/contrib/bracketMatching/browser/bracketMatching.js";
import "monaco-editor/editor/contrib/comment/browser/comment.js";
import "monaco-editor/editor/contrib/find/browser/findController.js";
import "monaco-editor/editor/contrib/hover/browser/hoverContribution.js";
import "monaco-editor/editor/contrib/inlayHints/browser/inlayHintsContribution.js";
import "monaco-editor/editor/contrib/wordHighlighter/browser/wordHighlighter.js";
import * as monaco from "monaco-editor/editor/editor.api.js";
import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { refused } from "./context";
import { type At, type Difference, Documents, type Extent, type Refused, type Subject } from "./data";
import { Sides } from "./diff";
import { KEYWORDS } from "./highlight";
import { shown } from "./model";
import { count, Trouble } from "./words";

/** Milliseconds without a key after which the texts are compiled. */
const QUIET = 300;
const MOST_SHOWN = 200;
const LONGEST_HINT = 40;

interface Observed extends Extent {
  count: number;
  distinct: number;
  values: string[];
}

interface Tried {
  differences: Difference[];
  same: number;
  observed: Observed[];
}

(self as unknown as { MonacoEnvironment: monaco.Environment }).MonacoEnvironment = {
  getWorker: () => new Worker("playground.worker.js"),
};

for (const [name, words] of Object.entries(KEYWORDS)) {
  const slashes = name === "sf";
  monaco.languages.register({ id: name });
  monaco.languages.setLanguageConfiguration(name, {
    comments: { lineComment: slashes ? "//" : "#" },
    brackets: [
      ["{", "}"],
      ["[", "]"],
      ["(", ")"],
    ],
  });
  monaco.languages.setMonarchTokensProvider(name, {
    keywords: words.split("|"),
    tokenizer: {
      root: [
        [slashes ? /\/\/.*/ : /(^|\s)#.*/, "comment"],
        [/<%[=#-]?|-?%>/, "metatag"],
        [/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?/, "string"],
        [/\$\{?[a-z_:][\w:]*\}?|@\w+/, "variable"],
        [/\b\d[\d.]*\b/, "number"],
        [/[a-z_]\w*/, { cases: { "@keywords": "keyword", "@default": "identifier" } }],
      ],
    },
  });
}

/** The language of a file, by its suffix. */
function languageOf(file: string): string {
  const suffix = /\.(\w+)$/.exec(file)?.[1] ?? "";
  if (suffix === "yml" || suffix === "eyaml") return "yaml";
  return suffix === "epp" || suffix === "erb" ? "pp" : suffix in KEYWORDS ? suffix : "plaintext";
}

/** Columns of the server count code points, those of the editor units of UTF-16. */
function unitsOf(line: string, column: number): number {
  return [...line].slice(0, column - 1).join("").length + 1;
}

function pointsOf(line: string, column: number): number {
  return [...line.slice(0, column - 1)].length + 1;
}

function rangeIn(model: monaco.editor.ITextModel, extent: Extent): monaco.Range {
  const lines = model.getLineCount();
  const at = (line: number, column: number): [number, number] =>
    line > lines ? [lines, model.getLineMaxColumn(lines)] : [line, unitsOf(model.getLineContent(line), column)];
  return new monaco.Range(...at(extent.line, extent.column), ...at(extent.last_line, extent.last_column));
}

/** What was asked about the texts as they were when it was asked. */
interface State {
  asked: string;
  tried: Tried | null;
  problem: Refused | null;
}

const NOTHING: State = { asked: "", tried: null, problem: null };

class Copies {
  /** The texts as they lie in the files, of all that were looked at. */
  readonly saved = new Map<string, string>();
  readonly models = new Map<string, monaco.editor.ITextModel>();

  constructor(
    readonly documents: Documents,
    readonly changed: () => void,
  ) {}

  async model(file: string, node: string): Promise<monaco.editor.ITextModel> {
    const known = this.models.get(file);
    if (known) return known;
    const { text } = await this.documents.ask<{ text: string }>("source", { node, file });
    this.saved.set(file, text);
    const model = monaco.editor.createModel(text, languageOf(file), monaco.Uri.from({ scheme: "copy", path: `/${file}` }));
    model.onDidChangeContent(this.changed);
    this.models.set(file, model);
    return model;
  }

  /** The texts that are not those of the files. */
  edited(): Record<string, string> {
    const texts: Record<string, string> = {};
    for (const [file, model] of this.models) {
      const text = model.getValue();
      if (text !== this.saved.get(file)) texts[file] = text;
    }
    return texts;
  }

  fileOf(model: monaco.editor.ITextModel): string {
    for (const [file, known] of this.models) if (known === model) return file;
    return "";
  }
}

function Playground({ documents, subject, files }: { documents: Documents; subject: Subject; files: string[] }) {
  const wanted = useMemo(() => new URLSearchParams(location.search), []);
  const [node, setNode] = useState(wanted.get("node") ?? subject.node ?? "");
  const [file, setFile] = useState(files.includes(wanted.get("file") ?? "") ? wanted.get("file")! : (files.find((name) => !name.endsWith("site.pp")) ?? files[0] ?? ""));
  const [edits, setEdits] = useState(0);
  const [state, setState] = useState<State>(NOTHING);
  const [waiting, setWaiting] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const copies = useMemo(() => new Copies(documents, () => setEdits((count) => count + 1)), [documents]);
  const asking = useRef({ node, file, observed: [] as Observed[], asked: "" });
  asking.current.node = node;
  asking.current.file = file;

  useEffect(() => {
    const dark = document.documentElement.dataset["theme"] === "dark" || matchMedia("(prefers-color-scheme: dark)").matches;
    const made = monaco.editor.create(place.current!, {
      automaticLayout: true,
      fontSize: 13,
      hover: { delay: 200, above: false },
      inlayHints: { enabled: "on", padding: true },
      minimap: { enabled: false },
      model: null,
      scrollBeyondLastLine: false,
      theme: dark ? "vs-dark" : "vs",
      unicodeHighlight: { ambiguousCharacters: false },
    });
    editor.current = made;
    const known = [
      monaco.languages.registerHoverProvider(["*"], { provideHover: (model, at) => hover(model, at) }),
      monaco.languages.registerInlayHintsProvider(["*"], { provideInlayHints: (model, range) => hints(model, range) }),
    ];
    return () => {
      for (const one of known) one.dispose();
      made.dispose();
    };
  }, []);

  async function hover(model: monaco.editor.ITextModel, at: monaco.Position): Promise<monaco.languages.Hover | null> {
    const { node: here, asked } = asking.current;
    if (asked !== JSON.stringify(copies.edited())) return null; // it is being compiled
    const column = String(pointsOf(model.getLineContent(at.lineNumber), at.column));
    const question = { node: here, file: copies.fileOf(model), line: String(at.lineNumber), column, texts: asked };
    const answer = await documents.send<At>("at", question).catch(() => null);
    if (!answer?.values.length) return null;
    const times = answer.count > 1 ? `, ran ${answer.count} times` : "";
    const rows = answer.values.map((each) => (answer.values.length > 1 ? `\`${coded(each.value)}\` (${each.count}) in ${each.in}` : `\`${coded(each.value)}\`${here ? ` on ${here}` : ""}${times}`));
    const words = answer.values.length === 1 && answer.values[0]!.words ? [`\`\`\`text\n${answer.values[0]!.words}\n\`\`\``] : [];
    return { range: rangeIn(model, answer), contents: [...rows, ...words].map((value) => ({ value })) };
  }

  /** The values of variables where they are read and assigned; none that stands there already. */
  function hints(model: monaco.editor.ITextModel, range: monaco.Range): monaco.languages.InlayHintList {
    if (asking.current.file !== copies.fileOf(model) || asking.current.asked !== JSON.stringify(copies.edited())) return { hints: [], dispose: () => undefined };
    const found = asking.current.observed.flatMap((each) => {
      const extent = rangeIn(model, each);
      const text = model.getValueInRange(extent);
      if (!/^\$[\w:]+$/.test(text) || !range.containsPosition(extent.getEndPosition()) || !each.values.length) return [];
      const value = each.values[0]!.length > LONGEST_HINT ? `${each.values[0]!.slice(0, LONGEST_HINT - 1)}…` : each.values[0]!;
      const more = each.distinct > 1 ? ` (+${each.distinct - 1})` : "";
      return [{ position: extent.getEndPosition(), label: `= ${value}${more}`, paddingLeft: true }];
    });
    return { hints: found, dispose: () => undefined };
  }

  // The file that is shown.
  useEffect(() => {
    let current = true;
    copies.model(file, node).then(
      (model) => {
        if (!current) return;
        editor.current?.setModel(model);
        const line = Number(wanted.get("line") ?? 0);
        if (line && wanted.get("file") === file) editor.current?.revealLineInCenter(line);
      },
      (reason: unknown) => current && setState({ ...NOTHING, problem: refused(reason) }),
    );
    const address = new URL(location.href);
    address.searchParams.set("file", file);
    if (node) address.searchParams.set("node", node);
    history.replaceState(null, "", address);
    return () => {
      current = false;
    };
  }, [file, node]);

  // What the texts give, when nothing was typed for a moment.
  useEffect(() => {
    let current = true;
    const asked = JSON.stringify(copies.edited());
    setWaiting(true);
    const timer = setTimeout(() => {
      documents.send<Tried>("try", { node, file, texts: asked }).then(
        (tried) => {
          if (!current) return;
          asking.current.observed = tried.observed;
          asking.current.asked = asked;
          setState({ asked, tried, problem: null });
          setWaiting(false);
        },
        (reason: unknown) => {
          if (!current) return;
          asking.current.asked = "";
          setState((before) => ({ ...before, problem: refused(reason) }));
          setWaiting(false);
        },
      );
    }, edits ? QUIET : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [edits, file, node]);

  // Marks for what is wrong, and new hints.
  useEffect(() => {
    const problems = state.problem?.document.problems ?? [];
    for (const [name, model] of copies.models) {
      const here = problems.filter((each) => each.line && each.file === name);
      const markers = here.map((each) => {
        const extent = { line: each.line!, column: each.column ?? 1, last_line: each.end_line ?? each.line!, last_column: each.end_column ?? (each.column ?? 1) + 1 };
        const { startLineNumber, startColumn, endLineNumber, endColumn } = rangeIn(model, extent);
        const severity = each.severity === "error" ? monaco.MarkerSeverity.Error : monaco.MarkerSeverity.Warning;
        return { startLineNumber, startColumn, endLineNumber, endColumn, severity, message: each.help ? `${each.message}\nhelp: ${each.help}` : each.message };
      });
      monaco.editor.setModelMarkers(model, "wherefrom", markers);
    }
    editor.current?.updateOptions({ inlayHints: { enabled: "off" } });
    editor.current?.updateOptions({ inlayHints: { enabled: "on" } });
  }, [state]);

  const edited = Object.keys(copies.edited());
  const reset = (): void => {
    for (const [name, model] of copies.models) if (edited.includes(name)) model.setValue(copies.saved.get(name)!);
  };
  return (
    <>
      <header>
        <a class="brand" href={`./${node ? `?node=${encodeURIComponent(node)}` : ""}`} title="the explorer">
          wherefrom
        </a>
        <select aria-label="file" value={file} onChange={(event) => setFile(event.currentTarget.value)}>
          {files.map((name) => (
            <option value={name}>
              {name}
              {edited.includes(name) ? " (edited)" : ""}
            </option>
          ))}
        </select>
        {subject.nodes.length > 1 ? (
          <select class="nodes" aria-label="node" value={node} onChange={(event) => setNode(event.currentTarget.value)}>
            {subject.nodes.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        ) : null}
        <span class="space" />
        <button class="tab" disabled={!edited.length} onClick={reset}>
          undo all changes
        </button>
      </header>
      <div class="playground">
        <div class="copy" ref={place} aria-label="a copy of the file" />
        <main class="middle" tabIndex={-1}>
          <h1>what it changes{node ? ` on ${node}` : ""}</h1>
          {state.problem ? <Trouble problem={state.problem} lead={state.tried ? "It does not compile; below is the last result:" : undefined} /> : null}
          <p class="sub" role="status">
            {waiting ? "compiling…" : !edited.length ? "This is a copy: edit it. Nothing is written." : state.problem ? "" : words(state.tried)}
          </p>
          {state.tried ? <Changes differences={state.tried.differences} /> : null}
        </main>
      </div>
    </>
  );
}

function coded(text: string): string {
  return text.replaceAll("`", "'");
}

function words(tried: Tried | null): string {
  if (!tried) return "";
  return `${count(tried.differences.length, "output")} changed, ${tried.same} as before`;
}

function Changes({ differences }: { differences: Difference[] }) {
  return (
    <ul class="differences">
      {differences.slice(0, MOST_SHOWN).map((row) => (
        <li>
          <span class={`change ${row.change}`}>{row.change}</span> <code>{row.path}</code>
          {row.change === "changed" || row.change === "order" ? (
            <Sides before={written(row.before)} after={written(row.after)} />
          ) : (
            <code class="value"> {shown(row.change === "added" ? row.after : row.before, 100)}</code>
          )}
        </li>
      ))}
      {differences.length > MOST_SHOWN ? <li class="dim">and {differences.length - MOST_SHOWN} more</li> : null}
    </ul>
  );
}

function written(value: Difference["before"]): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? "");
}

async function start(): Promise<void> {
  const root = document.getElementById("page")!;
  root.textContent = "";
  try {
    const documents = await Documents.open();
    const subject = await documents.ask<Subject>("subject");
    const node = new URLSearchParams(location.search).get("node") ?? subject.node ?? "";
    const { files } = await documents.ask<{ files: string[] }>("sources", { node });
    render(<Playground documents={documents} subject={subject} files={files} />, root);
  } catch (reason) {
    render(<Trouble problem={refused(reason)} />, root);
  }
}

void start();

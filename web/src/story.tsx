// The right column: where the chosen value came from, beside the source it came from.
import { useEffect, useMemo, useState } from "preact/hooks";
import { counts, editPlace } from "./catalog";
import { useAnswer, useShared } from "./context";
import type { At, Explanation, Leaf, Option, Place, Term } from "./data";
import { leafKey, leafName, leafTarget, located, shown } from "./model";
import { KIND_ORDER } from "./navigator";
import { type Mark, Source } from "./source";
import { Wish } from "./wish";
import { Chip, PlaceLink, Section, count } from "./words";

interface Props {
  path: string;
  /** Of a text, the line that is asked for. */
  line?: string;
  /** The place that was asked for last. */
  at: Place | null;
  onGo: (place: Place) => void;
}

export function Story({ path, line, at, onGo }: Props) {
  const { model, documents } = useShared();
  const here = useMemo(() => located(model, path), [model, path]);
  const asked = path && here ? "explain" : null;
  const { value: explanation } = useAnswer<Explanation>(asked, { path, line });
  const place = explanation ? editPlace(explanation) : null;
  const current = explanation && path ? explanation : null;
  if (!current) {
    return (
      <aside class="story" aria-label="source" tabIndex={0}>
        {at ? <SourceAt at={at} marks={[]} onGo={onGo} /> : <Files onGo={onGo} />}
      </aside>
    );
  }
  const composed = current.value !== null && typeof current.value === "object" && !current.where && !current.option;
  const marks = marksOf(current, composed ? null : place);
  const literal = current.where ? leafName(current.where) : null;
  return (
    <aside class="story" aria-label={`wherefrom ${path}`} tabIndex={0}>
      <section class="part">
        <h2>edit</h2>
        {line ? (
          <p class="file-name">
            line {line}: <code>{String(current.value).trimEnd()}</code>
          </p>
        ) : null}
        <p class="edit">
          <code>{literal ?? (current.template || isRendered(current) ? renderedWords(current) : current.option ? definitionWords(current.option) : shown(current.value, 40))}</code>{" "}
          {place ? <PlaceLink place={place} onGo={onGo} /> : <span class="dim">{current.where ? "given, not written" : composed ? "ask for one of its parts" : "computed"}</span>}
        </p>
        <SourceAt at={at ?? place} marks={marks} onGo={onGo} />
        {documents.embedded || !place ? null : <Author path={path} />}
      </section>
      <Hands explanation={current} onGo={onGo} />
      <Changes explanation={current} />
      {documents.embedded ? null : <Wish path={path} value={current.value} />}
      {!current.where && !isRendered(current) ? (
        <Section title="formula">
          <code class="formula">{termText(current.expression)}</code>
        </Section>
      ) : null}
    </aside>
  );
}

/** Who last wrote the place to edit; asked after everything else, since git takes its time. */
function Author({ path }: { path: string }) {
  const { value } = useAnswer<Explanation>("explain", { path, blame: "1" });
  return value?.by && !value.by.startsWith("nobody: no ") ? <p class="dim by">{value.by}</p> : null;
}

/** The definitions that an option's value is made of. */
function definitionWords(option: Option): string {
  const rows = option.definitions.filter(counts);
  if (rows.length === 1) return shown(rows[0]!.value, 40);
  return rows.length ? count(rows.length, "definition") : "nothing: no definition applies, and there is no default";
}

function isRendered(explanation: Explanation): boolean {
  return "op" in explanation.expression && explanation.expression.op === "render";
}

/** What a rendered text was made from, as `wherefrom explain` says it: nobody reads its formula. */
function renderedWords(explanation: Explanation): string {
  const counts = new Map<string, Set<string>>();
  let template = "";
  const waiting: Term[] = [explanation.expression];
  while (waiting.length) {
    const term = waiting.pop()!;
    if ("op" in term) {
      waiting.push(...[...(term.args ?? [])].reverse());
      continue;
    }
    if (term.file && /\.(epp|erb)$/.test(term.file)) template ||= term.file.slice(term.file.lastIndexOf("/") + 1);
    else counts.set(term.kind, (counts.get(term.kind) ?? new Set()).add(leafKey(term)));
  }
  const words = [...counts]
    .sort(([a], [b]) => KIND_ORDER.indexOf(a) - KIND_ORDER.indexOf(b))
    .map(([kind, keys]) => `${keys.size} ${kind === "hiera" ? (keys.size === 1 ? "datum" : "data") : `${kind}${keys.size === 1 ? "" : "s"}`}`);
  const joined = words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words.join("");
  return `rendered by ${template || "an inline template"}${joined ? ` from ${joined}` : ""}; click a piece of the text`;
}

function Files({ onGo }: { onGo: (place: Place) => void }) {
  const { value } = useAnswer<{ files: string[] }>("sources");
  return (
    <Section title="files that were read">
      <ul class="files">
        {value?.files.map((file) => (
          <li>
            <button class="quiet" onClick={() => onGo({ file, line: 1 })}>
              {file}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function SourceAt({ at, marks }: { at: Place | null; marks: Mark[]; onGo: (place: Place) => void }) {
  const { inputs, impactMode, lit, pick, documents, subject } = useShared();
  const file = at?.file ?? null;
  const [clicked, setClicked] = useState<{ line: number; column: number } | null>(null);
  useEffect(() => setClicked(null), [file, at?.line]);
  const { value, problem } = useAnswer<{ file: string; text: string }>(file ? "source" : null, file ? { file } : {});
  const literals = useMemo(() => inputs.filter((leaf) => leaf.file === file && leaf.line && (leaf.text || leaf.kind === "hiera")), [inputs, file]);
  const litKeys = useMemo(() => new Set((lit?.document.inputs ?? []).map(leafKey)), [lit]);
  if (!file) return null;
  if (problem) return <p class="dim">{file} can not be shown here</p>;
  if (!value || value.file !== file) return <div class="source waiting" />;
  return (
    <>
      <p class="file-name">{file}</p>
      <Source
        file={file}
        text={value.text}
        marks={marks}
        at={at}
        literals={impactMode ? literals : undefined}
        lit={(leaf) => litKeys.has(leafKey(leaf))}
        onLiteral={impactMode ? (leaf) => pick(leafTarget(leaf)) : undefined}
        onLine={impactMode && !documents.embedded ? (line) => pick(`${file}:${line}`) : undefined}
        onPlace={!impactMode && subject.playground ? (line, column) => setClicked({ line, column }) : undefined}
      />
      {clicked ? <ValueAt file={file} line={clicked.line} column={clicked.column} /> : null}
    </>
  );
}

/** What the expression at a place of the source gave. */
function ValueAt({ file, line, column }: { file: string; line: number; column: number }) {
  const { node } = useShared();
  const { value, problem, waiting } = useAnswer<At>("at", { file, line: String(line), column: String(column) });
  if (problem) return <p class="dim">{problem.message}</p>;
  if (!value || waiting) return <p class="hint">…</p>;
  const where = `${file.slice(file.lastIndexOf("/") + 1)}:${line}`;
  if (!value.values.length) {
    return (
      <p class="dim value-at" role="status">
        nothing at {where} ran{node ? ` on ${node}` : ""}
      </p>
    );
  }
  return (
    <section class="part value-at" role="status">
      <h2>
        <code>{shown(value.text, 60).slice(1, -1)}</code> <span class="note">{value.count > 1 ? `ran ${value.count} times` : where}</span>
      </h2>
      <ul class="elements">
        {value.values.map((each) => (
          <li>
            <code class="value">{each.value}</code>{" "}
            {value.distinct > 1 ? (
              <span class="dim">
                {each.count} in {each.in}
              </span>
            ) : null}
          </li>
        ))}
        {value.distinct > value.values.length ? <li class="dim">and {value.distinct - value.values.length} more</li> : null}
      </ul>
      {value.values[0]!.words ? <pre tabIndex={0}>{value.values[0]!.words}</pre> : null}
    </section>
  );
}

function marksOf(explanation: Explanation, place: (Place & { text?: string }) | null): Mark[] {
  const marks: Mark[] = [];
  if (place) {
    const value = explanation.where?.kind === "hiera" && typeof explanation.where.value !== "object" ? String(explanation.where.value) : undefined;
    marks.push({ ...place, text: explanation.where ? (explanation.where.text ?? value) : place.text, kind: "edit" });
  }
  for (const hand of explanation.chain) marks.push({ ...hand, text: undefined, kind: "hand", title: hand.how });
  for (const decision of explanation.decisions ?? []) {
    marks.push({ ...decision, text: undefined, kind: "hand", title: decision.text });
  }
  for (const each of explanation.hidden) marks.push({ ...each, text: undefined, kind: "hidden", title: `hidden: ${each.why}` });
  return marks;
}

function Hands({ explanation, onGo }: { explanation: Explanation; onGo: (place: Place) => void }) {
  const decisions = explanation.decisions ?? (explanation.guards ?? []).map((guard) => ({ ...guard, text: guard.how }));
  const rows = explanation.chain.length + decisions.length + (explanation.passed ? 1 : 0) + (explanation.from?.length ?? 0);
  if (!rows) return null;
  return (
    <Section title="because, via">
      <ol class="hands">
        {(explanation.from ?? []).map((leaf) => (
          <li class="start">
            from <Chip leaf={leaf} />
          </li>
        ))}
        {decisions.map((decision) => (
          <li class="decision">
            because <code>{decision.text}</code> <PlaceLink place={decision} onGo={onGo} />
            {decision.depends.length ? (
              <span class="chips">
                {decision.depends.slice(0, 4).map((leaf) => (
                  <Chip leaf={leaf} />
                ))}
              </span>
            ) : null}
          </li>
        ))}
        {[...explanation.chain].reverse().map((hand) => (
          <li>
            via {hand.how} <PlaceLink place={hand} onGo={onGo} />
          </li>
        ))}
        {explanation.passed ? (
          <li>
            via <code>{explanation.passed.text}</code> <PlaceLink place={explanation.passed} onGo={onGo} />
          </li>
        ) : null}
      </ol>
      {explanation.folded && (explanation.folded.steps || explanation.folded.inputs) ? (
        <p class="dim">
          {[explanation.folded.steps ? count(explanation.folded.steps, "step") : "", explanation.folded.inputs ? count(explanation.folded.inputs, "input") : ""].filter(Boolean).join(" and ")} in library code are left out
        </p>
      ) : null}
    </Section>
  );
}

function Changes({ explanation }: { explanation: Explanation }) {
  const [all, setAll] = useState(false);
  useEffect(() => setAll(false), [explanation.path]);
  const groups = useMemo(() => grouped(explanation), [explanation]);
  const shownLeaves = all ? explanation.depends : groups.first;
  const rest = explanation.depends.length - groups.first.length;
  const ofWhat = rest === explanation.changes_with?.names ? "literals used as names" : "inputs and names";
  if (!explanation.depends.length) return <Section title="changes with">no input</Section>;
  const kinds = [...new Set(shownLeaves.map((leaf) => leaf.kind))].sort((a, b) => KIND_ORDER.indexOf(a) - KIND_ORDER.indexOf(b));
  return (
    <Section title="changes with" note="click one to see what else may change">
      <div class="chips">
        {kinds.flatMap((kind) => shownLeaves.filter((leaf) => leaf.kind === kind).map((leaf) => <Chip leaf={leaf} key={leafKey(leaf)} />))}
        {rest > 0 ? (
          <button class="chip more" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "fewer" : `and ${rest} more ${ofWhat}`}
          </button>
        ) : null}
      </div>
    </Section>
  );
}

/** The inputs that people act on, as `wherefrom explain` lists them, before all others. */
function grouped(explanation: Explanation): { first: Leaf[] } {
  const changes = explanation.changes_with;
  if (!changes) return { first: explanation.depends.slice(0, 12) };
  const words = new Set(changes.inputs.map((word) => word.replace(/ \(absent\)$/, "")));
  const literals = new Set(changes.literals.map(leafKey));
  const source = explanation.where ? leafKey(explanation.where) : "";
  const seen = new Set<string>();
  const first = explanation.depends.filter((leaf) => {
    if (leafKey(leaf) === source) return true;
    if (leaf.kind === "literal") return literals.has(leafKey(leaf));
    const name = leafName(leaf);
    if (!words.has(name) || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
  return { first: first.slice(0, 24) };
}

export function termText(term: Term, depth = 0): string {
  if ("kind" in term && !("op" in term)) return leafName(term);
  const node = term as { op: string; args: Term[]; keys?: string[]; elided?: boolean };
  if (node.elided || depth > 6) return "…";
  const inner = (node.args ?? []).slice(0, 8).map((each) => termText(each, depth + 1));
  if ((node.args ?? []).length > 8) inner.push("…");
  if (/^[-+*/%<>=!~]+$/.test(node.op) && inner.length === 2) return `(${inner[0]} ${node.op} ${inner[1]})`;
  if (node.op === "array") return `[${inner.join(", ")}]`;
  return `${node.op}(${inner.join(", ")})`;
}

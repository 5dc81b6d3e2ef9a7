// A derivation of the reference semantics as a walk: the program with the redex marked, the rule, the store, the catalog.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer, useShared } from "./context";
import type { Json, Place } from "./data";
import { type Mark, Source } from "./source";
import { go } from "./state";
import { Section, Trouble } from "./words";

interface Example {
  name: string;
  title: string;
  language: string;
  text: string;
}

interface PuppetStep extends Place {
  rules: string[];
  before: string;
  after: string;
  text?: string;
  changes: { part: string; what: string; now: string }[];
}

interface StateStep {
  rules: string[];
  state: string | ({ store: Json; path?: string; remark?: string; text?: string } & Place);
}

interface Walk {
  text: string;
  file?: string;
  start?: StateStep["state"];
  steps: (PuppetStep | StateStep)[];
  statements?: Record<string, string>;
  rules?: Json;
  labels?: { name: string; value: Json; place: string }[];
  catalog?: { type: string; title: Json; annotation: string; parameters: Record<string, { value: Json; annotation: string }> }[];
  ending?: string;
}

const OWN = "own";

export function StepsView({ rest }: { rest: string }) {
  const { subject, documents } = useShared();
  const [, name = "G22", at = "1"] = /^([^/]*)(?:\/(\d+))?/.exec(rest || "G22/1") ?? [];
  const examples = useAnswer<{ examples: Example[] }>("examples", { node: undefined });
  const example = examples.value?.examples.find((each) => each.name === name);
  const language = name === OWN ? subject.language : example?.language;
  const [annotate, setAnnotate] = useState("dependency");
  const puppet = language === "puppet";
  const own = name === OWN;
  const asked = { node: own ? undefined : "", ...(own ? {} : { example: name }), ...(puppet ? { annotate } : {}) };
  const ready = examples.value !== undefined;
  const both = puppet && annotate === "dependency";
  const repaired = useAnswer<Walk>(ready ? "step" : null, { ...asked, ...(puppet && annotate === "dependency" ? { rules: "repaired" } : {}) });
  const thesis = useAnswer<Walk>(ready && both ? "step" : null, { ...asked, rules: "thesis" });
  const number = Math.max(0, Math.min(Number(at), repaired.value?.steps.length ?? Number(at)));
  const to = (step: number): void => go("steps", `${name}/${Math.max(0, Math.min(step, repaired.value?.steps.length ?? 0))}`);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "n" || event.key === "ArrowRight") to(number + 1);
      else if (event.key === "p" || event.key === "ArrowLeft") to(number - 1);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  const length = repaired.value?.steps.length ?? 0;
  return (
    <main class="middle wide steps" tabIndex={-1}>
      <div class="bar">
        <h1>{example?.title ?? subject.title}</h1>
      </div>
      <div class="choices">
        <label>
          program{" "}
          <select value={name} onChange={(event) => go("steps", `${event.currentTarget.value}/1`)}>
            {!documents.embedded && subject.title.match(/\.(pp|sf|nix)$/) ? <option value={OWN}>{subject.title}</option> : null}
            {examples.value?.examples.map((each) => (
              <option value={each.name}>
                {each.name}: {each.title}
              </option>
            ))}
          </select>
        </label>
        {puppet && !documents.embedded ? (
          <label>
            annotations{" "}
            <select value={annotate} onChange={(event) => setAnnotate(event.currentTarget.value)}>
              <option value="dependency">dependency</option>
              <option value="where">where</option>
              <option value="expression">expression</option>
            </select>
          </label>
        ) : null}
        <span class="walk">
          <button onClick={() => to(number - 1)} disabled={number <= 0} aria-label="step back">
            ◂
          </button>
          <input type="range" aria-label="step" min={0} max={length} value={number} onInput={(event) => to(Number(event.currentTarget.value))} />
          <button onClick={() => to(number + 1)} disabled={number >= length} aria-label="step on">
            ▸
          </button>
          <span class="note" role="status">
            step {number} of {length}
          </span>
        </span>
      </div>
      {repaired.problem ? <Trouble problem={repaired.problem} /> : null}
      {repaired.value ? (
        puppet ? (
          <PuppetWalk walk={repaired.value} other={both ? thesis.value : undefined} number={number} />
        ) : (
          <StateWalk walk={repaired.value} number={number} />
        )
      ) : null}
    </main>
  );
}

const HUES = [168, 214, 284, 24, 46, 336, 100, 250, 0, 190];

export function hueOf(label: string): number {
  return HUES[(Number(label.slice(1)) - 1) % HUES.length] ?? 0;
}

/** A term with each label in its colour. */
function Tinted({ text }: { text: string }) {
  return (
    <>
      {text.split(/\b(l\d+)\b/).map((part, index) =>
        index % 2 ? (
          <span class="label-chip" style={{ "--hue": String(hueOf(part)) }}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  );
}

function PuppetWalk({ walk, other, number }: { walk: Walk; other?: Walk; number: number }) {
  const step = number ? (walk.steps[number - 1] as PuppetStep) : null;
  const file = walk.file ?? "";
  const marks = useMemo(() => {
    const out: Mark[] = (walk.labels ?? []).map((label) => {
      const [, line, column] = /:(\d+):(\d+)$/.exec(label.place) ?? [];
      return { file, line: Number(line), column: Number(column), kind: "label", tint: hueOf(label.name), title: label.name };
    });
    if (step?.line) out.unshift({ file, line: step.line, column: step.column, text: step.text, kind: "redex", title: step.rules[0] });
    return out;
  }, [walk, step]);
  return (
    <>
      <div class="two">
        <Section title="program" note="the redex is marked">
          <Source file={file} text={walk.text} marks={marks} at={step?.line ? { file, line: step.line } : null} tall />
        </Section>
        <Section title={step ? "rule" : "the start"} exact={step?.rules[0]} note={step && step.rules.length > 1 ? `in ${step.rules.slice(1).join(" < ")}` : undefined}>
          {step ? (
            <>
              <p class="statement">{walk.statements?.[step.rules[0] ?? ""]}</p>
              <p class="rewrite">
                <code>
                  <Tinted text={step.before} />
                </code>{" "}
                <span class="arrow">→</span>{" "}
                <code>
                  <Tinted text={step.after} />
                </code>
              </p>
            </>
          ) : (
            <p class="hint">
              Press <kbd>n</kbd> for the next step.
            </p>
          )}
          <ul class="labels">
            {(walk.labels ?? []).map((label) => (
              <li>
                <Tinted text={label.name} /> <code>{JSON.stringify(label.value)}</code>
              </li>
            ))}
          </ul>
        </Section>
      </div>
      <div class="two">
        {other ? <Reached title="by the thesis' rules" walk={other} number={number} beside={walk} /> : null}
        <Reached title={other ? "by the repaired rules" : "so far"} walk={walk} number={number} beside={other} />
      </div>
    </>
  );
}

const PARTS: Record<string, string> = { σ: "store", vC: "catalog", κ: "definitions", "Abs_σ": "absent from the store", "Abs_κ": "absent definitions", waiting: "waiting" };

/** Store, catalog and definitions after some steps; what the rules beside do not have is marked. */
function Reached({ title, walk, number, beside }: { title: string; walk: Walk; number: number; beside?: Walk }) {
  const table = useMemo(() => reached(walk, number), [walk, number]);
  const others = useMemo(() => (beside ? reached(beside, number) : null), [beside, number]);
  return (
    <Section title={title} note={number >= walk.steps.length ? walk.ending : undefined}>
      {[...table].map(([part, rows]) => (
        <div class="environment">
          <h3>
            {PARTS[part] ?? part} <span class="exact">{part}</span>
          </h3>
          <ul>
            {[...rows].map(([what, now]) => (
              <li class={others && others.get(part)?.get(what) !== now ? "differs" : ""}>
                <code>
                  {what} : <Tinted text={now} />
                </code>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {!table.size ? <p class="hint">nothing yet</p> : null}
    </Section>
  );
}

function reached(walk: Walk, number: number): Map<string, Map<string, string>> {
  const table = new Map<string, Map<string, string>>();
  for (const step of walk.steps.slice(0, number) as PuppetStep[]) {
    for (const { part, what, now } of step.changes) {
      const name = what.replace(/\^\+.*$/, "");
      const rows = table.get(part) ?? new Map<string, string>();
      if (now === "cleared") rows.delete(name);
      else rows.set(name, what === name ? now : `${what.slice(name.length)} ${now}`);
      table.set(part, rows);
    }
  }
  const order = Object.keys(PARTS);
  return new Map([...table].filter(([, rows]) => rows.size).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** SmartFrog's stores and Nix's terms: one state after another, what is new in it marked. */
function StateWalk({ walk, number }: { walk: Walk; number: number }) {
  const steps = walk.steps as StateStep[];
  const step = number ? steps[number - 1]! : null;
  const state = step?.state ?? walk.start ?? "";
  const before = number > 1 ? steps[number - 2]!.state : (walk.start ?? "");
  const rule = step ? step.rules[step.rules.length - 1]! : "";
  const place = typeof state === "object" ? state : null;
  const statement = walk.statements?.[rule] ?? (walk.rules as Record<string, string> | undefined)?.[rule.split(" ").slice(0, 2).join(" ")];
  const file = place?.file ?? "";
  const marks: Mark[] = place?.line ? [{ file, line: place.line, column: place.column, text: place.text, kind: "redex" }] : [];
  return (
    <>
      <div class="two">
        <Section title="program" note={marks.length ? "what is being bound is marked" : undefined}>
          <Source file={file || "program.nix"} text={walk.text} marks={marks} at={place} tall />
        </Section>
        <Section title={step ? "rule" : "the start"} exact={rule} note={step && step.rules.length > 1 ? `in ${step.rules.slice(0, -1).join(" > ")}` : undefined}>
          {statement ? <p class="statement">{statement}</p> : null}
          {place?.path ? (
            <p>
              <code>{place.path}</code> is bound
            </p>
          ) : null}
          {place?.remark ? <p class="remark">{place.remark}</p> : null}
          {typeof state === "string" ? (
            <>
              <p class="dim">from</p>
              <Marked text={typeof before === "string" ? before : ""} beside={state} />
              <p class="dim">to</p>
            </>
          ) : null}
          <Marked text={stateText(state)} beside={stateText(before)} />
          {number >= steps.length && walk.ending ? <p class="dim">{walk.ending}</p> : null}
        </Section>
      </div>
    </>
  );
}

function stateText(state: StateStep["state"]): string {
  return typeof state === "string" ? state : JSON.stringify(state.store, null, 2);
}

/** A text with the stretch marked that another does not have. */
function Marked({ text, beside }: { text: string; beside: string }) {
  let head = 0;
  while (head < text.length && text[head] === beside[head]) head++;
  let tail = 0;
  while (tail < text.length - head && tail < beside.length - head && text[text.length - 1 - tail] === beside[beside.length - 1 - tail]) tail++;
  return (
    <pre class="term" tabIndex={0}>
      {text.slice(0, head)}
      {head < text.length - tail ? <mark>{text.slice(head, text.length - tail)}</mark> : null}
      {text.slice(text.length - tail)}
    </pre>
  );
}

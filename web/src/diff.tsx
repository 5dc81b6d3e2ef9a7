// What differs: two revisions, two nodes, or one node with another fact; grouped by the edit that made the difference.
import { useMemo, useState } from "preact/hooks";
import { useAnswer, useShared } from "./context";
import type { Asked, Difference, Edit, Json } from "./data";
import { shown } from "./model";
import { go } from "./state";
import { Trouble } from "./words";

type Kind = "since" | "with" | "facts";

export function DiffView({ rest }: { rest: string }) {
  const { subject, node, documents, inputs } = useShared();
  const [, kind, text] = /^(since|with|facts)\/(.*)$/s.exec(rest) ?? [null, subject.since ? "since" : null, subject.since ?? ""];
  const [since, until] = kind === "since" ? (text ?? "").split("..") : [];
  const asked: Asked | null = kind && text ? (since !== undefined ? { since, until } : { [kind]: text }) : null;
  const { value, problem, waiting } = useAnswer<{ differences: Difference[]; same: number }>(asked ? "diff" : null, asked ?? {});
  const revisions = useAnswer<{ revisions: Revision[] }>(documents.embedded ? null : "revisions");
  const others = subject.nodes.filter((name) => name !== node);
  const facts = useMemo(() => inputs.filter((leaf) => leaf.kind === "fact" && !leaf.absent && typeof leaf.value !== "object"), [inputs]);
  return (
    <main class="middle wide diff" tabIndex={-1}>
      <h1>{asked ? title(kind as Kind, text ?? "", node || subject.title) : "what differs"}</h1>
      {documents.embedded ? null : (
        <div class="choices">
          {revisions.value?.revisions.length ? (
            <span>
              since{" "}
              <Revisions all={revisions.value.revisions} chosen={since ?? ""} none="a revision" onChoose={(commit) => commit && go("diff", `since/${commit}${until ? `..${until}` : ""}`)} />
              {since ? (
                <>
                  {" "}
                  until <Revisions all={revisions.value.revisions} chosen={until ?? ""} none="now" onChoose={(commit) => go("diff", `since/${since}${commit ? `..${commit}` : ""}`)} />
                </>
              ) : null}
            </span>
          ) : null}
          {others.length ? (
            <label>
              beside{" "}
              <select value={kind === "with" ? text : ""} onChange={(event) => event.currentTarget.value && go("diff", `with/${event.currentTarget.value}`)}>
                <option value="">another node</option>
                {others.map((name) => (
                  <option value={name}>{name}</option>
                ))}
              </select>
            </label>
          ) : null}
          {facts.length ? <WhatIf facts={facts.map((leaf) => ({ name: leaf.name ?? "", value: leaf.value as Json }))} /> : null}
        </div>
      )}
      {problem ? <Trouble problem={problem} /> : null}
      {waiting && asked ? <p class="hint">comparing…</p> : null}
      {value && asked && !waiting ? <Differences differences={value.differences} same={value.same} /> : null}
      {!asked ? <p class="hint">Choose a revision, another node, or a fact to change.</p> : null}
    </main>
  );
}

interface Revision {
  commit: string;
  date: string;
  author: string;
  subject: string;
}

function Revisions({ all, chosen, none, onChoose }: { all: Revision[]; chosen: string; none: string; onChoose: (commit: string) => void }) {
  return (
    <select aria-label={none === "now" ? "until" : "since"} value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{none}</option>
      {chosen && !all.some((each) => each.commit === chosen) ? <option value={chosen}>{chosen}</option> : null}
      {all.map((each) => (
        <option value={each.commit}>
          {each.commit} {each.date} {each.subject}
        </option>
      ))}
    </select>
  );
}

function title(kind: Kind, text: string, node: string): string {
  if (kind === "since") return text.includes("..") ? `${node} from ${text.replace("..", " to ")}` : `${node} since ${text}`;
  if (kind === "with") return `${node} beside ${text}`;
  try {
    return `${node} if ${Object.entries(JSON.parse(text)).map(([name, value]) => `${name} were ${shown(value as Json)}`).join(", ")}`;
  } catch {
    return `${node} with other facts`;
  }
}

function WhatIf({ facts }: { facts: { name: string; value: Json }[] }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!name) return;
    let value: Json = text;
    try {
      value = JSON.parse(text);
    } catch {
      // words are words
    }
    go("diff", `facts/${JSON.stringify({ [name]: value })}`);
  };
  return (
    <form class="what-if" onSubmit={submit}>
      <label>
        what if{" "}
        <select
          value={name}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            setName(chosen);
            const value = facts.find((fact) => fact.name === chosen)?.value;
            setText(typeof value === "string" ? value : shown(value));
          }}
        >
          <option value="">a fact</option>
          {facts.map((fact) => (
            <option value={fact.name}>{fact.name}</option>
          ))}
        </select>
      </label>{" "}
      <label>
        were <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>{" "}
      <button type="submit">compare</button>
    </form>
  );
}

function Differences({ differences, same }: { differences: Difference[]; same: number }) {
  const groups = useMemo(() => {
    const table = new Map<string, { edit: Edit | null; rows: Difference[] }>();
    for (const difference of differences) {
      const edit = difference.edits[0] ?? null;
      const key = JSON.stringify(edit);
      const group = table.get(key);
      if (group) group.rows.push(difference);
      else table.set(key, { edit, rows: [difference] });
    }
    return [...table.values()].sort((a, b) => Number(a.edit === null) - Number(b.edit === null));
  }, [differences]);
  return (
    <>
      <p class="sub" role="status">
        {differences.length} differ, {same} are the same · {groups.length} {groups.length === 1 ? "cause" : "causes"}
      </p>
      {groups.map(({ edit, rows }) => (
        <section class="edit-group">
          {edit ? (
            <div class="cause">
              <h2>
                {/:\d+$/.test(edit.after_place || edit.before_place) ? "edit " : ""}
                {edit.after_place || edit.before_place} <span class="note">{rows.length} outputs</span>
              </h2>
              <Sides before={edit.before.join("\n")} after={edit.after.join("\n")} />
            </div>
          ) : (
            <h2>
              cause not identified: <span class="note">{rows.length} outputs</span>
            </h2>
          )}
          <ul class="differences">
            {folded(rows).slice(0, 300).map(([row, inner]) => (
              <li>
                <span class={`change ${row.change}`}>{row.change}</span>{" "}
                <button class="quiet" onClick={() => go("catalog", row.path)}>
                  {row.path}
                </button>
                {row.change === "changed" || row.change === "order" ? (
                  <Sides before={written(row.before)} after={written(row.after)} />
                ) : (
                  <code class="value"> {shown(row.change === "added" ? row.after : row.before, 100)}</code>
                )}
                {inner.length ? (
                  <details>
                    <summary>
                      with {inner.length} {inner.length === 1 ? "attribute" : "attributes"}
                    </summary>
                    <ul class="elements">
                      {inner.map((part) => (
                        <li>
                          {part.path.slice(row.path.length)} <code class="value">{shown(part.change === "added" ? part.after : part.before, 100)}</code>
                        </li>
                      ))}
                    </ul>
                  </details>
                ) : null}
              </li>
            ))}
          </ul>
          {rows.length > 300 ? <p class="dim">and {rows.length - 300} more</p> : null}
        </section>
      ))}
    </>
  );
}

/** What came or went with a resource stands below it. */
function folded(rows: Difference[]): [Difference, Difference[]][] {
  const out: [Difference, Difference[]][] = [];
  const whole = new Map<string, Difference[]>();
  for (const row of rows) {
    const reference = /^[\w:]+\[.*?\](?=\.)/s.exec(row.path)?.[0];
    const above = reference && row.change !== "changed" ? whole.get(row.change + reference) : undefined;
    if (above) {
      above.push(row);
      continue;
    }
    const inner: Difference[] = [];
    if (row.change === "added" || row.change === "removed") whole.set(row.change + row.path, inner);
    out.push([row, inner]);
  }
  return out;
}

function written(value: Json | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? "");
}

/** Two texts side by side: the lines that only one has are marked; long stretches of equal lines are left out. */
export function Sides({ before, after }: { before: string; after: string }) {
  const rows = useMemo(() => aligned(before.split("\n"), after.split("\n")), [before, after]);
  return (
    <table class="sides">
      <tbody>
        {rows.map((row) =>
          row === null ? (
            <tr class="gap">
              <td colSpan={2}>⋯</td>
            </tr>
          ) : (
            <tr>
              <td class={row[0] === null ? "none" : row[0] === row[1] ? "" : "old"}>{row[0]}</td>
              <td class={row[1] === null ? "none" : row[0] === row[1] ? "" : "new"}>{row[1]}</td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

type Pair = [string | null, string | null] | null;

function aligned(left: string[], right: string[]): Pair[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const a = left.slice(head, left.length - tail);
  const b = right.slice(head, right.length - tail);
  const out: Pair[] = [];
  if (head > 2) out.push(null);
  for (const line of left.slice(Math.max(0, head - 2), head)) out.push([line, line]);
  if (a.length * b.length > 250_000) for (let at = 0; at < Math.max(a.length, b.length); at++) out.push([a[at] ?? null, b[at] ?? null]);
  else out.push(...middle(a, b));
  for (const line of left.slice(left.length - tail, left.length - tail + 2)) out.push([line, line]);
  if (tail > 2) out.push(null);
  return out;
}

/** The longest common subsequence; what differs stands beside each other. */
function middle(a: string[], b: string[]): Pair[] {
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) best[i]![j] = a[i] === b[j] ? best[i + 1]![j + 1]! + 1 : Math.max(best[i + 1]![j]!, best[i]![j + 1]!);
  }
  const out: Pair[] = [];
  let olds: string[] = [];
  let news: string[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(olds.length, news.length); at++) out.push([olds[at] ?? null, news[at] ?? null]);
    olds = [];
    news = [];
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush();
      out.push([a[i++]!, b[j++]!]);
    } else if (j >= b.length || (i < a.length && best[i + 1]![j]! >= best[i]![j + 1]!)) olds.push(a[i++]!);
    else news.push(b[j++]!);
  }
  flush();
  return out;
}

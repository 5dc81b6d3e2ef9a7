// The left column: all items, by containment, by type or as found by a search; and the inputs.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer, useShared } from "./context";
import { type Row, VirtualTree } from "./list";
import { type Item, located, searched } from "./model";
import { go } from "./state";

type Order = "containment" | "type";
const GROUP = "\0";

export function Navigator({ path, query }: { path: string; query: string }) {
  const { model, lit, inputs, subject, documents } = useShared();
  // A file of a machine, with a line of it: the server knows which output that is.
  const inHand = !documents.embedded && /[/~]/.test(query);
  const { value: hand } = useAnswer<{ paths: string[]; line?: number }>(inHand ? "hand" : null, { words: query.trim() });
  const [order, setOrder] = useState<Order>("containment");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const here = useMemo(() => located(model, path), [model, path]);
  const selected = here?.item.path ?? "";
  const rows = useMemo(() => {
    const note = (item: Item): string => {
      const count = lit ? item.attributes.filter((attribute) => lit.attributes.has(attribute.path)).length : item.attributes.length;
      return count ? `${count} attr.` : "";
    };
    const dim = (item: Item): string => (!lit ? "" : lit.items.has(item.path) ? "lit" : "dimmed");
    if (query.trim()) {
      const meant = (inHand ? hand?.paths : undefined) ?? [];
      const suffix = hand?.line ? ` line ${hand.line}` : "";
      return [
        ...meant.map((found): Row => ({ key: `${found}${suffix}`, depth: 0, label: `${found}${suffix}`, note: "on the machine" })),
        ...searched(model.items, query)
          .filter((item) => suffix || !meant.includes(item.path))
          .map((item): Row => ({ key: item.path, depth: 0, label: item.path || item.label, note: note(item), className: dim(item) })),
      ];
    }
    const out: Row[] = [];
    if (order === "type") {
      for (const [type, items] of model.types) {
        const open = !closed.has(GROUP + type);
        const count = lit ? items.filter((item) => lit.items.has(item.path)).length : items.length;
        out.push({ key: GROUP + type, depth: 0, label: type, note: count === 1 ? "1 resource" : `${count} resources`, open, className: lit && !count ? "group dimmed" : "group" });
        if (open) for (const item of items) out.push({ key: item.path, depth: 1, label: item.label, note: note(item), className: dim(item) });
      }
      return out;
    }
    const waiting: [Item, number][] = [...model.roots].reverse().map((item) => [item, 0]);
    while (waiting.length) {
      const [item, depth] = waiting.pop()!;
      const open = item.children.length ? !closed.has(item.path) : undefined;
      out.push({ key: item.path, depth, label: item.label, note: note(item), open, className: dim(item) });
      if (open) for (const child of [...item.children].reverse()) waiting.push([child, depth + 1]);
    }
    return out;
  }, [model, order, closed, query, lit, hand]);
  useEffect(() => {
    // What is linked to must be in sight: open what contains it.
    setClosed((before) => {
      const after = new Set(before);
      for (let item = here?.item; item?.container != null; item = model.byPath.get(item.container)) after.delete(item.container);
      return after.size === before.size ? before : after;
    });
  }, [selected]);
  const kinds = useMemo(() => {
    const counts = new Map<string, number>();
    for (const leaf of inputs) counts.set(leaf.kind, (counts.get(leaf.kind) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => KIND_ORDER.indexOf(a) - KIND_ORDER.indexOf(b));
  }, [inputs]);
  const what = subject.language === "puppet" ? "resources" : "values";
  return (
    <nav class="navigator" aria-label={what}>
      {query.trim() ? (
        <div class="orders" role="status">
          {rows.length} of {model.items.length} {what} for “{query.trim()}”
          {!rows.length && /^\w[\w:]*\[.+\]/.test(query.trim()) ? (
            <button class="quiet" onClick={() => go("catalog", query.trim())}>
              why is it not here?
            </button>
          ) : null}
        </div>
      ) : subject.language === "puppet" ? (
        <div class="orders" role="group" aria-label="order">
          <button aria-pressed={order === "containment"} onClick={() => setOrder("containment")}>
            containment
          </button>
          <button aria-pressed={order === "type"} onClick={() => setOrder("type")}>
            by type
          </button>
        </div>
      ) : null}
      <VirtualTree
        rows={rows}
        selected={selected}
        label={what}
        onSelect={(key) => {
          if (key.startsWith(GROUP)) toggle(key, closed.has(key));
          else go("catalog", key || here?.item.path || "");
        }}
        onToggle={(key, open) => toggle(key, open)}
        onEnter={() => document.querySelector<HTMLElement>(".attribute button")?.focus()}
      />
      <div class="inputs" role="group" aria-label="inputs">
        <h2>inputs</h2>
        {!kinds.length ? (
          <button class="row-button" onClick={() => go("inputs", "")}>
            facts, data, literals
          </button>
        ) : null}
        {kinds.map(([kind, count]) => (
          <button key={kind} class="row-button" onClick={() => go("inputs", kind)}>
            <span class={`dot kind-${kind}`} aria-hidden="true" /> {KIND_WORDS[kind] ?? kind} <span class="note" title={`${count} inputs of this kind`}>{count} {count === 1 ? "input" : "inputs"}</span>
          </button>
        ))}
      </div>
    </nav>
  );

  function toggle(key: string, open: boolean): void {
    setClosed((before) => {
      const after = new Set(before);
      if (open) after.delete(key);
      else after.add(key);
      return after;
    });
  }
}

export const KIND_ORDER = ["fact", "trusted", "node", "hiera", "file", "classifier", "environment", "reference", "literal"];
export const KIND_WORDS: Record<string, string> = {
  fact: "facts",
  hiera: "data",
  literal: "literals",
  file: "files",
  node: "node name",
  trusted: "trusted facts",
  reference: "references",
};

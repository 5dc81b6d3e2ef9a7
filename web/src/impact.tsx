// Impact: an input, everything that may change with it, by type; and the lists of inputs to choose from.
import { useMemo, useState } from "preact/hooks";
import { useShared } from "./context";
import { leafKey, leafName, located, shown } from "./model";
import { KIND_WORDS } from "./navigator";
import { go } from "./state";
import { Chip, Section, Value, count } from "./words";

export function ImpactView({ input }: { input: string }) {
  const { lit, model } = useShared();
  const groups = useMemo(() => {
    const table = new Map<string, { path: string; value: unknown }[]>();
    for (const output of lit?.document.affected ?? []) {
      const type = located(model, output.path)?.item.type ?? "other";
      const rows = table.get(type);
      if (rows) rows.push(output);
      else table.set(type, [output]);
    }
    return [...table].sort(([, a], [, b]) => b.length - a.length);
  }, [lit, model]);
  if (!lit || lit.input !== input) {
    return (
      <main class="middle" tabIndex={-1}>
        <h1>{input || "impact mode"}</h1>
        <p class="hint">
          {input ? "…" : "Click a fact, a datum or a literal, here or in the source, to highlight everything that may change with it."}
        </p>
      </main>
    );
  }
  const { affected, unaffected, inputs } = lit.document;
  return (
    <main class="middle" tabIndex={-1}>
      <h1>{input}</h1>
      <p class="sub" role="status">
        <strong class="lit-count">{affected.length} may change</strong>, {unaffected} certainly do not
      </p>
      {inputs.length ? (
        <p class="chips">
          {inputs.slice(0, 12).map((leaf) => (
            <Chip leaf={leaf} key={leafKey(leaf)} />
          ))}
          {inputs.length > 12 ? <span class="dim">and {inputs.length - 12} more</span> : null}
        </p>
      ) : null}
      <ul class="counts">
        {groups.map(([type, rows]) => (
          <li>
            {type} <span class="note">{count(rows.length, "output")}</span>
          </li>
        ))}
      </ul>
      {groups.map(([type, rows]) => (
        <Section title="" exact={type} note={count(rows.length, "output")}>
          <ul class="elements">
            {rows.slice(0, 300).map((row) => (
              <li>
                <button class="quiet" onClick={() => go("catalog", row.path)}>
                  {row.path}
                </button>{" "}
                <Value value={row.value as never} limit={60} />
              </li>
            ))}
          </ul>
          {rows.length > 300 ? <p class="dim">and {rows.length - 300} more</p> : null}
        </Section>
      ))}
    </main>
  );
}

const MOST = 400;

export function InputsView({ kind }: { kind: string }) {
  const { inputs } = useShared();
  const [words, setWords] = useState("");
  const rows = useMemo(() => {
    const word = words.toLowerCase();
    const own = inputs.filter((leaf) => leaf.kind === kind);
    return own.filter((leaf) => `${leafName(leaf)} ${shown(leaf.value)} ${leaf.file ?? ""}`.toLowerCase().includes(word));
  }, [inputs, kind, words]);
  return (
    <main class="middle" tabIndex={-1}>
      <h1>{KIND_WORDS[kind] ?? kind}</h1>
      <p class="sub">Click one to highlight what may change with it.</p>
      <input class="filter" aria-label="filter inputs" placeholder="filter" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      <p class="chips">
        {rows.slice(0, MOST).map((leaf) => (
          <Chip leaf={leaf} key={leafKey(leaf)} />
        ))}
      </p>
      {rows.length > MOST ? <p class="dim">and {rows.length - MOST} more: filter</p> : null}
    </main>
  );
}

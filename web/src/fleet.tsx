// The fleet, from its store: which lines reach most, how far lines are shared, and which edits changed most nodes.
import { useEffect, useState } from "preact/hooks";
import { refused, useShared } from "./context";
import type { Bar, Fleet, Refused } from "./data";
import { Section, Trouble, count } from "./words";

const MOST_NUMBERS = 20;

export function FleetView() {
  const { documents, version, pick } = useShared();
  const [fleet, setFleet] = useState<Fleet | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  useEffect(() => {
    let current = true;
    documents.ask<Fleet>("fleet").then(
      (answer) => {
        if (!current) return;
        setFleet(answer);
        setProblem(null);
      },
      (reason: unknown) => current && setProblem(refused(reason)),
    );
    return () => {
      current = false;
    };
  }, [documents, version]);
  if (!fleet) return <main class="middle">{problem ? <Trouble problem={problem} /> : <p class="hint">…</p>}</main>;
  const { reach, causes } = fleet;
  const commonest = [...reach.sharing].sort((a, b) => b.lines - a.lines).slice(0, MOST_NUMBERS);
  const sharing = commonest.sort((a, b) => a.nodes - b.nodes);
  return (
    <main class="middle fleet" tabIndex={-1}>
      <h1>{count(reach.nodes, "node")}</h1>
      <p class="sub">From the store. Click a line to highlight what may change with it on the node that is shown.</p>
      {causes ? (
        <Section title="changed nodes by cause" note={`${causes.changed.toLocaleString("en")} of ${count(causes.nodes, "node")}, ${count(causes.causes, "cause")}`}>
          <Bars bars={causes.bars} length={(bar) => bar.nodes} tell={(bar) => `${count(bar.nodes, "node")}, ${count(bar.outputs, "output")}`} label="changed nodes by cause" />
        </Section>
      ) : null}
      <Section title="lines that reach most" note={`${count(reach.lines, "line")} in all`}>
        <Bars bars={reach.bars} length={(bar) => bar.outputs} tell={(bar) => `${count(bar.outputs, "output")} on ${count(bar.nodes, "node")}`} label="lines that reach most" pick={pick} />
      </Section>
      <Section title="how far lines are shared">
        <Bars
          bars={sharing.map(({ nodes, lines }) => ({ label: count(nodes, "node"), nodes, outputs: lines, words: "" }))}
          length={(bar) => bar.outputs}
          tell={(bar) => count(bar.outputs, "line")}
          label="how many lines reach how many nodes"
        />
      </Section>
    </main>
  );
}

interface BarsProps {
  bars: Bar[];
  length: (bar: Bar) => number;
  tell: (bar: Bar) => string;
  label: string;
  pick?: (target: string) => void;
}

function Bars({ bars, length, tell, label, pick }: BarsProps) {
  const longest = Math.max(1, ...bars.map(length));
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.label}>
            <th scope="row">
              {pick ? (
                <button class="quiet" title={`what may change with ${bar.label}`} onClick={() => pick(bar.label)}>
                  {bar.label}
                </button>
              ) : (
                bar.label
              )}
              {bar.words ? <div class="dim">{bar.words}</div> : null}
            </th>
            <td class="length">
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * length(bar)) / longest} height="10" />
              </svg>
            </td>
            <td class="number">{tell(bar)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Small things that many views show: places, inputs, values, problems.
import type { ComponentChildren } from "preact";
import type { Json, Leaf, Place, Refused } from "./data";
import { useShared } from "./context";
import { leafName, leafTarget, longPlaceText, placeText, shown } from "./model";

/** A number with what it counts. */
export const count = (number: number, word: string): string => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

export function PlaceLink({ place, onGo, long }: { place: Place; onGo?: (place: Place) => void; long?: boolean }) {
  if (!place.file) return null;
  const text = long ? longPlaceText(place) : placeText(place);
  const whole = `${place.file}${place.line ? `:${place.line}` : ""}${place.column ? `:${place.column}` : ""}`;
  if (!onGo || !place.line) return <span class="place" title={whole}>{text}</span>;
  return (
    <button class="place" title={`show ${whole}`} onClick={() => onGo(place)}>
      {text}
    </button>
  );
}

/** An input, to be clicked on: what may change with it lights up. */
export function Chip({ leaf }: { leaf: Leaf }) {
  const { pick, lit } = useShared();
  const target = leafTarget(leaf);
  const value = leaf.absent ? " (absent)" : leaf.kind === "literal" || leaf.kind === "file" ? "" : ` = ${shown(leaf.value, 40)}`;
  const place = leaf.file && leaf.kind === "literal" ? ` ${placeText(leaf)}` : "";
  return (
    <button
      class={`chip kind-${leaf.kind}${lit?.input === target ? " lit" : ""}`}
      aria-pressed={lit?.input === target}
      title={`what may change with ${target}`}
      onClick={() => pick(target)}
    >
      {leafName(leaf)}
      {value}
      {place ? <span class="dim">{place}</span> : null}
    </button>
  );
}

export function Value({ value, limit }: { value: Json | undefined; limit?: number }) {
  return <code class="value">{shown(value, limit)}</code>;
}

export function Trouble({ problem, lead }: { problem: Refused; lead?: string }) {
  return (
    <div class="trouble" role="alert">
      {lead ? <strong>{lead}</strong> : null}
      <pre tabIndex={0}>{problem.document.text ?? problem.message}</pre>
    </div>
  );
}

export function Section({ title, exact, children, note }: { title: string; exact?: string; children: ComponentChildren; note?: string }) {
  return (
    <section class="part">
      <h2>
        {title} {exact ? <code class="exact">{exact}</code> : null}
        {note ? <span class="note">{note}</span> : null}
      </h2>
      {children}
    </section>
  );
}

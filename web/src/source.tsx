// A source, read only: the literal marked, the places of the story underlined, literals to be clicked on.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Leaf, Place } from "./data";
import { pieces } from "./highlight";

export interface Mark extends Place {
  /** As long as this text, if it is known. */
  text?: string;
  kind: "edit" | "hand" | "hidden" | "redex" | "label";
  title?: string;
  tint?: number;
}

interface Props {
  file: string;
  text: string;
  marks: Mark[];
  /** The place to scroll to. */
  at?: Place | null;
  literals?: Leaf[];
  lit?: (leaf: Leaf) => boolean;
  onLiteral?: (leaf: Leaf) => void;
  onLine?: (line: number) => void;
  /** What a click into a line does, with its column. */
  onPlace?: (line: number, column: number) => void;
  /** Show only so many lines round the place. */
  tall?: boolean;
}

interface Stretch {
  start: number;
  end: number;
  className: string;
  title?: string;
  tint?: number;
  literal?: Leaf;
}

export function Source({ file, text, marks, at, literals, lit, onLiteral, onLine, onPlace, tall }: Props) {
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const box = useRef<HTMLDivElement>(null);
  const byLine = useMemo(() => stretches(lines, file, marks, literals ?? [], lit), [lines, file, marks, literals, lit]);
  useEffect(() => {
    const row = at?.line ? box.current?.querySelector<HTMLElement>(`[data-line="${at.line}"]`) : null;
    if (row && box.current) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 3;
  }, [file, at?.line, at?.column, text]);
  const hit = new Set(marks.filter((mark) => mark.kind === "edit" && mark.file === file).map((mark) => mark.line));
  return (
    <div class={`source${tall ? " tall" : ""}`} ref={box} tabIndex={0} role="region" aria-label={`source ${file}`}>
      <ol class="lines">
        {lines.map((line, index) => {
          const number = index + 1;
          const classes = `${hit.has(number) ? "hit" : ""}${at?.line === number ? " at" : ""}`;
          return (
            <li class={classes} data-line={number} key={number}>
              {onLine ? (
                <button class="ln" tabIndex={-1} title={`what may change with line ${number}`} onClick={() => onLine(number)}>
                  {number}
                </button>
              ) : (
                <span class="ln">{number}</span>
              )}
              <code onClick={onPlace ? (event) => onPlace(number, columnOf(event)) : undefined}>{painted(line, file, byLine.get(number) ?? [], onLiteral)}</code>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The column that a click is at, from 1, in code points. */
function columnOf(event: MouseEvent): number {
  const page = document as Document & { caretPositionFromPoint?: (x: number, y: number) => { offsetNode: Node; offset: number } | null };
  const caret = page.caretPositionFromPoint?.(event.clientX, event.clientY);
  const range = caret ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
  const [node, offset] = caret ? [caret.offsetNode, caret.offset] : range ? [range.startContainer, range.startOffset] : [null, 0];
  if (!node) return 1;
  const before = document.createRange();
  before.setStart(event.currentTarget as Node, 0);
  before.setEnd(node, offset);
  return [...before.toString()].length + 1;
}

/** What to mark, by line. */
function stretches(
  lines: string[],
  file: string,
  marks: Mark[],
  literals: Leaf[],
  lit?: (leaf: Leaf) => boolean,
): Map<number, Stretch[]> {
  const table = new Map<number, Stretch[]>();
  const add = (place: Place, length: string | undefined, stretch: Omit<Stretch, "start" | "end">): void => {
    if (place.file !== file || !place.line) return;
    let start = (place.column ?? 1) - 1;
    const parts = (length ?? "").split("\n");
    parts.forEach((part, offset) => {
      const line = lines[place.line! - 1 + offset] ?? "";
      // A datum in quotes is longer than its value.
      const quoted = length !== undefined && `'"`.includes(line[start] ?? " ") && part[0] !== line[start];
      const end = length && !quoted ? Math.min(line.length, start + part.length) : wordEnd(line, start);
      const row = table.get(place.line! + offset) ?? [];
      if (end > start) row.push({ ...stretch, start, end });
      table.set(place.line! + offset, row);
      start = 0;
    });
  };
  for (const leaf of literals) add(leaf, leaf.text, { className: `literal${lit?.(leaf) ? " lit" : ""}`, literal: leaf });
  for (const mark of marks) add(mark, mark.text, { className: `mark-${mark.kind}`, title: mark.title, tint: mark.tint });
  return table;
}

function wordEnd(line: string, start: number): number {
  const rest = line.slice(start);
  const word = /^("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\$?[\w:.@/-]+|\S+)/.exec(rest);
  return start + (word ? word[0].length : Math.min(1, rest.length));
}

/** A line: coloured by shape, and cut where marks begin and end. */
function painted(line: string, file: string, marks: Stretch[], onLiteral?: (leaf: Leaf) => void) {
  const cuts = new Set<number>([0, line.length]);
  for (const mark of marks) cuts.add(mark.start).add(mark.end);
  const bounds = [...cuts].sort((a, b) => a - b);
  const colours = pieces(line, file);
  return bounds.slice(0, -1).map((start, index) => {
    const end = bounds[index + 1]!;
    const over = marks.filter((mark) => mark.start <= start && mark.end >= end);
    const content = between(colours, start, end);
    if (!over.length) return content;
    const names = [...new Set(over.map((mark) => mark.className))].join(" ");
    const title = over.map((mark) => mark.title).filter(Boolean).join("; ") || undefined;
    const tint = over.find((mark) => mark.tint !== undefined)?.tint;
    const style = tint === undefined ? undefined : { "--hue": String(tint) };
    const literal = over.find((mark) => mark.literal)?.literal;
    if (literal && onLiteral) {
      return (
        <button class={names} style={style} title={title ?? "what may change with this"} onClick={() => onLiteral(literal)}>
          {content}
        </button>
      );
    }
    return over.some((mark) => mark.className === "mark-edit") ? (
      <mark class={names} title={title}>
        {content}
      </mark>
    ) : (
      <span class={names} style={style} title={title}>
        {content}
      </span>
    );
  });
}

function between(colours: { text: string; kind: string }[], start: number, end: number) {
  const out = [];
  let at = 0;
  for (const piece of colours) {
    const from = Math.max(start, at);
    const to = Math.min(end, at + piece.text.length);
    if (from < to) {
      const text = piece.text.slice(from - at, to - at);
      out.push(piece.kind ? <span class={`c-${piece.kind}`}>{text}</span> : text);
    }
    at += piece.text.length;
    if (at >= end) break;
  }
  return out;
}

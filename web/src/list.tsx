// A list that may be long: only the rows that can be seen are there.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Row {
  key: string;
  depth: number;
  label: string;
  note?: string;
  /** Undefined: nothing below it. */
  open?: boolean;
  className?: string;
}

interface Props {
  rows: Row[];
  selected: string;
  label: string;
  onSelect: (key: string) => void;
  onToggle: (key: string, open: boolean) => void;
  onEnter: () => void;
  children?: ComponentChildren;
}

const SPARE = 12;

export function VirtualTree({ rows, selected, label, onSelect, onToggle, onEnter }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(600);
  const [height, setHeight] = useState(27);
  const current = rows.findIndex((row) => row.key === selected);

  useLayoutEffect(() => {
    const measure = (): void => {
      if (!box.current) return;
      setTall(box.current.clientHeight);
      setHeight(parseFloat(getComputedStyle(box.current).getPropertyValue("--row")) || 27);
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = box.current;
    if (!element || current < 0) return;
    const y = current * height;
    if (y < element.scrollTop) element.scrollTop = Math.max(0, y - height);
    else if (y + height > element.scrollTop + element.clientHeight) element.scrollTop = y + 2 * height - element.clientHeight;
  }, [selected, rows, height]);

  const first = Math.max(0, Math.floor(top / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + tall) / height) + SPARE);

  const key = (event: KeyboardEvent): void => {
    const row = rows[current];
    const to = (index: number): void => {
      const target = rows[Math.max(0, Math.min(rows.length - 1, index))];
      if (target) onSelect(target.key);
    };
    switch (event.key) {
      case "ArrowDown":
        to(current + 1);
        break;
      case "ArrowUp":
        to(current < 0 ? 0 : current - 1);
        break;
      case "Home":
        to(0);
        break;
      case "End":
        to(rows.length - 1);
        break;
      case "PageDown":
        to(current + Math.floor(tall / height));
        break;
      case "PageUp":
        to(current - Math.floor(tall / height));
        break;
      case "ArrowRight":
        if (row?.open === false) onToggle(row.key, true);
        else to(current + 1);
        break;
      case "ArrowLeft":
        if (row?.open) onToggle(row.key, false);
        else to(rows.findLastIndex((other, index) => index < current && other.depth < (row?.depth ?? 0)));
        break;
      case "Enter":
        onEnter();
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <div
      class="tree"
      ref={box}
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={current >= 0 ? `row-${current}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={key}
    >
      <div class="tall" role="presentation" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((row, offset) => {
          const index = first + offset;
          return (
            <div
              key={row.key}
              id={`row-${index}`}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-selected={row.key === selected}
              aria-expanded={row.open}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              class={`row${row.key === selected ? " selected" : ""} ${row.className ?? ""}`}
              style={{ top: `${index * height}px`, paddingLeft: `${8 + row.depth * 14}px` }}
              onClick={() => onSelect(row.key)}
              title={row.label}
            >
              <span
                class={row.open === undefined ? "twist none" : row.open ? "twist open" : "twist"}
                aria-hidden="true"
                onClick={(event) => {
                  if (row.open === undefined) return;
                  event.stopPropagation();
                  onToggle(row.key, !row.open);
                }}
              />
              <span class="label">{row.label}</span>
              {row.note ? <span class="note">{row.note}</span> : null}
            </div>
          );
        })}
      </div>
    </div>
  );
}

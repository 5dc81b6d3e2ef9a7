// The graph of a catalog: what contains what, what comes before what; cycles red; the order of application beside it.
import dagre from "@dagrejs/dagre";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useShared } from "./context";
import type { GraphDocument } from "./data";
import { go } from "./state";

const MOST = 150;
/** Resources that are drawn at once; of a larger catalog, those near the chosen one. */

interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  group: boolean;
  red: boolean;
}

interface Line {
  points: { x: number; y: number }[];
  notify: boolean;
  red: boolean;
  title: string;
}

interface Drawing {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

export function GraphView({ centre }: { centre: string }) {
  const { model } = useShared();
  const graph = model.graph;
  if (!graph) {
    return (
      <main class="middle wide" tabIndex={-1}>
        <h1>graph</h1>
        <p class="hint">Only a catalog has relationships: this language has none.</p>
      </main>
    );
  }
  return <Drawn graph={graph} centre={centre} />;
}

function Drawn({ graph, centre }: { graph: GraphDocument; centre: string }) {
  const { lit } = useShared();
  const large = graph.nodes.length > MOST;
  const [steps, setSteps] = useState(2);
  const [near, setNear] = useState(false);
  const focus = centre && graph.nodes.some((node) => node.name === centre) ? centre : "";
  const start = focus || (large ? busiest(graph) : "");
  const part = useMemo(() => (start && (near || large) ? around(graph, start, steps) : graph), [graph, start, steps, near, large]);
  const drawing = useMemo(() => laidOut(part), [part]);
  const order = useMemo(() => application(graph), [graph]);
  const numbers = useMemo(() => new Map(order.map((name, index) => [name, index + 1])), [order]);
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  useEffect(() => {
    if (!box.current) return;
    setZoom(Math.max(0.45, Math.min(1, (box.current.clientWidth - 24) / drawing.width)));
  }, [drawing]);
  useEffect(() => {
    const target = drawing.boxes.find((each) => each.name === focus);
    if (target && box.current) {
      box.current.scrollTo(target.x * zoom - box.current.clientWidth / 2, target.y * zoom - box.current.clientHeight / 2);
    }
  }, [focus, drawing, zoom]);
  return (
    <main class="middle wide graph" tabIndex={-1}>
      <div class="bar">
        <h1>{focus || "graph"}</h1>
        <span class="sub">
          {part.nodes.length} of {graph.nodes.length} resources, {part.arrows.length} arrows
          {graph.cycles.length ? <strong class="bad"> · {graph.cycles.length === 1 ? "a cycle" : `${graph.cycles.length} cycles`}</strong> : null}
        </span>
        <span class="space" />
        {!large ? (
          <label>
            <input type="checkbox" checked={near} disabled={!focus} onChange={(event) => setNear(event.currentTarget.checked)} /> only near it
          </label>
        ) : null}
        {near || large ? (
          <label>
            arrows{" "}
            <input type="range" min={1} max={6} value={steps} onInput={(event) => setSteps(Number(event.currentTarget.value))} />
          </label>
        ) : null}
        <button onClick={() => setZoom(zoom * 1.25)} aria-label="larger">
          +
        </button>
        <button onClick={() => setZoom(zoom / 1.25)} aria-label="smaller">
          −
        </button>
      </div>
      {graph.cycles.map((cycle) => (
        <p class="bad cycle">cycle: {cycle.join(" → ")}</p>
      ))}
      <div class="drawing" ref={box} tabIndex={0} role="region" aria-label="drawing of the graph">
        <svg width={drawing.width * zoom} height={drawing.height * zoom} viewBox={`0 0 ${drawing.width} ${drawing.height}`} role="img" aria-label={`graph of ${part.nodes.length} resources; the list beside it has the same in words`}>
          <defs>
            {["arrow", "arrow-red"].map((id) => (
              <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
                <path d="M0 0L8 4L0 8z" class={id} />
              </marker>
            ))}
          </defs>
          {drawing.boxes
            .filter((each) => each.group)
            .map((each) => (
              <g class={`group${each.name === focus ? " focus" : ""}${each.red ? " red" : ""}`} onClick={() => go("graph", each.name)}>
                <rect x={each.x - each.width / 2} y={each.y - each.height / 2} width={each.width} height={each.height} rx={8} />
                <text x={each.x - each.width / 2 + 10} y={each.y - each.height / 2 + 16}>
                  {each.name}
                </text>
              </g>
            ))}
          {drawing.lines.map((line) => (
            <path class={`line${line.notify ? " notify" : ""}${line.red ? " red" : ""}`} d={curve(line.points)} marker-end={`url(#${line.red ? "arrow-red" : "arrow"})`}>
              <title>{line.title}</title>
            </path>
          ))}
          {drawing.boxes
            .filter((each) => !each.group)
            .map((each) => (
              <g
                class={`node${each.name === focus ? " focus" : ""}${each.red ? " red" : ""}${lit ? (lit.items.has(each.name) ? " lit" : " dimmed") : ""}`}
                onClick={() => go("graph", each.name)}
              >
                <rect x={each.x - each.width / 2} y={each.y - each.height / 2} width={each.width} height={each.height} rx={6} />
                <text x={each.x} y={each.y + 4} text-anchor="middle">
                  <tspan class="number">{numbers.get(each.name) ?? ""} </tspan>
                  {short(each.name)}
                </text>
                <title>{each.name}</title>
              </g>
            ))}
        </svg>
      </div>
      <section class="application" aria-label="order of application">
        <h2>order of application</h2>
        <ol>
          {order.slice(0, 2000).map((name) => (
            <li class={`${name === focus ? "selected" : ""}${lit ? (lit.items.has(name) ? " lit" : " dimmed") : ""}`}>
              <button class="quiet" onClick={() => go("graph", name)}>
                {name}
              </button>
              {name === focus ? (
                <button class="quiet" onClick={() => go("catalog", name)}>
                  open
                </button>
              ) : null}
            </li>
          ))}
        </ol>
      </section>
    </main>
  );
}

function short(name: string): string {
  return name.length > 44 ? `${name.slice(0, 20)}…${name.slice(-22)}` : name;
}

/** The resource with the most arrows: where to begin in a large catalog. */
function busiest(graph: GraphDocument): string {
  const counts = new Map<string, number>();
  for (const arrow of graph.arrows) for (const end of [arrow.source, arrow.target]) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? graph.nodes[0]?.name ?? "";
}

/** What can be reached from a resource by a few arrows, and what contains it. At most as many as can be drawn. */
function around(graph: GraphDocument, name: string, steps: number): GraphDocument {
  const near = new Set([name]);
  const containers = new Map(graph.nodes.map((node) => [node.name, node.container]));
  const children = new Map<string, string[]>();
  for (const node of graph.nodes) if (node.container) added(children, node.container, node.name);
  let edge = new Set([name, ...(children.get(name) ?? []).slice(0, MOST / 2)]);
  for (const each of edge) near.add(each);
  for (let step = 0; step < steps && near.size < MOST; step++) {
    const next = new Set<string>();
    for (const arrow of graph.arrows) {
      if (edge.has(arrow.source) && !near.has(arrow.target)) next.add(arrow.target);
      if (edge.has(arrow.target) && !near.has(arrow.source)) next.add(arrow.source);
    }
    for (const each of next) if (near.size < MOST) near.add(each);
    edge = next;
  }
  for (const inner of [...near]) {
    for (let outer = containers.get(inner); outer && !near.has(outer); outer = containers.get(outer)) near.add(outer);
  }
  return {
    nodes: graph.nodes.filter((node) => near.has(node.name)),
    arrows: graph.arrows.filter((arrow) => near.has(arrow.source) && near.has(arrow.target)),
    cycles: graph.cycles.filter((cycle) => cycle.every((each) => near.has(each))),
  };
}

function laidOut(graph: GraphDocument): Drawing {
  const red = new Set(graph.cycles.flat());
  const pairs = new Set(graph.cycles.flatMap((cycle) => cycle.slice(1).map((to, index) => `${cycle[index]}\n${to}`)));
  const groups = new Set(graph.nodes.map((node) => node.container).filter((name): name is string => !!name));
  const drawn = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  drawn.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 46, marginx: 16, marginy: 28 });
  drawn.setDefaultEdgeLabel(() => ({}));
  for (const node of graph.nodes) {
    if (groups.has(node.name)) drawn.setNode(node.name, { label: node.name });
    else drawn.setNode(node.name, { width: short(node.name).length * 7.1 + 44, height: 30 });
  }
  for (const node of graph.nodes) if (node.container && drawn.hasNode(node.container)) drawn.setParent(node.name, node.container);
  // An arrow can not end at a box round others: it ends at the first that the box holds.
  const first = new Map<string, string>();
  for (const node of graph.nodes) if (!groups.has(node.name)) for (let up = node.container; up; up = containerOf(up)) if (!first.has(up)) first.set(up, node.name);
  graph.arrows.forEach((arrow, index) => {
    const from = groups.has(arrow.source) ? first.get(arrow.source) : arrow.source;
    const to = groups.has(arrow.target) ? first.get(arrow.target) : arrow.target;
    if (from && to && from !== to) drawn.setEdge(from, to, { index }, String(index));
  });
  dagre.layout(drawn);
  const boxes = drawn.nodes().map((name: string): Box => {
    const node = drawn.node(name) as { x: number; y: number; width: number; height: number };
    const group = groups.has(name);
    // Room for the name of a box.
    return { name, x: node.x, y: group ? node.y - 8 : node.y, width: group ? Math.max(node.width, name.length * 7.4 + 24) : node.width, height: group ? node.height + 16 : node.height, group, red: red.has(name) };
  });
  const lines = drawn.edges().map((edge: { v: string; w: string; name?: string }): Line => {
    const label = drawn.edge(edge) as { index: number; points: { x: number; y: number }[] };
    const arrow = graph.arrows[label.index]!;
    const place = arrow.file ? ` (${arrow.file}:${arrow.line})` : "";
    return {
      points: label.points,
      notify: arrow.kind === "notify",
      red: pairs.has(`${arrow.source}\n${arrow.target}`),
      title: `${arrow.source} ${arrow.kind === "notify" ? "notifies" : "before"} ${arrow.target}${place}`,
    };
  });
  const right = Math.max(200, ...boxes.map((each) => each.x + each.width / 2)) + 16;
  const bottom = Math.max(80, ...boxes.map((each) => each.y + each.height / 2)) + 16;
  return { boxes, lines, width: right, height: bottom };

  function containerOf(name: string): string | null {
    return graph.nodes.find((node) => node.name === name)?.container ?? null;
  }
}

function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  rest.forEach((point, index) => {
    const before = points[index]!;
    const middle = (before.x + point.x) / 2;
    path += `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
  });
  return path;
}

function added(table: Map<string, string[]>, key: string, name: string): void {
  const names = table.get(key);
  if (names) names.push(name);
  else table.set(key, [name]);
}

/** An order in which the resources may be applied: what comes before, first; else as they stand in the catalog. */
function application(graph: GraphDocument): string[] {
  const containers = new Set(graph.nodes.map((node) => node.container));
  const inside = new Map<string, string[]>();
  const leaves = graph.nodes.filter((node) => !containers.has(node.name) && !/^(Class|Node)\[/.test(node.name));
  const parents = new Map(graph.nodes.map((node) => [node.name, node.container]));
  for (const node of leaves) {
    for (let up: string | null | undefined = node.name; up; up = parents.get(up)) added(inside, up, node.name);
  }
  const before = new Map<string, Set<string>>(leaves.map((node) => [node.name, new Set()]));
  for (const arrow of graph.arrows) {
    for (const to of inside.get(arrow.target) ?? []) for (const from of inside.get(arrow.source) ?? []) before.get(to)?.add(from);
  }
  const done = new Set<string>();
  const order: string[] = [];
  const waiting = new Map<string, string[]>();
  const missing = new Map([...before].map(([name, names]) => [name, names.size]));
  for (const [name, names] of before) for (const from of names) added(waiting, from, name);
  const position = new Map(leaves.map((node, index) => [node.name, index]));
  const ready = leaves.filter((node) => !missing.get(node.name)).map((node) => node.name).reverse();
  let left = 0;
  while (order.length < leaves.length) {
    // What is left stands in a cycle: told as it stands in the catalog.
    while (!ready.length && done.has(leaves[left]!.name)) left++;
    const name = ready.pop() ?? leaves[left]!.name;
    if (done.has(name)) continue;
    done.add(name);
    order.push(name);
    const next = (waiting.get(name) ?? []).filter((each) => {
      const left = (missing.get(each) ?? 0) - 1;
      missing.set(each, left);
      return left === 0;
    });
    next.sort((a, b) => (position.get(b) ?? 0) - (position.get(a) ?? 0));
    ready.push(...next);
  }
  return order;
}

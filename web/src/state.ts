// Where the reader is: kept in the address, so that every view can be linked to and the browser's buttons work.
//
//   #File[/etc/motd].mode            a value        #/graph/Service[nginx]      the graph, near a resource
//   #/impact/fact:os.family          an input       #/diff/since/main           what differs
//   #/inputs/fact                    inputs         #/steps/G22/7               a step of a derivation
//
// The node is in the query: ?node=web01.
import { useEffect, useState } from "preact/hooks";

export type View = "catalog" | "graph" | "diff" | "steps" | "inputs" | "impact" | "fleet";

export interface Route {
  view: View;
  /** Of the catalog a path, of the graph a resource, of impact an input; else what follows the view's name. */
  rest: string;
  node: string;
}

const VIEWS: View[] = ["graph", "diff", "steps", "inputs", "impact", "fleet"];

let rememberedNode: string | null = null;

export function readRoute(): Route {
  let hash = location.hash.slice(1);
  try {
    hash = decodeURIComponent(hash);
  } catch {
    // an address that somebody wrote by hand: taken as it stands
  }
  const node = rememberedNode ?? new URLSearchParams(location.search).get("node") ?? "";
  const shape = /^\/(\w+)(?:\/(.*))?$/s.exec(hash);
  const view = VIEWS.find((name) => name === shape?.[1]);
  return view ? { view, rest: shape?.[2] ?? "", node } : { view: "catalog", rest: hash, node };
}

export function hashOf(view: View, rest: string): string {
  const text = view === "catalog" ? rest : `/${view}${rest ? `/${rest}` : ""}`;
  return "#" + encodeURI(text).replaceAll("#", "%23");
}

export function go(view: View, rest: string): void {
  location.hash = hashOf(view, rest);
}

export function goNode(node: string): void {
  const url = new URL(location.href);
  url.searchParams.set("node", node);
  rememberedNode = node;
  try {
    history.pushState(null, "", url);
  } catch {
    // a page on disk may not be allowed to change its address
  }
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = (): void => setRoute(readRoute());
    const back = (): void => {
      rememberedNode = null;
      read();
    };
    addEventListener("hashchange", read);
    addEventListener("popstate", back);
    return () => {
      removeEventListener("hashchange", read);
      removeEventListener("popstate", back);
    };
  }, []);
  return route;
}

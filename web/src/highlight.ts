// Colours for sources: a few kinds of words, told by shape. A line is coloured by itself, so that a long file costs nothing.

export interface Piece {
  text: string;
  kind: "" | "comment" | "string" | "number" | "variable" | "keyword" | "tag";
}

export const KEYWORDS: Record<string, string> = {
  pp: "and|application|attr|case|class|default|define|else|elsif|false|function|if|import|in|include|inherits|node|or|true|type|undef|unless|contain|require",
  nix: "assert|else|false|if|import|in|inherit|let|null|or|rec|then|true|with",
  sf: "extends|DATA|true|false|null|sfConfig",
  yaml: "true|false|null|yes|no",
};

const SHAPES: Record<string, RegExp> = {};

function shapeFor(file: string): RegExp {
  const suffix = /\.(\w+)$/.exec(file)?.[1] ?? "";
  const kind = suffix === "yml" || suffix === "eyaml" ? "yaml" : suffix;
  const known = SHAPES[kind];
  if (known) return known;
  const comment = kind === "sf" ? "\\/\\/.*" : "(?:^|\\s)#.*";
  const words = KEYWORDS[kind];
  const parts = [
    `(?<comment>${comment})`,
    kind === "epp" || kind === "erb" ? "(?<tag><%[=#-]?|-?%>)" : "(?<tag>(?!))",
    kind === "yaml" ? "(?<variable>^\\s*-?\\s*[\\w:.'\"-]+(?=\\s*:(?:\\s|$)))" : "(?<variable>\\$\\{?[a-z_:][\\w:]*\\}?|@\\w+)",
    "(?<string>\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^'\\\\]|\\\\.)*'?)",
    "(?<number>\\b\\d[\\d.]*\\b)",
    words ? `(?<keyword>\\b(?:${words})\\b)` : "(?<keyword>(?!))",
  ];
  return (SHAPES[kind] = new RegExp(parts.join("|"), "g"));
}

export function pieces(line: string, file: string): Piece[] {
  if (line.length > 2000) return [{ text: line, kind: "" }];
  const out: Piece[] = [];
  let at = 0;
  for (const word of line.matchAll(shapeFor(file))) {
    if (word.index > at) out.push({ text: line.slice(at, word.index), kind: "" });
    const kind = Object.entries(word.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? "";
    out.push({ text: word[0], kind: kind as Piece["kind"] });
    at = word.index + word[0].length;
  }
  if (at < line.length) out.push({ text: line.slice(at), kind: "" });
  return out;
}

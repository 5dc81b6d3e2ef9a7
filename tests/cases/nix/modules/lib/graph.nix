# Graphs as sets from a node's name to the names it points to.
{ lib }:
rec {
  nodes = graph: lib.unique (lib.attrNames graph ++ lib.concatLists (lib.attrValues graph));
  successors = graph: node: graph.${node} or [ ];
  predecessors = graph: node: lib.filter (other: lib.elem node (successors graph other)) (nodes graph);
  reverse = graph: lib.genAttrs (nodes graph) (predecessors graph);
  roots = graph: lib.filter (node: predecessors graph node == [ ]) (nodes graph);
  leaves = graph: lib.filter (node: successors graph node == [ ]) (nodes graph);

  # Everything reachable from some nodes, themselves included, in the order of discovery.
  reachable = graph: start: map (each: each.key) (builtins.genericClosure {
    startSet = map (key: { inherit key; }) start;
    operator = each: map (key: { inherit key; }) (successors graph each.key);
  });
  reaches = graph: from: to: lib.elem to (reachable graph (successors graph from));
  isCyclic = graph: lib.any (node: reaches graph node node) (nodes graph);
  cycleMembers = graph: lib.filter (node: reaches graph node node) (nodes graph);

  topological = graph:
    let sorted = lib.toposort (a: b: lib.elem a (successors graph b)) (nodes graph);
    in sorted.result or (throw "cycle: ${lib.concatStringsSep " -> " (sorted.cycle ++ sorted.loops)}");

  # How many steps to a leaf at most.
  depth = graph:
    let
      depths = lib.genAttrs (nodes graph) (node:
        builtins.foldl' lib.max 0 (map (next: 1 + depths.${next}) (successors graph node)));
    in depths;
  layers = graph:
    let depths = depth graph;
    in lib.mapAttrs (_: lib.sort builtins.lessThan) (builtins.groupBy (node: toString depths.${node}) (nodes graph));

  shortestPath = graph: from: to:
    let
      go = frontier: seen:
        let
          found = lib.findFirst (path: lib.last path == to) null frontier;
          grown = lib.concatMap
            (path: map (next: path ++ [ next ]) (lib.subtractLists seen (successors graph (lib.last path))))
            frontier;
          next = builtins.foldl'
            (acc: path: if lib.any (other: lib.last other == lib.last path) acc then acc else acc ++ [ path ])
            [ ] grown;
        in
          if found != null then found
          else if next == [ ] then null
          else go next (seen ++ map lib.last next);
    in go [ [ from ] ] [ from ];

  transitiveReduction = graph: lib.mapAttrs
    (node: targets: lib.filter
      (target: !(lib.any (other: other != target && lib.elem target (reachable graph [ other ])) targets))
      targets)
    graph;
  components = graph:
    let
      both = lib.zipAttrsWith (_: lists: lib.unique (lib.concatLists lists)) [ graph (reverse graph) ];
      go = rest: if rest == [ ] then [ ] else
        let members = reachable both [ (lib.head rest) ];
        in [ (lib.sort builtins.lessThan members) ] ++ go (lib.subtractLists members rest);
    in go (nodes graph);
  toDot = name: graph: "digraph ${name} {\n" + lib.concatStrings (lib.concatLists
    (lib.mapAttrsToList (from: map (to: "  ${from} -> ${to};\n")) graph)) + "}\n";
}

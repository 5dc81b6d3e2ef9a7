# Lists.
{ lib }:
let
  inherit (builtins) elemAt genList length head tail filter elem concatLists sort;
in
rec {
  inherit (builtins) map filter head tail length elem elemAt genList concatLists concatMap all any partition groupBy;
  foldl' = builtins.foldl';

  singleton = x: [ x ];
  toList = x: if builtins.isList x then x else [ x ];
  optional = condition: x: if condition then [ x ] else [ ];
  optionals = condition: xs: if condition then xs else [ ];
  forEach = xs: f: map f xs;
  isEmpty = xs: xs == [ ];

  # `f x0 (f x1 (... start))`
  foldr = f: start: xs:
    let
      count = length xs;
      go = n: if n == count then start else f (elemAt xs n) (go (n + 1));
    in go 0;
  fold = foldr;

  foldl = f: start: xs:
    let go = n: if n < 0 then start else f (go (n - 1)) (elemAt xs n);
    in go (length xs - 1);

  # All intermediate results of a fold.
  scanl = f: start: xs:
    foldl' (acc: x: acc ++ [ (f (last acc) x) ]) [ start ] xs;

  imap0 = f: xs: genList (n: f n (elemAt xs n)) (length xs);
  imap1 = f: xs: genList (n: f (n + 1) (elemAt xs n)) (length xs);

  flatten = x: if builtins.isList x then concatLists (map flatten x) else [ x ];
  flattenOnce = xs: concatLists (map toList xs);

  remove = x: filter (y: y != x);
  without = unwanted: filter (x: !(elem x unwanted));
  count = p: foldl' (n: x: if p x then n + 1 else n) 0;
  sum = foldl' builtins.add 0;
  product = foldl' builtins.mul 1;
  maximum = xs: foldl' lib.max (head xs) (tail xs);
  minimum = xs: foldl' lib.min (head xs) (tail xs);

  findFirstIndex = p: default: xs:
    let
      size = length xs;
      go = n: if n == size then default else if p (elemAt xs n) then n else go (n + 1);
    in go 0;
  findFirst = p: default: xs:
    let index = findFirstIndex p null xs;
    in if index == null then default else elemAt xs index;
  findSingle = p: none: many: xs:
    let found = filter p xs;
    in if found == [ ] then none else if length found > 1 then many else head found;
  indexOf = x: findFirstIndex (y: x == y) null;

  range = first: final: if first > final then [ ] else genList (n: first + n) (final - first + 1);
  replicate = n: x: genList (_: x) n;

  zipListsWith = f: xs: ys: genList (n: f (elemAt xs n) (elemAt ys n)) (lib.min (length xs) (length ys));
  zipLists = zipListsWith (fst: snd: { inherit fst snd; });
  enumerate = imap0 (index: value: { inherit index value; });

  reverseList = xs: let size = length xs; in genList (n: elemAt xs (size - n - 1)) size;

  sublist = start: size: xs:
    let available = length xs;
    in genList (n: elemAt xs (n + start))
      (if start >= available then 0
       else if start + size > available then available - start
       else size);
  take = sublist 0;
  drop = n: xs: sublist n (length xs) xs;
  takeWhile = p: xs: let stop = findFirstIndex (x: !(p x)) (length xs) xs; in take stop xs;
  dropWhile = p: xs: let stop = findFirstIndex (x: !(p x)) (length xs) xs; in drop stop xs;
  last = xs: assert xs != [ ]; elemAt xs (length xs - 1);
  init = xs: assert xs != [ ]; take (length xs - 1) xs;
  splitAt = n: xs: { before = take n xs; after = drop n xs; };
  chunksOf = size: xs:
    if xs == [ ] then [ ] else [ (take size xs) ] ++ chunksOf size (drop size xs);
  windows = size: xs:
    if length xs < size then [ ] else genList (n: sublist n size xs) (length xs - size + 1);

  hasPrefixList = prefix: xs: take (length prefix) xs == prefix;
  removePrefixList = prefix: xs:
    if hasPrefixList prefix xs then drop (length prefix) xs
    else throw "removePrefixList: the list does not begin with the prefix";

  # All pairs, all triples, ...
  crossLists = f: foldl' (fs: args: concatLists (map (g: map g args) fs)) [ f ];
  cartesian = xs: ys: concatLists (map (x: map (y: [ x y ]) ys) xs);

  unique = foldl' (acc: x: if elem x acc then acc else acc ++ [ x ]) [ ];
  allUnique = xs: length (unique xs) == length xs;
  duplicates = xs: unique (filter (x: count (y: y == x) xs > 1) xs);
  intersectLists = xs: filter (x: elem x xs);
  subtractLists = xs: filter (x: !(elem x xs));
  unionLists = xs: ys: unique (xs ++ ys);
  mutuallyExclusive = xs: ys: intersectLists xs ys == [ ];

  # Lexicographic comparison.
  compareLists = cmp: xs: ys:
    if xs == [ ] then (if ys == [ ] then 0 else -1)
    else if ys == [ ] then 1
    else
      let first = cmp (head xs) (head ys);
      in if first == 0 then compareLists cmp (tail xs) (tail ys) else first;

  sortOn = key: xs: map (pair: pair.value)
    (sort (a: b: a.key < b.key) (map (value: { inherit value; key = key value; }) xs));

  # Numbers inside names are compared as numbers: x2 before x10.
  naturalSort = names:
    let
      prepare = name: map
        (part: if builtins.isList part then lib.toInt (head part) else part)
        (builtins.split "(0|[1-9][0-9]*)" name);
      prepared = map (name: { inherit name; parts = prepare name; }) names;
      comparePart = a: b:
        if builtins.typeOf a == builtins.typeOf b then lib.compare a b
        else lib.compare (builtins.typeOf a) (builtins.typeOf b);
    in map (pair: pair.name) (sort (a: b: compareLists comparePart a.parts b.parts < 0) prepared);

  # Depth-first search from the first element; `before a b` says that a must come before b.
  listDfs = stopOnCycles: before: xs:
    let
      go = this: visited: rest:
        let
          cycles = filter (x: before x this) visited;
          split = builtins.partition (x: before x this) rest;
        in
          if stopOnCycles && cycles != [ ]
          then { cycle = this; loops = cycles; inherit visited rest; }
          else if split.right == [ ]
          then { minimal = this; inherit visited rest; }
          else go (head split.right) ([ this ] ++ visited) (tail split.right ++ split.wrong);
    in go (head xs) [ ] (tail xs);

  # Topological order, or the cycle that forbids it.
  toposort = before: xs:
    let
      found = listDfs true before xs;
      others = toposort before (found.visited ++ found.rest);
    in
      if length xs < 2 then { result = xs; }
      else if found ? cycle
      then { cycle = reverseList ([ found.cycle ] ++ found.visited); inherit (found) loops; }
      else if others ? cycle then others
      else { result = [ found.minimal ] ++ others.result; };

  groupByWith = op: start: key: xs:
    lib.mapAttrs (_: members: foldl' op start members) (builtins.groupBy key xs);

  # Runs of equal neighbours.
  runs = xs:
    foldl'
      (acc: x:
        if acc != [ ] && (last acc).value == x
        then init acc ++ [ { value = x; count = (last acc).count + 1; } ]
        else acc ++ [ { value = x; count = 1; } ])
      [ ] xs;

  intersperse = separator: xs:
    if length xs < 2 then xs
    else tail (concatLists (map (x: [ separator x ]) xs));

  transpose = rows:
    if rows == [ ] then [ ]
    else genList (column: map (row: elemAt row column) rows) (length (head rows));

  permutations = xs:
    if xs == [ ] then [ [ ] ]
    else concatLists (imap0
      (n: x: map (rest: [ x ] ++ rest) (permutations (take n xs ++ drop (n + 1) xs)))
      xs);
  powerset = foldr (x: acc: acc ++ map (subset: [ x ] ++ subset) acc) [ [ ] ];
}

# Ways of writing that libraries have come to use, each as small as it can be.
let
  inherit (builtins)
    attrNames
    concatMap
    genList
    isInt
    length
    partition
    ;
  fix = f: let x = f x; in x;

  # A function as the default of a selection, sets of functions compared, a text that goes on inside of its hole.
  shapes = fix (self: {
    anything = { name = "anything"; fits = _: true; };
    number = { name = "number"; fits = isInt; };
    complaint = shape: shape.complaint or (value: "no ${shape.name}: ${
      builtins.toJSON value
    }");
    every = shape: {
      name = "every ${shape.name}";
      fits = if shape == self.anything then builtins.isList else builtins.all shape.fits;
    };
    fields = known: set: concatMap
      (name: if known ? ${name} && known.${name}.fits set.${name} then [ ] else [ name ])
      (attrNames set);
  });

  # A set that can be called, with more than one way in.
  merge = {
    __functor = self: loc: defs: (self.second { inherit loc defs; }).value;
    second = { loc, defs }: { value = loc ++ defs; known.count = length defs; };
  };

  features = partition ({ condition, ... }: condition) [
    { name = "versions"; condition = builtins ? nixVersion; }
    { name = "the far future"; condition = builtins.compareVersions "99" builtins.nixVersion != 1; }
  ];

  size = list:
    if
      let
        count = length list; # between `let` and `in`
      in
      count > 2
    then
      "many"
    # between two branches
    else if list == [ ] then
      "none"
    else
      "few";
in
{
  shapes = {
    same = shapes.anything == shapes.anything;
    names = map (shape: (shapes.every shape).name) [ shapes.anything shapes.number ];
    fit = [ ((shapes.every shapes.anything).fits [ "a" ]) ((shapes.every shapes.number).fits [ 1 "a" ]) ];
    complaints = [ (shapes.complaint shapes.number "x") (shapes.complaint { complaint = _: "own"; } 1) ];
    wrong = shapes.fields { a = shapes.number; b = shapes.anything; } { a = "x"; b = 1; c = 2; };
  };
  called = merge [ "a" ] [ "b" ] ++ [ (merge.second { loc = [ ]; defs = [ 1 2 ]; }).known.count (merge ? second) ];
  features = { right = map ({ name, ... }: name) features.right; wrong = map ({ name, ... }: name) features.wrong; };
  sizes = map size [ [ ] [ 1 ] [ 1 2 3 ] ];
  warned = (builtins.warn or (message: value: value)) "careful" 1;
  defaulted = { a = null; }.a or 5;
  arguments = (args@{ name ? "x", ... }: args // { inherit name; }) { other = 1; };
  layered = builtins.foldl' (acc: layer: acc // layer acc) { n = 1; }
    (genList (i: acc: { n = acc.n + i; ${"k${toString i}"} = acc.n; }) 4);
  zipped = builtins.zipAttrsWith (name: values: { inherit name values; }) [ { a = 1; } { a = 2; b = 3; } ];
  reached = map (item: item.key) (builtins.genericClosure {
    startSet = [ { key = 1; } ];
    operator = item: if item.key > 5 then [ ] else [ { key = item.key + 1; } { key = item.key * 2; } ];
  });
  nested = { a.b.c = 1; a.b.d = 2; a."e f" = 3; ${"g"}.h = 4; };
}

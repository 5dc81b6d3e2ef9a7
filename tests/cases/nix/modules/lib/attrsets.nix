# Attribute sets.
{ lib }:
let
  inherit (builtins) attrNames attrValues hasAttr head tail length listToAttrs concatMap isAttrs;
in
rec {
  inherit (builtins) attrNames attrValues catAttrs getAttr hasAttr intersectAttrs isAttrs listToAttrs mapAttrs
    removeAttrs zipAttrsWith;

  nameValuePair = name: value: { inherit name value; };

  attrByPath = path: default: set:
    let first = head path;
    in
      if path == [ ] then set
      else if isAttrs set && hasAttr first set then attrByPath (tail path) default set.${first}
      else default;
  hasAttrByPath = path: set:
    let first = head path;
    in path == [ ] || (isAttrs set && hasAttr first set && hasAttrByPath (tail path) set.${first});
  setAttrByPath = path: value:
    if path == [ ] then value
    else { ${head path} = setAttrByPath (tail path) value; };
  getAttrFromPath = path: set:
    let missing = throw "cannot find attribute '${lib.concatStringsSep "." path}'";
    in attrByPath path missing set;
  longestValidPath = path: set:
    if path == [ ] || !(isAttrs set) || !(hasAttr (head path) set) then [ ]
    else [ (head path) ] ++ longestValidPath (tail path) set.${head path};
  showAttrPath = path: if path == [ ] then "<root>" else lib.concatMapStringsSep "." lib.escapeNixIdentifier path;

  attrVals = names: set: map (name: set.${name}) names;
  filterAttrs = p: set: listToAttrs (concatMap
    (name: let value = set.${name}; in if p name value then [ (nameValuePair name value) ] else [ ])
    (attrNames set));
  filterAttrsRecursive = p: set: listToAttrs (concatMap
    (name:
      let value = set.${name};
      in
        if p name value
        then [ (nameValuePair name (if isAttrs value then filterAttrsRecursive p value else value)) ]
        else [ ])
    (attrNames set));
  partitionAttrs = p: set: {
    right = filterAttrs p set;
    wrong = filterAttrs (name: value: !(p name value)) set;
  };

  foldlAttrs = f: start: set: builtins.foldl' (acc: name: f acc name set.${name}) start (attrNames set);
  foldAttrs = op: start: sets:
    lib.foldr
      (set: acc: lib.foldr (name: a: a // { ${name} = op set.${name} (a.${name} or start); }) acc (attrNames set))
      { } sets;

  # Every value inside for which `p` holds.
  collect = p: value:
    if p value then [ value ]
    else if isAttrs value then concatMap (collect p) (attrValues value)
    else [ ];
  # The same with the path to each.
  collectWithPath = p: value:
    let
      go = path: value:
        if p value then [ { inherit path value; } ]
        else if isAttrs value then concatMap (name: go (path ++ [ name ]) value.${name}) (attrNames value)
        else [ ];
    in go [ ] value;

  mapAttrs' = f: set: listToAttrs (map (name: f name set.${name}) (attrNames set));
  mapAttrsToList = f: set: map (name: f name set.${name}) (attrNames set);
  attrsToList = mapAttrsToList nameValuePair;
  concatMapAttrs = f: set: builtins.foldl' lib.mergeAttrs { } (attrValues (builtins.mapAttrs f set));

  mapAttrsRecursive = mapAttrsRecursiveCond (_: true);
  mapAttrsRecursiveCond = cond: f: set:
    let
      go = path: builtins.mapAttrs (name: value:
        if isAttrs value && cond value
        then go (path ++ [ name ]) value
        else f (path ++ [ name ]) value);
    in go [ ] set;

  genAttrs = names: f: listToAttrs (map (name: nameValuePair name (f name)) names);
  optionalAttrs = condition: set: if condition then set else { };
  isDerivation = value: isAttrs value && (value.type or null) == "derivation";

  zipAttrs = builtins.zipAttrsWith (_: values: values);
  mergeAttrsList = builtins.foldl' (a: b: a // b) { };
  invert = set: listToAttrs (mapAttrsToList (name: value: nameValuePair value name) set);
  renameAttrs = names: mapAttrs' (name: value: nameValuePair (names.${name} or name) value);

  # Merge deeply; `stop path a b` says where the right side simply replaces the left.
  recursiveUpdateUntil = stop: left: right:
    let
      go = path: builtins.zipAttrsWith (name: values:
        let here = path ++ [ name ];
        in
          if length values == 1 || stop here (lib.last values) (head values)
          then head values
          else go here values);
    in go [ ] [ right left ];
  recursiveUpdate = recursiveUpdateUntil (_: left: right: !(isAttrs left && isAttrs right));
  recursiveMerge = builtins.foldl' recursiveUpdate { };

  # Whether everything in `pattern` is also in `set`.
  matchAttrs = pattern: set:
    lib.all
      (name: hasAttr name set
        && (let a = pattern.${name}; b = set.${name};
            in if isAttrs a && isAttrs b then matchAttrs a b else a == b))
      (attrNames pattern);
  overrideExisting = old: new: builtins.mapAttrs (name: value: new.${name} or value) old;

  # Change values at given paths: [ { path = [ "a" "b" ]; update = old: old + 1; } ... ]
  updateManyAttrsByPath = updates: set:
    let
      here = lib.filter (each: each.path == [ ]) updates;
      below = lib.filter (each: each.path != [ ]) updates;
      groups = builtins.groupBy (each: head each.path) below;
      base = if here == [ ] then set else builtins.foldl' (acc: each: each.update acc) set here;
      child = name: members: updateManyAttrsByPath
        (map (each: { path = tail each.path; inherit (each) update; }) members)
        (base.${name} or (throw "updateManyAttrsByPath: no attribute '${name}'"));
    in if below == [ ] then base else base // builtins.mapAttrs child groups;

  cartesianProductOfSets = set:
    builtins.foldl'
      (acc: name: lib.concatMap (partial: map (value: partial // { ${name} = value; }) set.${name}) acc)
      [ { } ] (attrNames set);

  # What changed between two sets, as paths.
  diffAttrs = old: new:
    let
      names = lib.unique (attrNames old ++ attrNames new);
      go = path: name:
        let
          here = path ++ [ name ];
          a = old.${name};
          b = new.${name};
        in
          if !(hasAttr name new) then [ { kind = "removed"; path = here; old = a; } ]
          else if !(hasAttr name old) then [ { kind = "added"; path = here; new = b; } ]
          else if isAttrs a && isAttrs b
          then map (change: change // { path = here ++ change.path; }) (diffAttrs a b)
          else if a == b then [ ]
          else [ { kind = "changed"; path = here; old = a; new = b; } ];
    in concatMap (go [ ]) names;
}

# Functions on lists, sets and texts.
rec {
  inherit (builtins) all any attrNames attrValues concatLists concatMap concatStringsSep elem elemAt filter foldl'
    genList hasAttr head isAttrs isBool isFunction isInt isList isPath isString length listToAttrs mapAttrs sort tail
    toJSON typeOf zipAttrsWith;

  id = value: value;
  optional = condition: value: if condition then [ value ] else [ ];
  optionalAttrs = condition: value: if condition then value else { };
  optionalString = condition: text: if condition then text else "";
  imap1 = f: list: genList (n: f (n + 1) (elemAt list n)) (length list);
  last = list: elemAt list (length list - 1);
  drop = n: list: genList (i: elemAt list (i + n)) (if n > length list then 0 else length list - n);
  unique = foldl' (known: value: if elem value known then known else known ++ [ value ]) [ ];

  nameValuePair = name: value: { inherit name value; };
  mapAttrs' = f: set: listToAttrs (map (name: f name set.${name}) (attrNames set));
  mapAttrsToList = f: set: map (name: f name set.${name}) (attrNames set);
  filterAttrs = keep: set: removeAttrs set (filter (name: !(keep name set.${name})) (attrNames set));
  genAttrs = names: f: listToAttrs (map (name: nameValuePair name (f name)) names);
  setAttrByPath = path: value: if path == [ ] then value else { ${head path} = setAttrByPath (tail path) value; };
  attrByPath = path: default: set:
    if path == [ ] then set
    else if set ? ${head path} then attrByPath (tail path) default set.${head path}
    else default;
  getAttrFromPath = path: attrByPath path (throw "no attribute `${concatStringsSep "." path}'");
  recursiveUpdate = left: right:
    if isAttrs left && isAttrs right
    then left // mapAttrs (name: value: if left ? ${name} then recursiveUpdate left.${name} value else value) right
    else right;
  mapAttrsRecursiveCond = descend: f:
    let below = path: mapAttrs (name: value:
      if isAttrs value && descend value then below (path ++ [ name ]) value else f (path ++ [ name ]) value);
    in below [ ];

  concatMapStringsSep = separator: f: list: concatStringsSep separator (map f list);
  concatLines = lines: concatMapStringsSep "" (line: line + "\n") lines;
  hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
  functionArgs = f: if f ? __functionArgs then f.__functionArgs else builtins.functionArgs f;
}

# Types of options: what a definition may be, and how several definitions become one value.
{ lib }:
let
  inherit (lib) mergeDefinitions mergeEqualOption mergeOneOption;
  type = { name, description ? name, check ? _: true, merge ? mergeEqualOption, emptyValue ? { } }: {
    _type = "option-type";
    inherit name description check merge emptyValue;
  };
  withFile = def: value: { inherit (def) file; inherit value; };
in
rec {
  unspecified = type { name = "unspecified"; description = "unspecified value"; };
  raw = type { name = "raw"; description = "raw value"; merge = mergeOneOption; };
  bool = type { name = "bool"; description = "boolean"; check = lib.isBool; };
  int = type { name = "int"; description = "signed integer"; check = lib.isInt; };
  port = type {
    name = "port";
    description = "port number";
    check = value: lib.isInt value && value >= 0 && value < 65536;
  };
  str = type { name = "str"; description = "string"; check = lib.isString; };
  path = type { name = "path"; description = "path"; check = value: lib.isPath value || lib.hasPrefix "/" value; };
  lines = type {
    name = "lines";
    description = "lines of text";
    check = lib.isString;
    merge = _: defs: lib.concatStringsSep "\n" (lib.getValues defs);
  };
  enum = values: type {
    name = "enum";
    description = "one of ${lib.concatMapStringsSep ", " lib.toJSON values}";
    check = value: lib.elem value values;
  };

  nullOr = inner: type {
    name = "nullOr";
    description = "null or ${inner.description}";
    check = value: value == null || inner.check value;
    merge = loc: defs:
      if lib.all (def: def.value == null) defs then null
      else if lib.any (def: def.value == null) defs
      then throw "The option `${lib.showOption loc}' is both null and not null.${lib.showDefs defs}"
      else inner.merge loc defs;
    emptyValue.value = null;
  };

  listOf = inner: type {
    name = "listOf";
    description = "list of ${inner.description}";
    check = lib.isList;
    merge = loc: defs: map (element: element.value) (lib.filter (element: element ? value) (lib.concatLists
      (lib.imap1
        (n: def: lib.imap1
          (m: value: (mergeDefinitions (loc ++ [ "[definition ${toString n}-entry ${toString m}]" ]) inner
            [ (withFile def value) ]).optionalValue)
          def.value)
        defs)));
    emptyValue.value = [ ];
  };

  attrsOf = inner: type {
    name = "attrsOf";
    description = "attribute set of ${inner.description}";
    check = lib.isAttrs;
    merge = loc: defs: lib.mapAttrs (_: attribute: attribute.value) (lib.filterAttrs (_: attribute: attribute ? value)
      (lib.zipAttrsWith (name: members: (mergeDefinitions (loc ++ [ name ]) inner members).optionalValue)
        (map (def: lib.mapAttrs (_: withFile def) def.value) defs)));
    emptyValue.value = { };
  };
  lazyAttrsOf = inner: attrsOf inner // {
    name = "lazyAttrsOf";
    merge = loc: defs: lib.zipAttrsWith
      (name: members:
        let merged = mergeDefinitions (loc ++ [ name ]) inner members;
        in merged.optionalValue.value or inner.emptyValue.value or merged.mergedValue)
      (map (def: lib.mapAttrs (_: withFile def) def.value) defs);
  };

  submodule = module: type {
    name = "submodule";
    check = value: lib.isAttrs value || lib.isFunction value || lib.isPath value;
    merge = loc: defs: (lib.evalModules {
      prefix = loc;
      modules = [ module { _file = "submodule"; _module.args.name = lib.mkOptionDefault (lib.last loc); } ]
        ++ map (def: if lib.isAttrs def.value then { _file = def.file; config = def.value; } else def.value) defs;
    }).config;
    emptyValue.value = { };
  };
}

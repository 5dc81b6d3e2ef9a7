# Types of options: what a definition may be, and how several definitions become one value.
{ lib }:
let
  inherit (lib) mergeOneOption mergeEqualOption mergeDefaultOption showOption showDefs mkOptionType;

  # Definitions of one element of a composite, merged by the element's own type.
  mergeElement = loc: type: defs: lib.mergeDefinitions loc type defs;

  types = rec {
    isOptionType = lib.isType "option-type";

    # --- anything ---

    unspecified = mkOptionType { name = "unspecified"; description = "unspecified value"; };
    raw = mkOptionType { name = "raw"; description = "raw value"; merge = mergeOneOption; };

    # Whatever fits: sets are merged deeply, equal plain values may be repeated.
    anything = mkOptionType {
      name = "anything";
      description = "anything";
      merge = loc: defs:
        let
          kinds = lib.unique (map (def: builtins.typeOf def.value) defs);
          kind = if lib.length kinds == 1 then lib.head kinds else "mixed";
          byKind = {
            set = if lib.any (def: lib.isDerivation def.value) defs
              then mergeEqualOption loc defs
              else (attrsOf anything).merge loc defs;
            list = if lib.length defs > 1
              then throw "The option `${showOption loc}' has lists of unknown elements in several places.${showDefs defs}"
              else (lib.head defs).value;
            lambda = argument: anything.merge
              (loc ++ [ "<function body>" ])
              (map (def: def // { value = def.value argument; }) defs);
            mixed = throw "The option `${showOption loc}' has definitions of different types.${showDefs defs}";
          };
        in byKind.${kind} or (mergeEqualOption loc defs);
    };

    # --- plain values ---

    bool = mkOptionType {
      name = "bool";
      description = "boolean";
      check = builtins.isBool;
      merge = mergeEqualOption;
    };
    # True if any definition is.
    boolByOr = bool // { name = "boolByOr"; merge = _: defs: lib.any (def: def.value) defs; };
    int = mkOptionType {
      name = "int";
      description = "signed integer";
      check = builtins.isInt;
      merge = mergeEqualOption;
    };
    ints = {
      between = low: high:
        assert low <= high;
        addCheck int (n: n >= low && n <= high) // {
          name = "intBetween";
          description = "integer between ${toString low} and ${toString high} (both inclusive)";
        };
      unsigned = addCheck int (n: n >= 0) // {
        name = "unsignedInt";
        description = "unsigned integer, meaning >=0";
      };
      positive = addCheck int (n: n > 0) // {
        name = "positiveInt";
        description = "positive integer, meaning >0";
      };
      u8 = ints.between 0 255;
      u16 = ints.between 0 65535;
    };
    port = ints.u16 // { name = "port"; };
    float = mkOptionType {
      name = "float";
      description = "floating point number";
      check = builtins.isFloat;
      merge = mergeEqualOption;
    };
    number = either int float;
    # The largest of all definitions counts.
    maximum = int // { name = "maximum"; merge = _: defs: lib.maximum (lib.getValues defs); };

    str = mkOptionType {
      name = "str";
      description = "string";
      check = builtins.isString;
      merge = mergeEqualOption;
    };
    nonEmptyStr = addCheck str (text: builtins.match "[[:space:]]*" text == null) // {
      name = "nonEmptyStr";
      description = "non-empty string";
    };
    singleLineStr = addCheck str (text: builtins.match "[^\n]*" text != null) // {
      name = "singleLineStr";
      description = "string without line ends";
    };
    strMatching = pattern: mkOptionType {
      name = "strMatching ${lib.escapeNixString pattern}";
      description = "string matching the pattern ${pattern}";
      check = value: builtins.isString value && builtins.match pattern value != null;
      merge = mergeEqualOption;
    };
    separatedString = separator: mkOptionType {
      name = "separatedString";
      description = if separator == "" then "Concatenated string" else "strings concatenated with ${builtins.toJSON separator}";
      check = builtins.isString;
      merge = _: defs: lib.concatStringsSep separator (lib.getValues defs);
    };
    lines = separatedString "\n";
    commas = separatedString ",";
    envVar = separatedString ":";
    path = mkOptionType {
      name = "path";
      description = "absolute path";
      check = value: builtins.isPath value || (builtins.isString value && lib.hasPrefix "/" value);
      merge = mergeEqualOption;
    };
    package = mkOptionType {
      name = "package";
      description = "package";
      check = lib.isDerivation;
      merge = mergeOneOption;
    };
    ipv4 = strMatching "[0-9]{1,3}(\\.[0-9]{1,3}){3}" // { name = "ipv4"; description = "IPv4 address"; };
    cidr = strMatching "[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}" // { name = "cidr"; description = "IPv4 network"; };
    fileMode = strMatching "[0-7]{3,4}" // { name = "fileMode"; description = "octal file mode"; };

    enum = values: mkOptionType {
      name = "enum";
      description = "one of ${lib.concatMapStringsSep ", " (lib.generators.toPretty { multiline = false; }) values}";
      check = value: lib.elem value values;
      merge = mergeEqualOption;
    };

    # --- composites ---

    attrs = mkOptionType {
      name = "attrs";
      description = "attribute set";
      check = builtins.isAttrs;
      merge = _: defs: builtins.foldl' (acc: def: acc // def.value) { } defs;
      emptyValue = { value = { }; };
    };

    listOf = element: mkOptionType rec {
      name = "listOf";
      description = "list of ${element.description}";
      check = builtins.isList;
      merge = loc: defs: map (each: each.value) (lib.filter (each: each ? value) (lib.concatLists (lib.imap1
        (n: def: lib.imap1
          (m: value: (mergeElement (loc ++ [ "[definition ${toString n}-entry ${toString m}]" ]) element
            [ { inherit (def) file; inherit value; } ]).optionalValue)
          def.value)
        defs)));
      emptyValue = { value = [ ]; };
      getSubOptions = prefix: element.getSubOptions (prefix ++ [ "*" ]);
      getSubOptionList = prefix: element.getSubOptionList (prefix ++ [ "*" ]);
      nested = { inherit element; };
    };
    nonEmptyListOf = element: addCheck (listOf element) (xs: xs != [ ]) // {
      name = "nonEmptyListOf";
      description = "non-empty list of ${element.description}";
      emptyValue = { };
    };
    uniqueListOf = element: listOf element // {
      name = "uniqueListOf";
      merge = loc: defs: lib.unique ((listOf element).merge loc defs);
    };

    attrsOf = element: mkOptionType {
      name = "attrsOf";
      description = "attribute set of ${element.description}";
      check = builtins.isAttrs;
      merge = loc: defs: lib.mapAttrs (_: each: each.value) (lib.filterAttrs (_: each: each ? value)
        (builtins.zipAttrsWith
          (name: members: (mergeElement (loc ++ [ name ]) element members).optionalValue)
          (map (def: lib.mapAttrs (_: value: { inherit (def) file; inherit value; }) def.value) defs)));
      emptyValue = { value = { }; };
      getSubOptions = prefix: element.getSubOptions (prefix ++ [ "<name>" ]);
      getSubOptionList = prefix: element.getSubOptionList (prefix ++ [ "<name>" ]);
      nested = { inherit element; };
    };
    # The names may be known although the conditions of the values are not.
    lazyAttrsOf = element: mkOptionType {
      name = "lazyAttrsOf";
      description = "lazy attribute set of ${element.description}";
      check = builtins.isAttrs;
      merge = loc: defs: builtins.zipAttrsWith
        (name: members:
          let merged = mergeElement (loc ++ [ name ]) element members;
          in merged.optionalValue.value or element.emptyValue.value or merged.mergedValue)
        (map (def: lib.mapAttrs (_: value: { inherit (def) file; inherit value; }) def.value) defs);
      emptyValue = { value = { }; };
      getSubOptions = prefix: element.getSubOptions (prefix ++ [ "<name>" ]);
      getSubOptionList = prefix: element.getSubOptionList (prefix ++ [ "<name>" ]);
      nested = { inherit element; };
    };

    nullOr = element: mkOptionType {
      name = "nullOr";
      description = "null or ${element.description}";
      check = value: value == null || element.check value;
      merge = loc: defs:
        let nulls = lib.count (def: def.value == null) defs;
        in
          if nulls == lib.length defs then null
          else if nulls != 0 then throw "The option `${showOption loc}' is defined both null and not null, in ${lib.showFiles (lib.getFiles defs)}."
          else element.merge loc defs;
      emptyValue = { value = null; };
      inherit (element) getSubOptions getSubOptionList;
      nested = { inherit element; };
    };
    either = left: right: mkOptionType {
      name = "either";
      description = "${left.description} or ${right.description}";
      check = value: left.check value || right.check value;
      merge = loc: defs:
        let values = lib.getValues defs;
        in
          if lib.all left.check values then left.merge loc defs
          else if lib.all right.check values then right.merge loc defs
          else mergeOneOption loc defs;
      nested = { inherit left right; };
    };
    oneOf = list:
      if list == [ ] then throw "oneOf needs at least one type"
      else builtins.foldl' either (lib.head list) (lib.tail list);
    coercedTo = from: convert: to: mkOptionType {
      name = "coercedTo";
      description = "${to.description} or ${from.description} convertible to it";
      check = value: (from.check value && to.check (convert value)) || to.check value;
      merge = loc: defs:
        let coerce = value: if from.check value then convert value else value;
        in to.merge loc (map (def: def // { value = coerce def.value; }) defs);
      inherit (to) emptyValue getSubOptions;
      nested = { inherit from to; };
    };
    uniq = element: element // {
      name = "uniq";
      merge = mergeOneOption;
    };
    functionTo = result: mkOptionType {
      name = "functionTo";
      description = "function that evaluates to a(n) ${result.description}";
      check = lib.isFunction;
      merge = loc: defs: arguments:
        (mergeElement (loc ++ [ "<function body>" ]) result
          (map (def: { inherit (def) file; value = def.value arguments; }) defs)).mergedValue;
      nested = { inherit result; };
    };
    addCheck = type: check: type // { check = value: type.check value && check value; };

    # --- submodules ---

    submodule = modules: submoduleWith { modules = lib.toList modules; };
    submoduleWith = { modules, specialArgs ? { } }:
      let
        toModule = def:
          if lib.isFunction def.value then lib.setDefaultFile def.file def.value
          else if builtins.isPath def.value then def.value
          else { _file = def.file; config = def.value; };
        evaluated = prefix: more: lib.evalModules {
          inherit specialArgs prefix;
          modules = [ { _module.args.name = lib.mkOptionDefault (if prefix == [ ] then "<name>" else lib.last prefix); } ]
            ++ modules ++ more;
        };
      in mkOptionType {
        name = "submodule";
        description = "submodule";
        check = value: builtins.isAttrs value || lib.isFunction value || builtins.isPath value;
        merge = loc: defs: (evaluated loc (map toModule defs)).config;
        emptyValue = { value = { }; };
        getSubOptions = prefix: (evaluated prefix [ ]).options;
        getSubOptionList = prefix: lib.optionList prefix (evaluated prefix [ ]).options;
      };
  };
in types

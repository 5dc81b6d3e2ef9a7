# Configuration files in other notations.
{ lib }:
rec {
  # How a plain value is written where the notation has no types of its own.
  mkValueString = value:
    if builtins.isInt value then toString value
    else if builtins.isFloat value then toString value
    else if builtins.isString value then value
    else if value == true then "true"
    else if value == false then "false"
    else if value == null then "null"
    else if builtins.isList value then lib.concatMapStringsSep "," mkValueString value
    else throw "generators.mkValueString: ${builtins.typeOf value} has no plain form";

  mkKeyValue = { separator ? "=", valueString ? mkValueString }: key: value:
    "${lib.escape [ separator ] key}${separator}${valueString value}";

  toKeyValue = { keyValue ? mkKeyValue { }, listsAsDuplicates ? false }: set:
    let
      line = key: value: keyValue key value + "\n";
      each = if listsAsDuplicates
        then key: value: map (line key) (lib.toList value)
        else key: value: [ (line key value) ];
    in lib.concatStrings (lib.concatLists (lib.mapAttrsToList each set));

  toINI = { sectionName ? (name: lib.escape [ "[" "]" ] name), keyValue ? mkKeyValue { }, listsAsDuplicates ? false }: sections:
    lib.concatStringsSep "\n" (lib.mapAttrsToList
      (name: values: "[${sectionName name}]\n" + toKeyValue { inherit keyValue listsAsDuplicates; } values)
      sections);

  toGlobalINI = options: { global ? { }, sections ? { } }:
    (if global == { } then "" else toKeyValue { } global + "\n") + toINI options sections;

  # Blocks in braces, as web servers like them: a set is a block, a list repeats its key.
  toBlocks =
    let
      entry = depth: key: value:
        let prefix = lib.repeatString depth "    ";
        in
          if builtins.isAttrs value
          then "${prefix}${key} {\n${body (depth + 1) value}${prefix}}\n"
          else if builtins.isList value then lib.concatMapStrings (entry depth key) value
          else if value == null then ""
          else "${prefix}${key} ${mkValueString value};\n";
      body = depth: set: lib.concatStrings (lib.mapAttrsToList (entry depth) set);
    in body 0;

  toYAML =
    let
      scalar = value:
        if value == null then "null"
        else if builtins.isBool value then lib.boolToString value
        else if builtins.isInt value || builtins.isFloat value then toString value
        else builtins.toJSON value;
      isScalar = value: !(builtins.isAttrs value) && !(builtins.isList value);
      write = depth: value:
        let pad = lib.repeatString depth "  ";
        in
          if value == { } then "${pad}{}\n"
          else if value == [ ] then "${pad}[]\n"
          else if builtins.isAttrs value then lib.concatStrings (lib.mapAttrsToList
            (name: child:
              if isScalar child then "${pad}${name}: ${scalar child}\n"
              else if child == { } || child == [ ] then "${pad}${name}: ${if child == { } then "{}" else "[]"}\n"
              else "${pad}${name}:\n${write (depth + 1) child}")
            value)
          else if builtins.isList value then lib.concatMapStrings
            (child: if isScalar child then "${pad}- ${scalar child}\n" else "${pad}-\n${write (depth + 1) child}")
            value
          else "${pad}${scalar value}\n";
    in write 0;

  toTOML =
    let
      scalar = value:
        if builtins.isString value then builtins.toJSON value
        else if builtins.isList value then "[${lib.concatMapStringsSep ", " scalar value}]"
        else mkValueString value;
      key = name: if builtins.match "[A-Za-z0-9_-]+" name != null then name else builtins.toJSON name;
      write = path: set:
        let
          split = lib.partitionAttrs (_: value: builtins.isAttrs value) set;
          header = lib.optionalString (path != [ ] && split.wrong != { })
            "[${lib.concatMapStringsSep "." key path}]\n";
          own = lib.concatMapAttrsStringSep "" (name: value: "${key name} = ${scalar value}\n") split.wrong;
          below = lib.concatMapAttrsStringSep "" (name: value: write (path ++ [ name ]) value) split.right;
        in header + own + below;
    in write [ ];

  # Nix notation, on several lines, functions and derivations named.
  toPretty = { multiline ? true }:
    let
      go = depth: value:
        let
          newline = if multiline then "\n${lib.repeatString depth "  "}" else " ";
          inner = if multiline then "\n${lib.repeatString (depth + 1) "  "}" else " ";
        in
          if value == null then "null"
          else if builtins.isBool value then lib.boolToString value
          else if builtins.isInt value || builtins.isFloat value || builtins.isPath value then toString value
          else if builtins.isString value then lib.escapeNixString value
          else if builtins.isFunction value then
            (let args = builtins.functionArgs value;
             in if args == { } then "<function>"
                else "<function, args: {${lib.concatStringsSep ", " (lib.mapAttrsToList (n: optional: n + lib.optionalString optional "?") args)}}>")
          else if value == [ ] then "[ ]"
          else if value == { } then "{ }"
          else if builtins.isList value
          then "[${inner}${lib.concatMapStringsSep inner (go (depth + 1)) value}${newline}]"
          else if lib.isDerivation value then "<derivation ${value.name or "?"}>"
          else "{${inner}${lib.concatMapAttrsStringSep inner (n: v: "${lib.escapeNixIdentifier n} = ${go (depth + 1) v};") value}${newline}}";
    in go 0;

  # A systemd unit out of sections of settings.
  toUnit = sections: toINI { listsAsDuplicates = true; sectionName = lib.id; } (lib.filterAttrs (_: s: s != { }) sections);

  # Lines for /etc/hosts, aligned.
  toHosts = set: lib.concatLines (lib.mapAttrsToList
    (address: names: lib.padRight 16 address + lib.concatStringsSep " " names)
    (lib.filterAttrs (_: names: names != [ ]) set));
}

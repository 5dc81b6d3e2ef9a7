# Options: declarations of what can be configured.
{ lib }:
rec {
  isOption = lib.isType "option";
  mkOption = attrs: attrs // { _type = "option"; };

  mkEnableOption = name: mkOption {
    default = false;
    example = true;
    description = "Whether to enable ${name}.";
    type = lib.types.bool;
  };
  mkPackageOption = packages: name: { default ? name, extra ? "" }: mkOption {
    type = lib.types.package;
    default = packages.${default} or (throw "no package ${default}");
    description = "The ${name} package to use." + extra;
  };
  mkPortOption = default: what: mkOption {
    inherit default;
    type = lib.types.port;
    description = "Port of ${what}.";
  };
  mkSettingsOption = type: mkOption {
    inherit type;
    default = { };
    description = "Settings, written to the configuration file as they are.";
  };
  mkReadOnlyOption = type: description: mkOption { inherit type description; readOnly = true; };
  mkInternalOption = type: default: mkOption { inherit type default; internal = true; visible = false; };
  mkSinkUndeclaredOptions = attrs: mkOption ({
    internal = true;
    visible = false;
    default = false;
    description = "Takes every option that nobody declared.";
    type = lib.mkOptionType { name = "sink"; check = _: true; merge = _: _: false; };
  } // attrs);

  showOption = path: lib.concatMapStringsSep "." lib.escapeNixIdentifier path;
  showFiles = files: lib.concatMapStringsSep " and " (file: "`${toString file}'") files;
  showDefs = defs: lib.concatMapStrings
    (def: "\n- In `${toString def.file}'" + (
      let shown = builtins.tryEval (lib.generators.toPretty { multiline = false; } def.value);
      in if shown.success then ": ${shown.value}" else ""))
    defs;
  getValues = map (def: def.value);
  getFiles = map (def: def.file);

  # Merge functions: the path of the option, and definitions { file, value }.
  mergeOneOption = loc: defs:
    if defs == [ ] then throw "The option `${showOption loc}' is used but not defined."
    else if lib.length defs != 1
    then throw "The option `${showOption loc}' is defined multiple times.\nDefinition values:${showDefs defs}"
    else (lib.head defs).value;
  mergeEqualOption = loc: defs:
    if defs == [ ] then abort "mergeEqualOption: no definitions of ${showOption loc}"
    else if lib.length defs == 1 then (lib.head defs).value
    else (builtins.foldl'
      (first: def:
        if def.value != first.value
        then throw "The option `${showOption loc}' has conflicting definition values:${showDefs [ first def ]}"
        else first)
      (lib.head defs) (lib.tail defs)).value;
  mergeDefaultOption = loc: defs:
    let values = getValues defs;
    in
      if lib.length values == 1 then lib.head values
      else if lib.all lib.isFunction values then x: mergeDefaultOption loc (map (def: def // { value = def.value x; }) defs)
      else if lib.all builtins.isList values then lib.concatLists values
      else if lib.all builtins.isAttrs values then builtins.foldl' lib.mergeAttrs { } values
      else if lib.all builtins.isBool values then builtins.foldl' lib.or' false values
      else if lib.all builtins.isString values then lib.concatStrings values
      else if lib.all builtins.isInt values && lib.allUnique values == false then lib.head values
      else throw "Cannot merge definitions of `${showOption loc}'.${showDefs defs}";

  # Every declared option below a set of options, as a flat list for documentation.
  optionList = prefix: options: lib.concatLists (lib.mapAttrsToList
    (name: value:
      let path = prefix ++ [ name ];
      in
        if isOption value then
          (if value.visible or true then [ ({
            name = showOption path;
            description = value.description or "";
            type = (value.type or { description = "unspecified"; }).description;
            readOnly = value.readOnly or false;
            declarations = map toString (value.declarations or [ ]);
          } // lib.optionalAttrs (value ? default) { hasDefault = true; }) ] else [ ])
          ++ (value.type.getSubOptionList or (_: [ ])) path
        else if builtins.isAttrs value then optionList path value
        else [ ])
    (removeAttrs options [ "_module" ]));
}

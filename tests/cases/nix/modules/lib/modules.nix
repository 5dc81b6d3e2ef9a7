# The module system: many modules, each with options and definitions, become one configuration.
#
# A module is a set { imports, options, config, disabledModules, freeformType }, or a set of definitions alone, or a
# function from { config, options, lib, ... } to one of these, or the path of a file that holds one.
{ lib }:
let
  inherit (lib) isType isOption showOption showFiles showDefs;

  reserved = [ "_class" "_file" "key" "disabledModules" "imports" "options" "config" "meta" "freeformType" ];
in
rec {
  # --- types of options ---

  mkOptionType = { name, description ? name, check ? (_: true), merge ? lib.mergeDefaultOption, emptyValue ? { }
                 , getSubOptions ? (_: { }), getSubOptionList ? (_: [ ]), nested ? { } }: {
    _type = "option-type";
    inherit name description check merge emptyValue getSubOptions getSubOptionList nested;
  };

  # --- loading ---

  setDefaultFile = file: module: {
    _file = file;
    imports = [ module ];
  };

  # A module in full form. `key` tells modules apart: the same file is taken once.
  unify = file: key: module:
    let
      withoutKnown = removeAttrs module reserved;
      isShort = !(module ? config || module ? options);
      unknown = lib.attrNames withoutKnown;
    in
      if !isShort && unknown != [ ]
      then throw "Module `${key}' has an unsupported attribute `${lib.head unknown}': move it into `config'."
      else {
        _file = toString (module._file or file);
        key = toString (module.key or key);
        disabled = module.disabledModules or [ ];
        imports = module.imports or [ ];
        options = if isShort then { } else module.options or { };
        config = if isShort
          then withoutKnown // lib.optionalAttrs (module ? freeformType) { _module.freeformType = module.freeformType; }
          else if module ? freeformType
          then lib.mkMerge [ (module.config or { }) { _module.freeformType = module.freeformType; } ]
          else module.config or { };
      };

  # Call a module function with what it asks for; names nobody gave are looked up in `_module.args`, lazily.
  applyArguments = key: module: args:
    if !(lib.isFunction module) then module
    else
      let
        lookup = name: _: builtins.addErrorContext
          "while evaluating the module argument `${name}' in `${key}':"
          (args.${name} or args.config._module.args.${name});
        extra = lib.mapAttrs lookup (lib.functionArgs module);
      in module (args // extra);

  loadModule = args: parentFile: parentKey: n: module:
    let
      isFile = builtins.isPath module || builtins.isString module;
      file = if isFile then toString module else parentFile;
      key = if isFile then toString module else "${parentKey}:anon-${toString n}";
      content = if isFile then import module else module;
    in
      if isType "if" module || isType "merge" module || isType "override" module
      then unify file key { config = module; }
      else unify file key (applyArguments key content args);

  # All modules reachable through imports, each once, without those that were disabled.
  collectModules = args: modules:
    let
      load = file: key: list: lib.imap1
        (n: module:
          let loaded = loadModule args file key n module;
          in { inherit (loaded) key; module = loaded; })
        list;
      all = map (each: each.module) (builtins.genericClosure {
        startSet = load "<unknown-file>" "" modules;
        operator = each: load each.module._file each.module.key each.module.imports;
      });
      disabled = lib.concatMap (module: map toString module.disabled) all;
    in lib.filter (module: !(lib.elem module.key disabled)) all;

  # --- merging ---

  # Options and definitions of a list of modules below `prefix`.
  #   options: [ { file, options } ]   configs: [ { file, config } ]
  mergeModules = prefix: modules: mergeTrees prefix
    (map (module: { file = module._file; inherit (module) options; }) modules)
    (lib.concatMap
      (module: map (config: { file = module._file; inherit config; }) (lib.pushDownProperties module.config))
      modules);

  mergeTrees = prefix: optionTrees: configTrees:
    let
      declared = builtins.zipAttrsWith (_: each: each)
        (map (tree: lib.mapAttrs (_: options: { inherit (tree) file; inherit options; }) tree.options) optionTrees);
      defined = builtins.zipAttrsWith (_: each: lib.concatLists each)
        (map
          (tree:
            if !(builtins.isAttrs tree.config)
            then throw "You're trying to define `${showOption prefix}' as ${builtins.typeOf tree.config}, in ${showFiles [ tree.file ]}, but it is a set of options."
            else lib.mapAttrs
              (_: value: map (config: { inherit (tree) file; inherit config; }) (lib.pushDownProperties value))
              tree.config)
          configTrees);
      raw = builtins.zipAttrsWith (_: each: lib.concatLists each)
        (map (tree: lib.mapAttrs (_: value: [ { inherit (tree) file; inherit value; } ]) tree.config) configTrees);

      results = lib.mapAttrs
        (name: declarations:
          let
            loc = prefix ++ [ name ];
            leaves = lib.filter (each: isOption each.options) declarations;
          in
            if leaves == [ ]
            then mergeTrees loc declarations (defined.${name} or [ ])
            else if lib.length leaves != lib.length declarations
            then throw "The option `${showOption loc}' in ${showFiles (map (each: each.file) leaves)} is a prefix of options in ${showFiles (map (each: each.file) (lib.subtractLists leaves declarations))}."
            else {
              options = evalOption loc (mergeDeclarations loc declarations) (raw.${name} or [ ]);
              undeclared = [ ];
            })
        declared;
      own = lib.concatLists (lib.mapAttrsToList
        (name: defs: map (def: { path = prefix ++ [ name ]; inherit (def) file value; }) defs)
        (removeAttrs raw (lib.attrNames declared)));
    in {
      options = lib.mapAttrs (_: each: each.options) results;
      undeclared = own ++ lib.concatLists (lib.mapAttrsToList (_: each: each.undeclared) results);
    };

  # One option declared in several places.
  mergeDeclarations = loc: declarations:
    builtins.foldl'
      (acc: each:
        let
          option = each.options;
          clash = name: option ? ${name} && acc ? ${name};
        in
          if clash "default" || clash "apply" || (clash "type" && acc.type.name != option.type.name)
          then throw "The option `${showOption loc}' in ${showFiles [ each.file ]} is already declared in ${showFiles acc.declarations}."
          else option // acc // { declarations = acc.declarations ++ [ each.file ]; })
      { inherit loc; declarations = [ ]; _type = "option"; }
      declarations;

  # The value of an option, with everything that can be told about it.
  evalOption = loc: option: definitions:
    let
      type = option.type or lib.types.unspecified;
      withDefault = lib.optional (option ? default)
        { file = lib.head option.declarations; value = lib.mkOptionDefault option.default; }
        ++ definitions;
      merged = if option.readOnly or false && lib.length definitions > 1
        then throw "The option `${showOption loc}' is read-only, but it is set multiple times.${showDefs definitions}"
        else mergeDefinitions loc type withDefault;
      apply = option.apply or lib.id;
    in option // {
      inherit loc type;
      value = builtins.addErrorContext "while evaluating the option `${showOption loc}':" (apply merged.mergedValue);
      inherit (merged) isDefined;
      highestPriority = merged.highestPriority;
      definitions = lib.getValues merged.defs;
      definitionsWithFiles = map (def: { inherit (def) file value; }) merged.defs;
      files = lib.getFiles merged.defs;
      overridden = merged.losers;
    };

  # Definitions { file, value } with all their properties, merged to one value by the type.
  mergeDefinitions = loc: type: definitions: rec {
    discharged = lib.concatMap
      (def: map (value: { inherit (def) file; inherit value; }) (lib.dischargeProperties def.value))
      definitions;
    filtered = lib.filterOverrides' discharged;
    inherit (filtered) highestPriority;
    losers = map
      (def: { inherit (def) file; } // (
        if isType "override" def.value
        then { inherit (def.value) priority; value = def.value.content; }
        else { priority = lib.defaultOverridePriority; inherit (def) value; }))
      filtered.losers;
    defs = lib.sortProperties filtered.values;
    isDefined = defs != [ ];
    mergedValue =
      if !isDefined
      then type.emptyValue.value or (throw "The option `${showOption loc}' is used but not defined.")
      else
        let wrong = lib.filter (def: !(type.check def.value)) defs;
        in
          if wrong == [ ] then type.merge loc defs
          else throw "A definition for option `${showOption loc}' is not of type `${type.description}'. Definition values:${showDefs wrong}";
    optionalValue = if isDefined then { value = mergedValue; } else { };
  };

  # --- the whole ---

  evalModules = { modules, prefix ? [ ], specialArgs ? { }, check ? true }:
    let
      internal = {
        _file = "lib/modules.nix";
        key = "lib/modules.nix";
        options._module = {
          args = lib.mkOption {
            type = lib.types.lazyAttrsOf lib.types.raw;
            default = { };
            internal = true;
            description = "Further arguments for module functions.";
          };
          check = lib.mkOption {
            type = lib.types.bool;
            default = check;
            internal = true;
            description = "Whether definitions of undeclared options are errors.";
          };
          freeformType = lib.mkOption {
            type = lib.types.nullOr (lib.mkOptionType { name = "type"; check = lib.types.isOptionType; merge = lib.mergeOneOption; });
            default = null;
            internal = true;
            description = "The type of what nobody declared.";
          };
        };
        config._module.args = { inherit extendModules; };
      };

      arguments = { inherit config options lib; } // specialArgs;
      collected = collectModules arguments ([ internal ] ++ modules);
      merged = mergeModules prefix collected;
      options = merged.options;
      declaredConfig = lib.mapAttrsRecursiveCond (value: !(isOption value)) (_: value: value.value) options;
      freeformType = declaredConfig._module.freeformType;
      relative = def: lib.drop (lib.length prefix) def.path;

      freeformConfig = freeformType.merge prefix
        (map (def: { inherit (def) file; value = lib.setAttrByPath (relative def) def.value; }) merged.undeclared);
      whole =
        if freeformType == null then declaredConfig
        else if merged.undeclared == [ ] then declaredConfig
        else lib.recursiveUpdate freeformConfig declaredConfig;

      firstUndeclared = lib.head merged.undeclared;
      known = lib.attrNames (lib.attrByPath (lib.init (relative firstUndeclared)) { } options);
      hint = let near = lib.nearest (lib.last firstUndeclared.path) known;
        in lib.optionalString (near != null) "\nDid you mean `${showOption (lib.init firstUndeclared.path ++ [ near ])}'?";
      checked = value:
        if declaredConfig._module.check && freeformType == null && merged.undeclared != [ ]
        then throw "The option `${showOption firstUndeclared.path}' does not exist. Definition values:${showDefs [ firstUndeclared ]}${hint}"
        else value;

      config = removeAttrs whole [ "_module" ] // { inherit (declaredConfig) _module; };
      extendModules = { modules ? [ ], specialArgs ? { } }@more: evalModules {
        modules = originalModules ++ modules;
        specialArgs = originalSpecialArgs // (more.specialArgs or { });
        inherit prefix check;
      };
      originalModules = modules;
      originalSpecialArgs = specialArgs;
    in {
      options = checked (removeAttrs options [ "_module" ]);
      config = checked (removeAttrs config [ "_module" ]);
      inherit extendModules;
      graph = map (module: { inherit (module) key; file = module._file; }) collected;
    };

  # --- renamed and removed options ---

  doRename = { from, to, visible ? false, use ? lib.id }: { config, options, ... }: {
    options = lib.setAttrByPath from (lib.mkOption {
      inherit visible;
      description = "Alias of `${showOption to}'.";
      apply = _: use (lib.getAttrFromPath to config);
    });
    config = lib.setAttrByPath to (
      let old = lib.getAttrFromPath from options;
      in lib.mkIf old.isDefined (lib.mkMerge old.definitions));
  };
  mkRenamedOptionModule = from: to: doRename { inherit from to; };
  mkAliasOptionModule = from: to: doRename { inherit from to; visible = true; };
  mkRemovedOptionModule = path: reason: { options, ... }: {
    options = lib.setAttrByPath path (lib.mkOption {
      visible = false;
      description = "Removed.";
      apply = _: throw "The option `${showOption path}' can no longer be used since it's been removed. ${reason}";
    });
    config.assertions =
      let option = lib.getAttrFromPath path options;
      in [ {
        assertion = !option.isDefined;
        message = "The option definition `${showOption path}' in ${showFiles option.files} no longer has any effect; please remove it. ${reason}";
      } ];
  };
  mkChangedOptionModule = from: to: change: { config, options, ... }: {
    options = lib.setAttrByPath from (lib.mkOption { visible = false; description = "Changed."; });
    config = lib.setAttrByPath to (
      let old = lib.getAttrFromPath from options;
      in lib.mkIf old.isDefined (change config));
  };
}

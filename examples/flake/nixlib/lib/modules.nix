# The module system: many modules, each with options and definitions, become one configuration.
{ lib }:
let
  inherit (lib) isOption isType showDefs showFiles showOption;
in
rec {
  # --- from modules as written to modules in full form ---

  unifyModuleSyntax = file: key: module:
    let
      whole = module ? config || module ? options;
      definitions = removeAttrs module [ "_file" "key" "imports" "disabledModules" "freeformType" ];
      freeform = lib.optional (module ? freeformType) { _module.freeformType = module.freeformType; };
    in {
      _file = toString module._file or file;
      key = toString module.key or key;
      imports = module.imports or [ ];
      disabledModules = module.disabledModules or [ ];
      options = module.options or { };
      config = lib.mkMerge ([ (if whole then module.config or { } else definitions) ] ++ freeform);
    };

  applyModuleArgs = module: args@{ config, ... }:
    if lib.isFunction module
    then module (args // lib.mapAttrs (name: _: args.${name} or config._module.args.${name}) (lib.functionArgs module))
    else module;

  collectModules = modules: args:
    let
      load = parent: parentKey: lib.imap1 (n: module:
        let
          isFile = lib.isPath module || lib.isString module;
          file = if isFile then toString module else parent;
          loaded = unifyModuleSyntax file (if isFile then toString module else "${parentKey}:anon-${toString n}")
            (applyModuleArgs (if isFile then import module else module) args);
        in { inherit (loaded) key; module = loaded; });
      closure = builtins.genericClosure {
        startSet = load "<unknown-file>" "" modules;
        operator = { module, ... }: load module._file module.key module.imports;
      };
      reached = map (each: each.module) closure;
      disabled = map toString (lib.concatMap (module: module.disabledModules) reached);
    in lib.filter (module: !(lib.elem module.key disabled)) reached;

  # --- properties of definitions ---

  # What a set's own conditions and priorities mean for its attributes. Conditions are not looked at.
  pushDownProperties = config:
    if isType "merge" config then lib.concatMap pushDownProperties config.contents
    else if isType "if" config
    then map (lib.mapAttrs (_: lib.mkIf config.condition)) (pushDownProperties config.content)
    else if isType "override" config
    then map (lib.mapAttrs (_: lib.mkOverride config.priority)) (pushDownProperties config.content)
    else [ config ];

  # The definitions that one stands for, conditions decided.
  dischargeProperties = value:
    if isType "merge" value then lib.concatMap dischargeProperties value.contents
    else if isType "if" value then (if value.condition then dischargeProperties value.content else [ ])
    else [ value ];

  # Those with the best priority, without it.
  filterOverrides' = defs:
    let
      priorityOf = def: if isType "override" def.value then def.value.priority else lib.defaultOverridePriority;
      highestPrio = lib.foldl' (best: def: if priorityOf def < best then priorityOf def else best) 9999 defs;
      strip = def: if isType "override" def.value then def // { value = def.value.content; } else def;
    in {
      values = lib.concatMap (def: if priorityOf def == highestPrio then [ (strip def) ] else [ ]) defs;
      inherit highestPrio;
    };

  sortProperties = defs:
    let
      strip = def:
        if isType "order" def.value then def // { value = def.value.content; inherit (def.value) priority; } else def;
      rank = def: def.priority or lib.defaultOrderPriority;
    in lib.sort (a: b: rank a < rank b) (map strip defs);

  # --- merging ---

  mergeModules = prefix: modules: mergeModules' prefix
    (lib.concatMap (module: map (config: { file = module._file; inherit config; }) (pushDownProperties module.config)) modules)
    (map (module: { file = module._file; inherit (module) options; }) modules);

  mergeModules' = prefix: configs: optionTrees:
    let
      byName = f: trees: zip (map f trees);
      zip = lib.zipAttrsWith (_: lib.concatLists);
      declarations = byName
        (tree: lib.mapAttrs (_: options: [ { inherit (tree) file; inherit options; } ]) tree.options) optionTrees;
      definitions = byName
        (tree: lib.mapAttrs (_: value: [ { inherit (tree) file; inherit value; } ]) tree.config) configs;
      below = name: lib.concatMap
        (def: map (config: { inherit (def) file; inherit config; }) (pushDownProperties def.value))
        (definitions.${name} or [ ]);
      results = lib.mapAttrs
        (name: decls:
          let loc = prefix ++ [ name ];
          in
            if lib.all (decl: isOption decl.options) decls
            then {
              matched = evalOptionValue loc (mergeOptionDecls loc decls) (definitions.${name} or [ ]);
              unmatched = [ ];
            }
            else mergeModules' loc (below name) decls)
        declarations;
      own = removeAttrs definitions (lib.attrNames declarations);
    in {
      matched = lib.mapAttrs (_: result: result.matched) results;
      unmatched = lib.concatLists (lib.mapAttrsToList
          (name: map (def: { inherit (def) file; prefix = prefix ++ [ name ]; inherit (def) value; })) own)
        ++ lib.concatMap (result: result.unmatched) (lib.attrValues results);
    };

  mergeOptionDecls = loc: decls:
    lib.foldl'
      (merged: decl: decl.options // merged // { declarations = merged.declarations ++ [ decl.file ]; })
      { inherit loc; declarations = [ ]; } decls;

  evalOptionValue = loc: opt: defs:
    let
      type = opt.type or lib.types.unspecified;
      withDefault =
        lib.optional (opt ? default) { file = lib.head opt.declarations; value = lib.mkOptionDefault opt.default; }
        ++ defs;
      merged = mergeDefinitions loc type withDefault;
      value = if opt ? apply then opt.apply merged.mergedValue else merged.mergedValue;
    in opt // {
      inherit type;
      value = builtins.addErrorContext "while evaluating the option `${showOption loc}':" value;
      inherit (merged) isDefined;
      inherit (merged.defsFinal') highestPrio;
      definitions = lib.getValues merged.defsFinal;
      files = lib.getFiles merged.defsFinal;
    };

  mergeDefinitions = loc: type: defs: rec {
    defsFinal' = filterOverrides' (lib.concatMap
      (def: map (value: { inherit (def) file; inherit value; }) (dischargeProperties def.value)) defs);
    defsFinal = sortProperties defsFinal'.values;
    mergedValue =
      if !isDefined
      then type.emptyValue.value or (throw "The option `${showOption loc}' is used but not defined.")
      else if lib.all (def: type.check def.value) defsFinal then type.merge loc defsFinal
      else
        let wrong = lib.filter (def: !(type.check def.value)) defsFinal;
        in throw "A definition for option `${showOption loc}' is not of type `${type.description}'. Definition values:${showDefs wrong}";
    isDefined = defsFinal != [ ];
    optionalValue = if isDefined then { value = mergedValue; } else { };
  };

  # --- the whole ---

  evalModules = { modules, prefix ? [ ], specialArgs ? { } }:
    let
      internal = {
        _file = "lib/modules.nix";
        options._module.args = lib.mkOption { type = lib.types.lazyAttrsOf lib.types.raw; default = { }; };
        options._module.freeformType = lib.mkOption { type = lib.types.raw; default = null; };
      };
      collected = collectModules ([ internal ] ++ modules) ({ inherit config options lib; } // specialArgs);
      merged = mergeModules prefix collected;
      options = merged.matched;
      declared = lib.mapAttrsRecursiveCond (value: !(isOption value)) (_: option: option.value) options;
      freeform = declared._module.freeformType;
      loose = freeform.merge prefix (map
        (def: { inherit (def) file; value = lib.setAttrByPath (lib.drop (lib.length prefix) def.prefix) def.value; })
        merged.unmatched);
      first = lib.head merged.unmatched;
      config =
        if merged.unmatched == [ ] then declared
        else if freeform != null then lib.recursiveUpdate loose declared
        else throw "The option `${showOption first.prefix}' does not exist. Definition values:${showDefs [ first ]}";
    in {
      inherit options;
      config = removeAttrs config [ "_module" ];
    };

  # An option that has a new name: definitions of the old one become definitions of the new one.
  mkRenamedOptionModule = from: to: { config, options, ... }: {
    options = lib.setAttrByPath from (lib.mkOption {
      description = "Alias of `${showOption to}'.";
      apply = _: lib.getAttrFromPath to config;
    });
    config = lib.setAttrByPath to (
      let old = lib.getAttrFromPath from options;
      in lib.mkIf old.isDefined (lib.mkMerge (map (lib.mkOverride old.highestPrio) old.definitions)));
  };
}

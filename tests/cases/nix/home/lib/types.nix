# Types that only people's configurations need.
{ lib }:
let
  inherit (lib) types mkOption mkOptionType;
in {
  types = types // rec {
    # A module that somebody else evaluates, with arguments that are not known here.
    deferredModule = mkOptionType {
      name = "deferredModule";
      description = "module";
      check = value: builtins.isAttrs value || lib.isFunction value || builtins.isPath value;
      merge = _: defs: { imports = map (def: lib.setDefaultFile def.file def.value) defs; };
      emptyValue = { value = { }; };
    };
    # What stands in a configuration file: words, numbers, and lists of them, in sections.
    atom = types.nullOr (types.oneOf [ types.bool types.int types.str ]);
    section = types.attrsOf (types.either atom (types.listOf atom));
    iniFile = types.attrsOf section;
    # An entry of a list that is sorted by what must come before and after.
    dagEntry = types.coercedTo types.str (data: { inherit data; }) (types.submodule {
      options = {
        data = mkOption { type = types.lines; description = "What is run."; };
        after = mkOption { type = types.listOf types.str; default = [ ]; description = "What comes first."; };
        before = mkOption { type = types.listOf types.str; default = [ ]; description = "What comes later."; };
      };
    });
  };
  dag = {
    entryAnywhere = data: { inherit data; };
    entryAfter = after: data: { inherit after data; };
    entryBefore = before: data: { inherit before data; };
    # The names in an order that all entries agree with.
    sorted = entries:
      let
        comesFirst = name: lib.filter (other: entries ? ${other})
          (entries.${name}.after ++ lib.filter (other: lib.elem name entries.${other}.before) (lib.attrNames entries));
        place = done: name:
          if lib.elem name done then done
          else builtins.foldl' place done (comesFirst name) ++ [ name ];
      in builtins.foldl' place [ ] (lib.attrNames entries);
  };
}
